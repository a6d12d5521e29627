package secrets

import (
	"strings"

	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

// kubernetesSecret is the data of a Secret's manifest, base64 values and all.
func kubernetesSecret() rule.Rule {
	return rule.Rule{
		ID: "kubernetes-secret", Specificity: rule.ByContext, Fold: true, Keywords: []string{"data:"}, Match: findKubernetes, Open: openKubernetes,
		Hits: []string{
			"apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ndata:\n  password: {b20}\n  user: {b16}\n",
			"data:\n  tls.crt: {b40}\nkind: Secret\n",
		},
		Misses: []string{"kind: ConfigMap\ndata:\n  a: YWJjZGVmZ2hpamts\n", "data: the kind: Secret of thing", "kind: Secret\ndata:\n  note: {{ .Values.x }}\n"},
	}
}

// findKubernetes masks from the first value to the last, keys between them
// included: one manifest, one marker.
func findKubernetes(s string, at, end int) (int, int) {
	if at > 0 && lex.IsLetter(s[at-1]) {
		return 0, 0
	}
	from, to := 0, 0
	i := end
	for n := 0; n < 64 && i < len(s) && s[i] == '\n'; n++ {
		key := lex.SkipBlank(s, i+1, 16)
		colon := lex.Classes['p'].Run(s, key, 80)
		if key == i+1 || colon == key || colon >= len(s) || s[colon] != ':' {
			break
		}
		value := lex.SkipBlank(s, colon+1, 8)
		if value < len(s) && lex.IsQuote(s[value]) {
			value++
		}
		i = lex.Classes['b'].Run(s, value, rule.MaxTail)
		i = lex.Classes['e'].Run(s, i, 3)
		if i-value >= 10 {
			to = i
			if from == 0 {
				from = value
			}
		}
		if i < len(s) && lex.IsQuote(s[i]) {
			i++
		}
	}
	if to == 0 || !nearSecretKind(s, at, end) { // the costly question last
		return 0, 0
	}
	return from, to
}

// openKubernetes: the block may go on, and the kind may stand behind it.
func openKubernetes(s string, _, end int) bool {
	if end < len(s) && s[end] != '\n' {
		return false
	}
	i := end
	for i < len(s) && s[i] == '\n' {
		line := lex.SkipBlank(s, i+1, 16)
		if line == i+1 && line < len(s) {
			break
		}
		for i++; i < len(s) && s[i] != '\n'; i++ {
		}
	}
	return i >= len(s) || len(s)-end < 320
}

func nearSecretKind(s string, at, end int) bool {
	before, after := s[max(0, at-300):at], s[end:min(len(s), end+300)]
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
