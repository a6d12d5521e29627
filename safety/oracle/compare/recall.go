package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"candor/safety"
	"candor/safety/oracle"
)

// after are strings that may follow a token in prose, code and markup.
var after = []string{" ", ".", ",", ")", "]", ">", "&", `"`, "'", "`", ";", ":", "!", "?", "}", "|", "\n", "\t",
	"\\n", "。", "，", "」", "的", "/", "*", "#", ""}

// score counts the samples, and those that each scanner finds.
type score struct{ ours, theirs, all int }

// plus returns the sum of two scores.
func (s score) plus(o score) score { return score{s.ours + o.ours, s.theirs + o.theirs, s.all + o.all} }

// String returns the number of samples and both percentages as cells of the table.
func (s score) String() string {
	if s.all == 0 {
		return "no samples"
	}
	return fmt.Sprintf("%d\t%.2f %%\t%.2f %%", s.all, 100*float64(s.ours)/float64(s.all),
		100*float64(s.theirs)/float64(s.all))
}

// recall measures what the safety layer finds, and what it finds wrongly, and prints the
// figures beside gitleaks's. gitleaks finds all of its own samples by construction.
func recall(flags *flag.FlagSet, args []string) error {
	perRule := flags.Int("n", 20, "samples for each rule")
	verbose := flags.Bool("v", false, "name the rules and texts that fail")
	if err := flags.Parse(args); err != nil {
		return err
	}
	r := &table{
		layer:   safety.NewLayer(safety.MaxBytes(1 << 20)),
		out:     tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0),
		verbose: *verbose,
	}
	r.secrets(*perRule)
	r.falsePositives(*perRule)
	return r.out.Flush()
}

// table prints figures as it collects them, a line each.
type table struct {
	layer   *safety.Layer
	out     *tabwriter.Writer
	verbose bool
}

// secrets prints how many secrets of each part of the corpus are found.
func (r *table) secrets(n int) {
	fmt.Fprintln(r.out, "recall\tsamples\tcandor\tgitleaks")
	// gitleaks has no score of its own in the first row: the samples are what it finds.
	samples := oracle.Samples(n)
	rules := byRule(samples, func(s oracle.Sample) (bool, bool) { return r.masks(s.Text, s.Secret), true })
	r.line(fmt.Sprintf("rules of gitleaks (%d)", len(rules)), sum(rules))
	written := byRule(oracle.Written(samples, n), r.both)
	r.line("the same, written in other ways", sum(written))
	whole := byRule(oracle.Whole(n/2), r.both)
	r.line("whole expressions, filled at random", sum(whole))
	r.line("in prose, every byte after", r.prose(samples))
	r.line("every other ASCII byte after", r.around(samples, "byte", asciiSigns()))
	r.line("decorated, in markup and code", r.around(samples, "decoration", oracle.Decorations))
	providers := byRule(oracle.Providers(n), r.both)
	r.line(fmt.Sprintf("AI providers (%d)", len(providers)), sum(providers))
	kinds := r.evasions()
	r.line(fmt.Sprintf("hidden secrets (%d kinds)", len(kinds)), sum(kinds))
	// With -v, the misses of each part follow.
	r.worst("written", written)
	r.worst("whole", whole)
	r.worst("rule", rules)
	r.worst("provider", providers)
	r.worst("kind", kinds)
}

// falsePositives prints in how many harmless texts something is found.
func (r *table) falsePositives(n int) {
	fmt.Fprintln(r.out, "\nfalse positives\ttexts\tcandor\tgitleaks")
	r.line("hard negatives", r.wrong(oracle.HardNegatives(n)))
	r.line("ordinary lines about keys", r.wrong(oracle.OrdinaryLines(n)))
	r.line("clean agent text", r.wrong(oracle.CleanTexts(200)))
	r.line("agents' notes with such lines", r.wrong(oracle.AgentNotes(1000)))
}

// line prints a name and its score.
func (r *table) line(name string, s score) { fmt.Fprintf(r.out, "%s\t%s\n", name, s) }

// masks reports whether the layer leaves no 8 bytes of the secret in text.
func (r *table) masks(text, secret string) bool {
	// A fragment of 8 bytes is the least that helps to guess or to look up a secret.
	cleaned, _ := r.layer.Mask(text)
	n := min(8, len(secret))
	for i := 0; i+n <= len(secret); i++ {
		if strings.Contains(cleaned.String(), secret[i:i+n]) {
			return false
		}
	}
	return true
}

