package oracle

import (
	"sort"
	"strings"
)

// nouns are the words for a value that Written uses in turn.
var nouns = []string{"api_key", "token", "secret", "access_token", "client_secret", "key"}

// Written returns up to n texts for each rule whose secret has no shape of its own, so
// that only the vendor's name beside it identifies it. Each puts a secret of samples
// into one of the phrasings.
func Written(samples []Sample, n int) []Sample {
	var out []Sample
	seen := map[string]int{}
	rules, shapes := Detector().Config.Rules, templates(phrasings)
	for i, s := range samples {
		r, ok := rules[s.Rule]
		if !ok || s.Self || seen[s.Rule] >= n || !besideName(r.Regex.String()) || len(r.Keywords) > 3 ||
			s.Rule == "sidekiq-secret" {
			continue // a rule with many keywords is not about one vendor
		}
		// Each secret serves twice, so that few samples suffice for many phrasings.
		for range 2 {
			k := seen[s.Rule] + i // so that neighbouring rules get different phrasings
			seen[s.Rule]++
			noun, shape := nouns[k%len(nouns)], shapes[k%len(shapes)]
			if strings.Contains(shape, " ± ") || strings.Contains(shape, " ±") {
				noun = strings.ReplaceAll(noun, "_", " ")
			}
			vendor := strings.Trim(r.Keywords[k%len(r.Keywords)], "_-")
			text := strings.NewReplacer("§", s.Secret, "¤", vendor, "±", noun).Replace(shape)
			out = append(out, Sample{Rule: s.Rule, Secret: s.Secret, Text: text})
		}
	}
	return out
}

// Whole returns up to n texts for each rule that its regular expression generates as a
// whole, with everything it allows before and after the secret. Texts in which gitleaks
// itself finds nothing under that rule are left out.
func Whole(n int) []Sample {
	rules := Detector().Config.Rules
	ids := make([]string, 0, len(rules))
	for id, r := range rules {
		if r.Regex != nil && handmade[id].texts == nil {
			ids = append(ids, id)
		}
	}
	sort.Strings(ids)
	var out []Sample
	for _, id := range ids {
		expr := rules[id].Regex.String()
		made := 0
		for try := 0; try < 10*n && made < n; try++ {
			text := Generate(expr, int64(try))
			if secret := found(id, text); len(secret) >= 8 {
				out = append(out, Sample{Rule: id, Secret: secret, Text: text})
				made++
			}
		}
	}
	return out
}

// found returns the first secret that gitleaks finds in text under the rule id, without
// its quotes, or "" if there is none.
func found(id, text string) string {
	for _, f := range Detector().DetectString(text) {
		if f.RuleID == id {
			return strings.Trim(f.Secret, "\"'")
		}
	}
	return ""
}

// Decorations are the pairs of strings that enclose a token in notes, markup and code.
// A scanner that relies on word boundaries misses the token in some of them.
var Decorations = [][2]string{
	{"**", "**"}, {"__", "__"}, {"_", "_"}, {"*", "*"}, {"~~", "~~"}, {"`", "`"}, {"```\n", "\n```"},
	{"[", "](https://x.test)"}, {"|", "|"}, {"<", ">"}, {"<code>", "</code>"}, {"(", ")"}, {"{", "}"},
	{"\u201c", "\u201d"}, {"\u00ab", "\u00bb"}, {`\"`, `\"`}, {"&quot;", "&quot;"}, {"%22", "%22"}, {"", "'s value"},
	{"", "\u2026"}, {"", "..."}, {"", "/repo"}, {"", "?x=1"}, {"", "&y=2"}, {"", "@host"},
	{"https://x:", "@host/r.git"},
	{"", "-based"}, {"", ":rest"}, {"=", ""}, {":", ""}, {"/", " "}, {"token=", ""}, {"?token=", "&a=b"}, {"#", ""},
	{"@", ""}, {"$", ""}, {"%3D", ""}, {"&lt;", "&gt;"}, {">>>", ""}, {"\\n", "\\n"}, {"\\t", "\\t"},
	{"\x1b[32m", "\x1b[0m"},
	{"\u5bc6\u94a5", "\uff0c"}, {"\uff1a", "\u3002"}, {"\u00a0", "\u00a0"}, {"\u2014", "\u2014"},
	{"\u2192", "\u2190"}, {"\U0001f511", "\U0001f511"}, {"\u00e9", "\u00e9"}, {"['", "']"}, {"(\"", "\")"},
	{"value=\"", "\"/>"},
}
