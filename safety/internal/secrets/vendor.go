package secrets

import (
	"strings"

	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

// vendorTemplates are the ways of writing a value beside a vendor's name. Every vendor's
// rule is proved with each of them.
var vendorTemplates = []string{
	"%s_api_token = \"%s\"", "%sToken=%s",
	"\"%s_token\": \"%s\"", "the %s key is %s.", "const %sKey: string = '%s'",
	"| %s_key | %s |",
	"- name: %s_token\n  value: %s", "%s_secret: |\n  %s\n",
	"my %s api key (%s)", "gh secret set %s_token --body %s", "new %s(\"%s\")",
}

// Vendor returns a rule for values that only count beside the vendor's name, as in
// adafruit_token = "…": their format is so general that any digest has it. names are the
// vendor's names in lower case, separated by spaces, and specs are formats without a
// literal prefix. The hits are made from vendorTemplates. Vendor panics if a spec cannot
// be parsed; an operator's own formats are checked before they come here.
//
// The misses are what such rules once matched: commits, versions, UUIDs of deployments,
// and digests in the sentence behind the one with the name.
func Vendor(id, names string, specs ...string) rule.Rule {
	r := rule.Rule{ID: id, Specificity: rule.ByContext, Fold: true, Keywords: strings.Fields(names)}
	var formats []rule.Format
	for _, spec := range specs {
		formats = append(formats, rule.Format{Right: mustParts(spec), Exact: true}.Folded())
		for _, shape := range vendorTemplates {
			r.Hits = append(r.Hits, strings.Replace(strings.Replace(shape, "%s", r.Keywords[0], 1), "%s", spec, 1))
		}
	}
	r.Lookahead = 2 * maxVendorGap
	for _, f := range formats {
		for _, p := range f.Right {
			r.Lookahead += p.Max + len(p.Lit)
		}
	}
	r.Match = func(s string, at, end int) (int, int) {
		if isWordFragment(s, at, end) {
			return 0, 0
		}
		n := valueNear(s, at, end, formats)
		if n.to == 0 {
			return rule.Costly, rule.Costly
		}
		return n.from, n.to
	}
	r.Open = func(s string, at, end int) bool { return valueNear(s, at, end, formats).open }
	r.Misses = []string{
		r.Keywords[0] + " commit: 3f2a91c8d07be4456a1290cc8de77f0b1a2c3d4e", r.Keywords[0] + "_version = \"1.2.3\"",
		r.Keywords[0] + " is up. The run 3f2a91c8d07be4456a1290cc8de77f0b was first",
		"deployed to " + r.Keywords[0] + " as 3f2a91c8-d07b-e445-6a12-90cc8de77f0b",
	}
	return r
}

// isWordFragment reports whether the name s[at:end] is made of pieces of other words:
// rookTable does not name okta, nor does sumObject name sumo.
func isWordFragment(s string, at, end int) bool {
	if end-at > 1 && lex.IsUpper(s[end-1]) && !lex.IsUpper(s[end-2]) {
		return true
	}
	return at > 0 && lex.IsLetter(s[at-1]) && !lex.IsUpper(s[at]) && lex.CountChars(s[at:end]).Upper > 0
}

// mustParts parses a format without a literal prefix, and panics if it cannot.
func mustParts(spec string) []rule.Part {
	parts, err := rule.ParseParts(spec)
	if err != nil {
		panic(err)
	}
	return parts
}

// mixedHex reports whether a value is hex in both cases. No tool prints a digest that way.
func mixedHex(v string) bool {
	l := lex.CountChars(v)
	return l.Hex && l.Upper > 1 && l.Lower > 1
}
