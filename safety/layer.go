package safety

import (
	"sort"
	"strings"
	"unicode/utf8"

	"candor/safety/internal/decode"
	"candor/safety/internal/detect"
	"candor/safety/internal/injection"
	"candor/safety/internal/invisible"
	"candor/safety/internal/lex"
	"candor/safety/internal/prefilter"
	"candor/safety/internal/rule"
	"candor/safety/internal/secrets"
)

// maxRounds bounds how often a changed text is read again. What is still not
// settled then is masked as a whole.
const maxRounds = 8

// Layer runs the stages. It is safe for concurrent use and starts no goroutine.
type Layer struct {
	max      int
	policy   Policy
	known    []string
	detector *detect.Detector
	field    int // the rule that masks a value by the name of its key
	unseen   int // the rule that counts what strip takes out
}

// Option changes a layer while it is made.
type Option func(*Layer)

// MaxBytes is the length guard: no cleaned text is longer. It is never below
// 256.
func MaxBytes(n int) Option { return func(l *Layer) { l.max = max(n, 256) } }

// NewLayer returns a layer with the default rules, changed by the options.
func NewLayer(options ...Option) *Layer {
	l := &Layer{max: 100_000, policy: DefaultPolicy()}
	for _, o := range options {
		o(l)
	}
	rules := secrets.Rules()
	l.field = len(rules)
	l.unseen = l.field + 1
	rules = append(rules,
		rule.Rule{ID: "secret-field", Specificity: rule.ByName},
		rule.Rule{ID: "invisible-text", Action: Warn},
		secrets.Known(l.known))
	rules = append(append(rules, l.policy.rules()...), injection.Rules()...)
	for i := range rules {
		if a, ok := l.policy.Actions[rules[i].ID]; ok {
			rules[i].Action = a
		}
	}
	l.detector = detect.New(rules)
	return l
}

// Clean runs every stage. On a Blocked verdict the Text is empty: the caller
// decides what stands in its place.
func (l *Layer) Clean(raw string) (Text, Report) {
	t, report := l.Mask(raw)
	if report.Verdict == Blocked {
		return Text{}, report
	}
	return t, report
}

// Mask is Clean for text that must not vanish as a whole, such as a user's own
// words or a final answer: what would block the text is masked in place. The
// verdict still says Blocked.
func (l *Layer) Mask(raw string) (Text, Report) {
	var t tally
	s := l.mask(raw, &t)
	return Text{s}, t.report(l.detector.Rules)
}

// mask runs every stage and counts into t.
func (l *Layer) mask(raw string, t *tally) string {
	head := raw[:l.reach(raw)]
	body := l.settle(l.strip("", head, t), t)
	if len(body) > l.max || len(head) < len(raw) {
		return l.cut(body, len(raw), t)
	}
	return body
}

// Leaks is how many places of a text hold something to redact. It changes
// nothing and allocates nothing unless it finds something.
func (l *Layer) Leaks(text string) int {
	var buf [16]lex.Span
	n := 0
	for _, sp := range l.detector.Inspect(text, buf[:0]) {
		if a := l.detector.Rules[sp.Rule].Action; a == Redact || a == Block {
			n++
		}
	}
	return n
}

// strip takes out what cannot be seen behind before, and counts it.
func (l *Layer) strip(before, s string, t *tally) string {
	out := invisible.StripAfter(before, s)
	if out != s {
		for range invisible.Unseen(before, s) {
			t.add(l.unseen, Warn)
		}
	}
	return out
}

// settle reads a text until reading it changes nothing, which makes cleaning
// idempotent. A text with nothing to change is read once.
func (l *Layer) settle(s string, t *tally) string {
	for round := range maxRounds {
		var buf [16]lex.Span
		found := l.detector.Inspect(s, buf[:0])
		if len(found) == 0 {
			return s
		}
		next := l.rewrite(s, found, t, round == 0)
		if next == s {
			return s
		}
		s = next
	}
	t.verdict = Redacted
	return "[REDACTED:unsettled]"
}

// rewrite masks what leaks and neutralises what is dangerous. Flags are counted
// in the first round only: they stand in the text and would be met again.
func (l *Layer) rewrite(s string, found []lex.Span, t *tally, first bool) string {
	if first {
		for _, sp := range found {
			if r := &l.detector.Rules[sp.Rule]; r.Action == Warn || r.Action == Review {
				t.add(sp.Rule, r.Action)
			}
		}
	}
	edits := l.detector.Merge(found, edited)
	if len(edits) == 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + l.growth(edits))
	last := 0
	for _, e := range edits {
		b.WriteString(s[last:e.From])
		l.replace(&b, s, e, t)
		last = e.To
	}
	b.WriteString(s[last:])
	return b.String()
}

// growth is how much longer a text may get by its edits.
func (l *Layer) growth(edits []lex.Span) int {
	n := 0
	for _, e := range edits {
		if r := &l.detector.Rules[e.Rule]; r.Action == Sanitize {
			n++
		} else {
			n += len(lex.MarkerPrefix) + len(r.ID) + 1
		}
	}
	return n
}

// edited reports whether a rule changes the text.
func edited(r *rule.Rule) bool { return r.Action != Warn && r.Action != Review }

// replace writes what stands in the place of an edit.
func (l *Layer) replace(b *strings.Builder, s string, e lex.Span, t *tally) {
	r := &l.detector.Rules[e.Rule]
	t.add(e.Rule, r.Action)
	if r.Action == Sanitize {
		neutralise(b, s[e.From:e.To], r.EscapeBefore)
		return
	}
	b.WriteString(lex.MarkerPrefix)
	b.WriteString(r.ID)
	b.WriteByte(']')
}

// neutralise writes a dangerous token with one visible backslash in it: before
// a role marker, and behind the first sign of anything else.
func neutralise(b *strings.Builder, token string, before bool) {
	_, k := utf8.DecodeRuneInString(token)
	if n := escaped(token); n > 0 {
		k = n // behind the whole escape, else there is another one
	} else if before {
		k = 0
	}
	b.WriteString(token[:k])
	b.WriteByte('\\')
	b.WriteString(token[k:])
}

// escaped is the length of the escape that a text begins with, or 0, with the
// escapes in that escape.
func escaped(s string) int {
	r, n := decode.Escape(s, 0)
	for range detect.MaxDecode {
		if n == 0 || !strings.ContainsRune(decode.Openers, r) {
			break
		}
		inner, more := decode.Escape(string(r)+s[n:min(len(s), n+16)], 0)
		if more == 0 {
			break
		}
		r, n = inner, n+more-1
	}
	return n
}

// tally counts what the rules found.
type tally struct {
	verdict Verdict
	counts  []lex.Span // from is the count; rule is the rule
}

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

// join adds another tally's counts.
func (t *tally) join(other *tally) {
	for _, c := range other.counts {
		for range c.From {
			t.add(c.Rule, Warn)
		}
	}
	t.verdict = max(t.verdict, other.verdict)
}

func (t *tally) report(rules []rule.Rule) Report {
	r := Report{Verdict: t.verdict}
	for _, c := range t.counts {
		r.Findings = append(r.Findings, Finding{Rule: rules[c.Rule].ID, Count: c.From})
	}
	sort.Slice(r.Findings, func(i, j int) bool { return r.Findings[i].Rule < r.Findings[j].Rule })
	return r
}

// Vectors reports whether this build looks for keywords in eight places at a time on
// this machine.
func Vectors() bool { return prefilter.Vectors() }
