package secrets

import (
	"strings"

	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

// kubernetesSecret finds the data of a Secret's manifest, whose values are base64
// (Kubernetes documentation, "Secrets"). kind: Secret may appear before or behind
// the data, since YAML does not order keys.
//
// It once masked the data of a ConfigMap that shared a file with a Secret, and the
// templates of Helm charts.
func kubernetesSecret() rule.Rule {
	return rule.Rule{
		ID: "kubernetes-secret", Specificity: rule.ByContext, Fold: true,
		Keywords: []string{"data:"}, Match: matchKubernetes, Open: openKubernetes,
		Hits: []string{
			"apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ndata:\n  password: {b20}\n  user: {b16}\n",
			"data:\n  tls.crt: {b40}\nkind: Secret\n",
		},
		Misses: []string{
			"kind: ConfigMap\ndata:\n  a: YWJjZGVmZ2hpamts\n", "data: the kind: Secret of thing",
			"kind: Secret\ndata:\n  note: {{ .Values.x }}\n",
		},
	}
}

const (
	maxDataLines    = 64  // lines of data that are read
	minDataValue    = 10  // bytes of base64 that count as a value
	kindLookaround  = 300 // bytes before and behind data: that may hold the kind
	maxManifestKey  = 80
	maxManifestDent = 16 // blanks before a key
)

// matchKubernetes masks from the first value to the last, keys between them
// included: one manifest, one marker.
func matchKubernetes(s string, at, end int) (int, int) {
	if at > 0 && lex.IsLetter(s[at-1]) { // metadata:
		return 0, 0
	}
	from, to := 0, 0
	i := end
	for n := 0; n < maxDataLines && i < len(s) && s[i] == '\n'; n++ {
		value, valueEnd := manifestValue(s, i+1)
		if value == 0 {
			break
		}
		if valueEnd-value >= minDataValue {
			to = valueEnd
			if from == 0 {
				from = value
			}
		}
		if i = valueEnd; i < len(s) && lex.IsQuote(s[i]) {
			i++
		}
	}
	if to == 0 || !isSecretManifest(s, at, end) { // the most expensive test comes last
		return 0, 0
	}
	return from, to
}

// manifestValue returns the bounds of the base64 on the line that starts at i, which
// is empty where the value is something else, or zeros if the line is not an
// indented key and a colon.
func manifestValue(s string, i int) (from, to int) {
	key := lex.SkipBlank(s, i, maxManifestDent)
	colon := lex.Classes['p'].Run(s, key, maxManifestKey)
	if key == i || colon == key || colon >= len(s) || s[colon] != ':' {
		return 0, 0
	}
	from = lex.SkipBlank(s, colon+1, 8)
	if from < len(s) && lex.IsQuote(s[from]) {
		from++
	}
	to = lex.Classes['b'].Run(s, from, rule.MaxTail)
	return from, lex.Classes['e'].Run(s, to, 3)
}

// openKubernetes reports whether more text could complete a manifest: the block of data
// may continue, and the kind may follow it.
func openKubernetes(s string, _, end int) bool {
	if end < len(s) && s[end] != '\n' {
		return false
	}
	i := end
	for i < len(s) && s[i] == '\n' {
		line := lex.SkipBlank(s, i+1, maxManifestDent)
		if line == i+1 && line < len(s) {
			break
		}
		for i++; i < len(s) && s[i] != '\n'; i++ {
		}
	}
	return i >= len(s) || len(s)-end < kindLookaround+20
}

// isSecretManifest reports whether the document of a YAML stream that holds at..end
// says kind: Secret near it.
func isSecretManifest(s string, at, end int) bool {
	before, after := s[max(0, at-kindLookaround):at], s[end:min(len(s), end+kindLookaround)]
	if i := strings.LastIndex(before, "\n---"); i >= 0 {
		before = before[i:] // another document
	}
	after, _, _ = strings.Cut(after, "\n---")
	for _, near := range [...]string{before, after} {
		if strings.Contains(near, "ecret") && lex.ContainsFold(near, "kind: secret") {
			return true
		}
	}
	return false
}
