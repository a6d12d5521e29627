package oracle

import (
	"sort"
	"strings"
)

// written are ways to write a value beside its name that gitleaks' own samples do
// not have: § stands for the value, ¤ for the vendor, and ± for what the value is.
var written = []string{
	"¤_±=§", "export ¤_±='§'", "¤_±: §  # prod", `{"¤": {"±": "§"}}`, "[¤]\n± = §", "val ¤_±: String = \"§\"", "¤_±: str = \"§\"", "¤_± = r\"§\"", "const ¤_± = `§`;",
	"- name: ¤_±\n  value: §", "- name: ¤_±\n  value: \"§\"", "¤_±: |\n  §\n", "¤_±: >-\n  §\n", `{"name": "¤_±", "value": "§"}`, `<add key="¤_±" value="§"/>`, `<string name="¤_±">§</string>`,
	"| ¤_± | § |", "**¤_±**: `§`", "`¤_±=§`", "docker run -e ¤_±=§ img", "gh secret set ¤_± --body \"§\"", "aws ssm put-parameter --name ¤_± --value §", "kubectl create secret generic x --from-literal=¤_±=§",
	"heroku config:set ¤_±=§", "¤ login --token §", "--¤-± §", "-D¤.±=§", "https://x.test/v1?¤_±=§&a=1", "¤_±,§", "¤_± = [\"§\"]", "¤.set(\"±\", \"§\")", "new ¤(\"§\")", "¤.configure({ \"±\": \"§\" })",
	"The ¤ ± is §.", "the ¤ ± was set to \"§\"", "I found a ¤ ± (§) in the config", "my ¤ ±: §, I think", "¤ ± \u2192 §", "the ± for ¤ is §", "Set the ¤ ± to § and go on", "using ¤ ± § now", "with the ¤ ± of §,",
	"\\\"¤_±\\\": \\\"§\\\"", "¤_±=§\\nOTHER=1", "os.environ[\"¤_±\"] = \"§\"", "setenv(\"¤_±\", \"§\")", "¤_± => '§',", "// ¤_±: §",
}

// what a value is called, in rotation.
var nouns = []string{"api_key", "token", "secret", "access_token", "client_secret", "key"}

// Written are up to n texts for each rule whose value only its vendor's name gives
// away, written in other ways than gitleaks' own samples.
func Written(samples []Sample, n int) []Sample {
	var out []Sample
	seen := map[string]int{}
	rules := Detector().Config.Rules
	for i, s := range samples {
		r, ok := rules[s.Rule]
		if !ok || s.Self || seen[s.Rule] >= n || !besideName(r.Regex.String()) || len(r.Keywords) > 3 || s.Rule == "sidekiq-secret" {
			continue // the last of these are names of many kinds, and no vendor's
		}
		for range 2 {
			k := seen[s.Rule] + i // another way for every rule
			seen[s.Rule]++
			noun, shape := nouns[k%len(nouns)], written[k%len(written)]
			if strings.Contains(shape, " ± ") || strings.Contains(shape, " ±") {
				noun = strings.ReplaceAll(noun, "_", " ")
			}
			text := strings.NewReplacer("§", s.Secret, "¤", strings.Trim(r.Keywords[k%len(r.Keywords)], "_-"), "±", noun).Replace(shape)
			out = append(out, Sample{Rule: s.Rule, Secret: s.Secret, Text: text})
		}
	}
	return out
}

// Whole are up to n texts for each rule as its expression makes them, all that may
// stand before and behind the value included.
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

// found is what gitleaks finds in a text by a rule, "" if nothing.
func found(id, text string) string {
	for _, f := range Detector().DetectString(text) {
		if f.RuleID == id {
			return strings.Trim(f.Secret, "\"'")
		}
	}
	return ""
}

// Decorations stand before and behind a token in notes, markup and code.
var Decorations = [][2]string{
	{"**", "**"}, {"__", "__"}, {"_", "_"}, {"*", "*"}, {"~~", "~~"}, {"`", "`"}, {"```\n", "\n```"}, {"[", "](https://x.test)"}, {"|", "|"}, {"<", ">"}, {"<code>", "</code>"}, {"(", ")"}, {"{", "}"},
	{"\u201c", "\u201d"}, {"\u00ab", "\u00bb"}, {`\"`, `\"`}, {"&quot;", "&quot;"}, {"%22", "%22"}, {"", "'s value"}, {"", "\u2026"}, {"", "..."}, {"", "/repo"}, {"", "?x=1"}, {"", "&y=2"}, {"", "@host"}, {"https://x:", "@host/r.git"},
	{"", "-based"}, {"", ":rest"}, {"=", ""}, {":", ""}, {"/", " "}, {"token=", ""}, {"?token=", "&a=b"}, {"#", ""}, {"@", ""}, {"$", ""}, {"%3D", ""}, {"&lt;", "&gt;"}, {">>>", ""}, {"\\n", "\\n"}, {"\\t", "\\t"}, {"\x1b[32m", "\x1b[0m"},
	{"\u5bc6\u94a5", "\uff0c"}, {"\uff1a", "\u3002"}, {"\u00a0", "\u00a0"}, {"\u2014", "\u2014"}, {"\u2192", "\u2190"}, {"\U0001f511", "\U0001f511"}, {"\u00e9", "\u00e9"}, {"['", "']"}, {"(\"", "\")"}, {"value=\"", "\"/>"},
}
