// Package oracle measures candor's safety layer against gitleaks. It is a
// module of its own, so that the scanner it compares with, and the modules that
// scanner needs, never enter the product.
//
// Every secret is generated when the program runs, from the shape of its rule
// and a seed; none stands in the repository.
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

// Detector is gitleaks with its own rules, told to ignore allow comments.
var Detector = sync.OnceValue(func() *detect.Detector {
	zerolog.SetGlobalLevel(zerolog.Disabled)
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		panic(err)
	}
	d.IgnoreGitleaksAllow = true
	return d
})

// Finds reports whether gitleaks finds the secret in text, by whatever rule.
func Finds(text, secret string) bool {
	for _, f := range Detector().DetectString(text) {
		if strings.Contains(f.Secret, secret) || strings.Contains(secret, f.Secret) && len(f.Secret) >= len(secret)/2 {
			return true
		}
	}
	return false
}

// Sample is a text with one secret in it, as a rule of gitleaks describes it.
type Sample struct {
	Rule, Secret, Text string
	Self               bool // the secret identifies itself, whatever stands around it
}

// Samples are up to n texts for each rule of gitleaks, in the order of the rules'
// ids: such as gitleaks itself finds, or made by hand where its expression makes
// none; of those some need the name of a file, which a text does not have.
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
	var out []Sample
	for try := 0; try < 40*n && len(out) < n; try++ {
		s := Sample{Rule: r.RuleID, Secret: strings.Trim(Generate(group.String(), int64(try)), "\"'"), Self: !beside && group != tree || selfMade(tree)}
		if strings.ContainsAny(s.Secret, "\n\r\t") && r.RuleID != "private-key" {
			continue
		}
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

// besideName reports whether a rule's expression begins with a name.
func besideName(expr string) bool {
	return strings.HasPrefix(strings.TrimPrefix(expr, "(?i)"), `[\w.-]{0,50}?`)
}

// identifier is the vendor's name in the way its variables spell it.
func identifier(r config.Rule) string {
	if len(r.Keywords) == 0 {
		return r.RuleID
	}
	words := append([]string(nil), r.Keywords...)
	sort.Slice(words, func(i, j int) bool { return len(words[i]) > len(words[j]) })
	if id, _, _ := strings.Cut(r.RuleID, "-"); !strings.Contains(r.Regex.String(), words[0]) || strings.HasSuffix(words[0], "_") {
		return id
	}
	return words[0]
}

// captured is the expression of the first group, or the whole.
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

// selfMade reports whether the whole expression is one token without context.
func selfMade(tree *syntax.Regexp) bool {
	return captured(tree) == tree && !strings.Contains(tree.String(), `\s`) && !strings.Contains(tree.String(), "(?s")
}

// Generate is a text that a regular expression matches, the same for the same
// seed.
func Generate(expr string, seed int64) string {
	g, err := reggen.NewGenerator(expr)
	if err != nil {
		panic(err)
	}
	g.SetSeed(seed)
	return g.Generate(1)
}
