package safety

import (
	"slices"
	"strings"

	"candor/safety/internal/lex"
	"candor/safety/internal/recall"
	"candor/safety/internal/rule"
)

// Verdict is what cleaning did to a text. The values are ordered: a later one is worse.
type Verdict int

const (
	// Passed means that nothing was redacted or blocked. Tokens may still have been
	// neutralised; the findings say so.
	Passed Verdict = iota
	// Redacted means that at least one secret was replaced by its marker.
	Redacted
	// Blocked means that masking cannot make the text safe, or that the policy forbids it.
	Blocked
)

// String returns the verdict in lower case, as reports and logs show it.
func (v Verdict) String() string {
	switch v {
	case Passed:
		return "passed"
	case Redacted:
		return "redacted"
	default:
		return "blocked"
	}
}

// Severity says how serious a finding is, and thereby what happens to the text. In JSON it
// is its name in lower case.
type Severity = rule.Severity

// The severities of rules, from the least serious on.
const (
	Low      = rule.Low      // noted
	Medium   = rule.Medium   // noted; before a call of a tool that can act, a person is asked
	High     = rule.High     // masked
	Critical = rule.Critical // the text is withheld, or the match masked where it cannot be
)

// Effect says what happened to the matches of a finding.
type Effect string

// The effects of cleaning.
const (
	Noticed     Effect = "noticed"     // the match is still in the text
	Neutralised Effect = "neutralised" // still readable, with a visible escape; invisible characters were removed
	Masked      Effect = "masked"      // replaced by a marker
	Withheld    Effect = "withheld"    // removed together with its text
)

// Hides reports whether the match is no longer in the text: it was masked or withheld.
func (e Effect) Hides() bool { return e == Masked || e == Withheld }

// Finding is how often a rule matched, and what happened to its matches. It never contains
// any part of a match.
type Finding struct {
	Rule     string   `json:"rule"`
	Count    int      `json:"count"`
	Severity Severity `json:"severity"`
	Effect   Effect   `json:"effect"`
}

// Report is the result of cleaning a text. Findings are sorted by rule id and contain
// each rule once.
type Report struct {
	Verdict   Verdict
	Findings  []Finding
	Truncated bool // the text was too long; what is left of it ends with a notice
}

// withhold returns the report on a text that was withheld as a whole, with all its secrets.
func (r Report) withhold() Report {
	for i := range r.Findings {
		if r.Findings[i].Effect == Masked {
			r.Findings[i].Effect = Withheld
		}
	}
	return r
}

// tally collects the verdict and the number of findings of each rule.
type tally struct {
	verdict Verdict
	cut     bool
	counts  []lex.Span     // From is how often Rule was found
	values  []recall.Value // named in the text, for a layer without a memory
	// collects says that values are wanted, for the other texts of the document.
	collects bool
	met      []int // the known secrets that the text has, each once
	told     int   // how many of them were reported
}

// remember keeps values for the other texts of the same document.
func (t *tally) remember(values []recall.Value) {
	for _, v := range values[:min(len(values), recall.MaxValues-len(t.values))] {
		v.Since = 0
		t.values = append(t.values, v)
	}
}

// add counts a finding and raises the verdict if the action asks for it. It never lowers
// the verdict.
func (t *tally) add(rule int, action Action) {
	switch {
	case action == Block:
		t.verdict = Blocked
	case action == Redact && t.verdict == Passed:
		t.verdict = Redacted
	}
	for i := range t.counts {
		if t.counts[i].Rule == rule {
			t.counts[i].From++
			return
		}
	}
	t.counts = append(t.counts, lex.Span{From: 1, Rule: rule})
}

// join adds the counts of another tally and takes the more severe verdict.
func (t *tally) join(other *tally) {
	for _, c := range other.counts {
		for range c.From {
			t.add(c.Rule, Warn)
		}
	}
	t.verdict, t.cut = max(t.verdict, other.verdict), t.cut || other.cut
	t.remember(other.values)
	for _, i := range other.met {
		if !slices.Contains(t.met, i) {
			t.met = append(t.met, i)
		}
	}
}

// report returns the verdict and the findings, sorted by rule id. The rules that find the
// tokens of another rule in disguise have its id, and count as that rule.
func (t *tally) report(l *Layer) Report {
	t.tell(l)
	r := Report{Verdict: t.verdict, Truncated: t.cut}
	for _, c := range t.counts {
		found := &l.detector.Rules[c.Rule]
		k := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Rule == found.ID })
		if k >= 0 {
			r.Findings[k].Count += c.From
			continue
		}
		r.Findings = append(r.Findings, Finding{found.ID, c.From, found.Severity, l.effect(c.Rule)})
	}
	slices.SortFunc(r.Findings, func(a, b Finding) int { return strings.Compare(a.Rule, b.Rule) })
	return r
}

// effect returns what happens to the matches of a rule. Invisible characters are removed
// whatever the action.
func (l *Layer) effect(index int) Effect {
	switch l.detector.Rules[index].Action() {
	case Redact, Block:
		return Masked
	case Sanitize:
		return Neutralised
	}
	if index == l.unseen {
		return Neutralised
	}
	return Noticed
}
