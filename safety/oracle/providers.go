package oracle

import "strings"

// Providers returns n texts for each AI provider, in the order of their names. The
// secret of each is what follows the last space, equals sign or opening quote.
func Providers(n int) []Sample {
	var out []Sample
	for _, line := range templates(providers) {
		name, format, _ := strings.Cut(line, "\t")
		for k := range n {
			text := Generate(format, int64(k))
			out = append(out, Sample{Rule: name, Secret: lastWord(text), Text: text, Self: true})
		}
	}
	return out
}

// lastWord returns what follows the last space, equals sign or quote of text, closing
// quotes and the padding of base64 apart.
func lastWord(text string) string {
	end := len(text)
	for end > 0 && text[end-1] == '"' {
		end--
	}
	i := end
	for i > 0 && text[i-1] != ' ' && text[i-1] != '"' && !(text[i-1] == '=' && i < end) {
		i--
	}
	return text[i:end]
}
