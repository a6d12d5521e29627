package oracle

import (
	_ "embed"
	"slices"
	"strings"
)

// The tables of templates are text files, one template a line: \n stands for a line
// end, \\ for a backslash, and {} for nothing, so that no line of a file reads like
// a live credential. The order of the lines matters, because the samples are drawn
// from one seeded generator.
var (
	// negatives look like secrets and are none: digests, ids, integrity strings,
	// placeholders, code that handles secrets, and words that begin like a token.
	//
	//go:embed texts/negatives.txt
	negatives string

	// ordinary are lines of code, configuration and output that mention keys and hold
	// none, as people and tools write them. None comes from the layer's own misses.
	//
	//go:embed texts/ordinary.txt
	ordinary string

	// phrasings are ways to write a value beside its name that gitleaks's own samples
	// lack: § is the value, ¤ the vendor, ± the noun for the value.
	//
	//go:embed texts/phrasings.txt
	phrasings string

	// providers are the formats of AI providers' keys as regular expressions, each
	// behind a name and a tab. They are written independently of the layer's own rules,
	// so that one checks the other.
	//
	//go:embed texts/providers.txt
	providers string
)

// templateEscapes resolves the escapes of a template file.
var templateEscapes = strings.NewReplacer(`\\`, `\`, `\n`, "\n", "{}", "")

// templates returns the templates of a file in the file's order.
func templates(file string) []string {
	lines := slices.Collect(strings.SplitSeq(strings.TrimSuffix(file, "\n"), "\n"))
	for i, line := range lines {
		lines[i] = templateEscapes.Replace(line)
	}
	return lines
}
