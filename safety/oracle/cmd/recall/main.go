// Command recall measures what candor's safety layer finds, and what it finds
// wrongly, and prints the table beside gitleaks's figures.
//
//	recall [-n samples] [-v]
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"
	"text/tabwriter"

	"candor/safety"
	"candor/safety/oracle"
)

var (
	perRule = flag.Int("n", 20, "samples for each rule")
	verbose = flag.Bool("v", false, "name the rules and texts that fail")
)

// after is what may follow a token in prose, code and markup.
var after = []string{" ", ".", ",", ")", "]", ">", "&", `"`, "'", "`", ";", ":", "!", "?", "}", "|", "\n", "\t", "\\n", "。", "，", "」", "的", "/", "*", "#", ""}

type score struct{ ours, theirs, all int }

func (s score) plus(o score) score { return score{s.ours + o.ours, s.theirs + o.theirs, s.all + o.all} }

func (s score) String() string {
	if s.all == 0 {
		return "no samples"
	}
	return fmt.Sprintf("%d\t%.2f %%\t%.2f %%", s.all, 100*float64(s.ours)/float64(s.all), 100*float64(s.theirs)/float64(s.all))
}

var layer = safety.NewLayer(safety.MaxBytes(1 << 20))

// masked reports whether no 8 bytes of the secret are left.
func masked(text, secret string) bool {
	out, _ := layer.Mask(text)
	n := min(8, len(secret))
	for i := 0; i+n <= len(secret); i++ {
		if strings.Contains(out.String(), secret[i:i+n]) {
			return false
		}
	}
	return true
}

func main() {
	flag.Parse()
	out := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(out, "recall\tsamples\tcandor\tgitleaks")
	samples := oracle.Samples(*perRule)
	rules := byRule(samples, func(s oracle.Sample) (bool, bool) { return masked(s.Text, s.Secret), true })
	fmt.Fprintf(out, "rules of gitleaks (%d)\t%s\n", len(rules), sum(rules))
	fmt.Fprintf(out, "the same, written in other ways\t%s\n", sum(both(oracle.Written(samples, *perRule), "written")))
	fmt.Fprintf(out, "whole expressions, filled at random\t%s\n", sum(both(oracle.Whole(*perRule/2), "whole")))
	fmt.Fprintf(out, "in prose, every byte after\t%s\n", prose(samples))
	fmt.Fprintf(out, "every other ASCII byte after\t%s\n", around(samples, "byte", asciiSigns()))
	fmt.Fprintf(out, "decorated, in markup and code\t%s\n", around(samples, "decoration", oracle.Decorations))
	ai := byRule(oracle.Providers(*perRule), func(s oracle.Sample) (bool, bool) { return masked(s.Text, s.Secret), oracle.Finds(s.Text, s.Secret) })
	fmt.Fprintf(out, "AI providers (%d)\t%s\n", len(ai), sum(ai))
	kinds := evasions()
	fmt.Fprintf(out, "hidden secrets (%d kinds)\t%s\n", len(kinds), sum(kinds))
	fmt.Fprintln(out, "\nfalse positives\ttexts\tcandor\tgitleaks")
	fmt.Fprintf(out, "hard negatives\t%s\n", wrong(oracle.HardNegatives(*perRule)))
	fmt.Fprintf(out, "ordinary lines about keys\t%s\n", wrong(oracle.OrdinaryLines(*perRule)))
	fmt.Fprintf(out, "clean agent text\t%s\n", wrong(oracle.CleanTexts(200)))
	fmt.Fprintf(out, "agents' notes with such lines\t%s\n", wrong(oracle.AgentNotes(1000)))
	out.Flush()
	if *verbose {
		worst("rule", rules)
		worst("provider", ai)
		worst("kind", kinds)
	}
}

func byRule(samples []oracle.Sample, check func(oracle.Sample) (ours, theirs bool)) map[string]score {
	scores := map[string]score{}
	for _, s := range samples {
		sc := scores[s.Rule]
		ours, theirs := check(s)
		sc.all++
		sc.ours += one(ours)
		sc.theirs += one(theirs)
		scores[s.Rule] = sc
	}
	return scores
}