// both reports who finds the secret of a sample.
func (r *table) both(s oracle.Sample) (ours, theirs bool) {
	return r.masks(s.Text, s.Secret), oracle.Finds(s.Text, s.Secret)
}

// byRule scores the samples by their rule.
func byRule(samples []oracle.Sample, check func(oracle.Sample) (ours, theirs bool)) map[string]score {
	scores := map[string]score{}
	for _, s := range samples {
		scores[s.Rule] = scores[s.Rule].plus(scored(check(s)))
	}
	return scores
}

// asciiSigns returns pairs that put nothing before a token and one ASCII byte after it:
// each byte that no token of any rule contains and that after does not list.
func asciiSigns() [][2]string {
	var pairs [][2]string
	// Setting bit 0x20 folds letters to lower case.
	for b := byte(0); b < 0x80; b++ {
		if c := b | 0x20; c-'a' >= 26 && b-'0' >= 10 && b != '_' && b != '-' && !slices.Contains(after,
			string(rune(b))) {
			pairs = append(pairs, [2]string{"", string(rune(b))})
		}
	}
	return pairs
}

// around puts one token of each rule between the pairs. Only tokens that identify
// themselves by their shape are used.
func (r *table) around(samples []oracle.Sample, what string, pairs [][2]string) score {
	scores := map[string]score{}
	seen := map[string]bool{}
	for _, s := range samples {
		if !s.Self || seen[s.Rule] {
			continue
		}
		seen[s.Rule] = true
		for _, p := range pairs {
			s.Text = "I see " + p[0] + s.Secret + p[1] + " in the text"
			key := fmt.Sprintf("%q", p)
			scores[key] = scores[key].plus(scored(r.both(s)))
		}
	}
	r.worst(what, scores)
	return sum(scores)
}

// prose puts up to three tokens of each rule at the end of a sentence, before each of
// the strings in after.
func (r *table) prose(samples []oracle.Sample) score {
	// Two views of the same samples show whether a follower or a rule is at fault.
	seen := map[string]int{}
	byFollower, ofRule := map[string]score{}, map[string]score{}
	for _, s := range samples {
		if seen[s.Rule]++; !s.Self || seen[s.Rule] > 3 {
			continue
		}
		for _, a := range after {
			s.Text = "I found the value " + s.Secret + a
			found := scored(r.both(s))
			byFollower[a] = byFollower[a].plus(found)
			ofRule[s.Rule] = ofRule[s.Rule].plus(found)
		}
	}
	r.worst("byte after", byFollower)
	r.worst("in prose", ofRule)
	return sum(ofRule)
}

// evasions scores the hidden secrets by kind. Any finding of gitleaks counts.
func (r *table) evasions() map[string]score {
	// gitleaks reports encoded text by its own rules, so its findings cannot be compared
	// with the hidden secret itself.
	kinds := map[string]score{}
	for _, e := range oracle.Evasions() {
		theirs := len(oracle.Detector().DetectString(e.Text)) > 0
		kinds[e.Kind] = kinds[e.Kind].plus(scored(r.masks(e.Text, e.Secret), theirs))
	}
	return kinds
}

// wrong counts the texts in which something was redacted. With -v it prints the first
// text for each rule that fired.
func (r *table) wrong(texts []string) score {
	var all score
	shown := map[string]bool{}
	for _, text := range texts {
		_, report := r.layer.Mask(text)
		ours := report.Verdict != safety.Passed
		if ours && r.verbose && len(report.Findings) > 0 && !shown[report.Findings[0].Rule] {
			shown[report.Findings[0].Rule] = true
			fmt.Printf("wrong: %v in %.200q\n", report.Findings, text)
		}
		all = all.plus(scored(ours, len(oracle.Detector().DetectString(text)) > 0))
	}
	return all
}

// sum adds up all scores.
func sum(scores map[string]score) score {
	var all score
	for _, s := range scores {
		all = all.plus(s)
	}
	return all
}

// worst prints, with -v, every score in which the layer missed a sample.
func (r *table) worst(what string, scores map[string]score) {
	if !r.verbose {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(scores)) {
		if s := scores[name]; s.ours < s.all {
			fmt.Printf("%s %q: %d of %d\n", what, name, s.ours, s.all)
		}
	}
}

// scored is the score of one sample.
func scored(ours, theirs bool) score {
	s := score{all: 1}
	if ours {
		s.ours = 1
	}
	if theirs {
		s.theirs = 1
	}
	return s
}
