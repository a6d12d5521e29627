package oracle

import (
	"regexp/syntax"
	"sort"
	"strings"
	"sync"

	"github.com/lucasjones/reggen"
	"github.com/rs/zerolog"
	"github.com/zricethezav/gitleaks/v8/cmd/generate/config/utils"
	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/detect"
)

// Detector returns gitleaks with its default rules. It ignores "gitleaks:allow"
// comments, since an attacker who plants a secret could plant that comment too.
var Detector = sync.OnceValue(func() *detect.Detector {
	zerolog.SetGlobalLevel(zerolog.Disabled)
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		panic(err)
	}
	d.IgnoreGitleaksAllow = true
	return d
})

// Finds reports whether any rule of gitleaks finds the secret in text, or at least half
// of it.
func Finds(text, secret string) bool {
	for _, f := range Detector().DetectString(text) {
		if strings.Contains(f.Secret, secret) || strings.Contains(secret, f.Secret) && len(f.Secret) >= len(secret)/2 {
			return true
		}
	}
	return false
}

// Sample is a text that contains one secret of the kind that a rule describes.
type Sample struct {
	Rule, Secret, Text string
	Self               bool // the secret's own shape identifies it, whatever is around it
}

// Samples returns up to n texts for each rule of gitleaks, in the order of their ids.
// gitleaks finds the secret in each of them. The exceptions are the texts in handmade:
// some of their rules depend on a file's name, which a text does not have.
func Samples(n int) []Sample {
	rules := Detector().Config.Rules
	ids := make([]string, 0, len(rules))
	for id := range rules {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	var all []Sample
	for _, id := range ids {
		all = append(all, ofRule(rules[id], n)...)
	}
	return all
}

// ofRule returns up to n samples of a rule. It generates secrets from the part of the
// rule's expression that captures them, puts them into sentences or assignments, and
// keeps those that gitleaks finds.
func ofRule(r config.Rule, n int) []Sample {
	if _, ok := handmade[r.RuleID]; ok {
		return byHand(r.RuleID, n)
	}
	if r.Regex == nil {
		return nil
	}
	tree, err := syntax.Parse(r.Regex.String(), syntax.Perl)
	if err != nil {
		return nil
	}
	group := captured(tree)
	beside := besideName(r.Regex.String())
	// Not every generated text is usable: gitleaks also checks entropy and stop words.
	var out []Sample
	for try := 0; try < 40*n && len(out) < n; try++ {
		s := Sample{Rule: r.RuleID, Secret: strings.Trim(Generate(group.String(), int64(try)), "\"'"),
			Self: !beside && group != tree || selfMade(tree)}
		if strings.ContainsAny(s.Secret, "\n\r\t") && r.RuleID != "private-key" {
			continue
		}
		// Sorting makes the choice independent of the order in which gitleaks builds them.
		shapes := []string{"found " + s.Secret + " in the file"}
		switch {
		case beside:
			shapes = utils.GenerateSampleSecrets(identifier(r), s.Secret)
		case group != tree:
			shapes = append(shapes, "key = \""+s.Secret+"\"\n")
		}
		sort.Strings(shapes)
		s.Text = shapes[try%len(shapes)]
		if Finds(s.Text, s.Secret) && len(s.Secret) >= 8 {
			out = append(out, s)
		}
	}
	return out
}

// besideName reports whether a rule's expression starts as those that gitleaks generates
// for a value assigned to a name.
func besideName(expr string) bool {
	return strings.HasPrefix(strings.TrimPrefix(expr, "(?i)"), `[\w.-]{0,50}?`)
}

// identifier returns the vendor's name as variables spell it: the longest keyword, or
// the first word of the rule's id if that keyword is part of the token.
func identifier(r config.Rule) string {
	if len(r.Keywords) == 0 {
		return r.RuleID
	}
	words := append([]string(nil), r.Keywords...)
	sort.Slice(words, func(i, j int) bool { return len(words[i]) > len(words[j]) })
	if id, _, _ := strings.Cut(r.RuleID, "-"); !strings.Contains(r.Regex.String(), words[0]) ||
		strings.HasSuffix(words[0], "_") {
		return id
	}
	return words[0]
}

// captured returns the expression inside the first capture group, or tree without one.
func captured(tree *syntax.Regexp) *syntax.Regexp {
	found := tree
	var walk func(*syntax.Regexp) bool
	walk = func(re *syntax.Regexp) bool {
		if re.Op == syntax.OpCapture {
			found = re.Sub[0]
			return true
		}
		for _, s := range re.Sub {
			if walk(s) {
				return true
			}
		}
		return false
	}
	walk(tree)
	return found
}

// selfMade reports whether the expression matches a single token and no context.
func selfMade(tree *syntax.Regexp) bool {
	return captured(tree) == tree && !strings.Contains(tree.String(), `\s`) && !strings.Contains(tree.String(), "(?s")
}

// Generate returns a text that the regular expression matches, always the same one for
// the same seed. It panics if the expression is invalid.
func Generate(expr string, seed int64) string {
	g, err := reggen.NewGenerator(expr)
	if err != nil {
		panic(err)
	}
	g.SetSeed(seed)
	return g.Generate(1)
}