// both are the scores by rule of samples that gitleaks may miss.
func both(samples []oracle.Sample, what string) map[string]score {
	scores := byRule(samples, func(s oracle.Sample) (bool, bool) { return masked(s.Text, s.Secret), oracle.Finds(s.Text, s.Secret) })
	if *verbose {
		worst(what, scores)
	}
	return scores
}

// asciiSigns are pairs of nothing and each byte of ASCII that is no letter and no
// digit, and that the other prose does not try.
func asciiSigns() [][2]string {
	var pairs [][2]string
	for b := byte(0); b < 0x80; b++ {
		if c := b | 0x20; c-'a' >= 26 && b-'0' >= 10 && b != '_' && b != '-' && !slices.Contains(after, string(rune(b))) {
			pairs = append(pairs, [2]string{"", string(rune(b))})
		}
	}
	return pairs
}

// around sets tokens that identify themselves between the pairs.
func around(samples []oracle.Sample, what string, pairs [][2]string) score {
	var sc score
	scores := map[string]score{}
	seen := map[string]bool{}
	for _, s := range samples {
		if !s.Self || seen[s.Rule] {
			continue
		}
		seen[s.Rule] = true
		for _, p := range pairs {
			text := "I see " + p[0] + s.Secret + p[1] + " in the text"
			key, found := fmt.Sprintf("%q", p), score{one(masked(text, s.Secret)), one(oracle.Finds(text, s.Secret)), 1}
			sc, scores[key] = sc.plus(found), scores[key].plus(found)
		}
	}
	if *verbose {
		worst(what, scores)
	}
	return sc
}

func prose(samples []oracle.Sample) score {
	var sc score
	seen := map[string]int{}
	byteScore := map[string]score{}
	ruleScore := map[string]score{}
	for _, s := range samples {
		if seen[s.Rule]++; !s.Self || seen[s.Rule] > 3 {
			continue
		}
		for _, a := range after {
			text := "I found the value " + s.Secret + a
			ours, theirs := masked(text, s.Secret), oracle.Finds(text, s.Secret)
			sc = score{sc.ours + one(ours), sc.theirs + one(theirs), sc.all + 1}
			b, r := byteScore[a], ruleScore[s.Rule]
			byteScore[a] = score{b.ours + one(ours), b.theirs + one(theirs), b.all + 1}
			ruleScore[s.Rule] = score{r.ours + one(ours), r.theirs + one(theirs), r.all + 1}
		}
	}
	if *verbose {
		worst("byte after", byteScore)
		worst("in prose", ruleScore)
	}
	return sc
}

func evasions() map[string]score {
	kinds := map[string]score{}
	for _, e := range oracle.Evasions() {
		sc := kinds[e.Kind]
		ours := masked(e.Text, e.Secret)
		kinds[e.Kind] = score{sc.ours + one(ours), sc.theirs + one(len(oracle.Detector().DetectString(e.Text)) > 0), sc.all + 1}
	}
	return kinds
}

// wrong counts the texts in which something was redacted.
func wrong(texts []string) score {
	var sc score
	shown := map[string]bool{}
	for _, text := range texts {
		_, report := layer.Mask(text)
		ours := report.Verdict != safety.Passed
		if ours && *verbose && len(report.Findings) > 0 && !shown[report.Findings[0].Rule] {
			shown[report.Findings[0].Rule] = true
			fmt.Printf("wrong: %v in %.200q\n", report.Findings, text)
		}
		sc = score{sc.ours + one(ours), sc.theirs + one(len(oracle.Detector().DetectString(text)) > 0), sc.all + 1}
	}
	return sc
}

func sum(scores map[string]score) score {
	var all score
	for _, s := range scores {
		all = all.plus(s)
	}
	return all
}

func worst(what string, scores map[string]score) {
	var names []string
	for name, s := range scores {
		if s.ours < s.all {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Printf("%s %q: %d of %d\n", what, name, scores[name].ours, scores[name].all)
	}
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}
