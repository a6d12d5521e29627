package safety

import "strings"

// kubernetesSecret is the data of a Secret's manifest, base64 values and all.
func kubernetesSecret() rule {
	return rule{
		id: "kubernetes-secret", tier: tierContext, fold: true, anchors: []string{"data:"}, find: findKubernetes, open: openKubernetes,
		hits: []string{
			"apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ndata:\n  password: {b20}\n  user: {b16}\n",
			"data:\n  tls.crt: {b40}\nkind: Secret\n",
		},
		misses: []string{"kind: ConfigMap\ndata:\n  a: YWJjZGVmZ2hpamts\n", "data: the kind: Secret of thing", "kind: Secret\ndata:\n  note: {{ .Values.x }}\n"},
	}
}

// findKubernetes masks from the first value to the last, keys between them
// included: one manifest, one marker.
func findKubernetes(s string, at, end int) (int, int) {
	if at > 0 && letter(s[at-1]) {
		return 0, 0
	}
	from, to := 0, 0
	i := end
	for n := 0; n < 64 && i < len(s) && s[i] == '\n'; n++ {
		key := skipBlank(s, i+1, 16)
		colon := classes['p'].run(s, key, 80)
		if key == i+1 || colon == key || colon >= len(s) || s[colon] != ':' {
			break
		}
		value := skipBlank(s, colon+1, 8)
		if value < len(s) && quote(s[value]) {
			value++
		}
		i = classes['b'].run(s, value, maxTail)
		i = classes['e'].run(s, i, 3)
		if i-value >= 10 {
			to = i
			if from == 0 {
				from = value
			}
		}
		if i < len(s) && quote(s[i]) {
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
		line := skipBlank(s, i+1, 16)
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
		if strings.Contains(near, "ecret") && containsFold(near, "kind: secret") {
			return true
		}
	}
	return false
}
