package safety

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"candor/safety/internal/decode"
	"candor/safety/internal/detect"
	"candor/safety/internal/injection"
	"candor/safety/internal/invisible"
	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
	"candor/safety/internal/secrets"
)

// maxRounds bounds how often a changed text is read again. A text that still changes
// after that is masked as a whole.
const maxRounds = 8

// Layer cleans text. It is immutable, safe for concurrent use, and starts no goroutine.
// Building one compiles all rules, so a program builds it once.
type Layer struct {
	max      int
	policy   Policy
	known    []Secret
	detector *detect.Detector
	field    int // index of the rule that masks a JSON value by the name of its key
	unseen   int // index of the rule that counts removed invisible characters
	again    int // index of the rule that masks values which were masked before
	seen     *SeenSecrets

	firstKnown int                    // index of the rule of the first known secret
	guessed    func(who, from string) // see OnGuess; may be nil
	who        string                 // for whom texts are cleaned; "" if nobody is known

	keepsTokens bool // do not neutralise; for a person, who has to see what is there
}

// Option configures a layer in [NewLayer].
type Option func(*Layer)

// MaxBytes sets the length guard: no cleaned text is longer than n bytes. The default is
// 100,000; values below 256 count as 256.
func MaxBytes(n int) Option { return func(l *Layer) { l.max = max(n, 256) } }

// NewLayer returns a layer with the default rules and policy, as changed by the options.
// Later options override earlier ones; those of [Secrets] add up.
func NewLayer(options ...Option) *Layer {
	l := &Layer{max: 100_000, policy: DefaultPolicy()}
	for _, o := range options {
		o(l)
	}
	rules := secrets.Rules()
	l.field = len(rules)
	l.unseen, l.again = l.field+1, l.field+2
	rules = append(rules, ownRules()...)
	l.firstKnown = len(rules)
	rules = append(rules, l.knownRules()...)
	rules = append(append(rules, l.policy.rules()...), injection.Rules()...)
	for i := range rules {
		rules[i], _ = l.policy.override(rules[i]) // WithPolicy has checked it
	}
	l.detector = detect.New(append(rules, secrets.Disguised(rules)...))
	return l
}

// ownRules returns the rules that the layer applies itself: secret-field masks a value by
// its key, invisible-text counts the characters that strip removes, and seen-before masks a
// value that was masked before because of its name.
func ownRules() []rule.Rule {
	return []rule.Rule{
		{ID: secretField, Specificity: rule.ByName}, {ID: "invisible-text", Severity: Low},
		{ID: seenBefore, Specificity: rule.ByName},
	}
}

// secretField is the id of the rule that masks a JSON value by the name of its key.
const secretField = "secret-field"

// Clean runs every stage. On a Blocked verdict the Text is empty, and the caller decides
// what to show in its place.
func (l *Layer) Clean(raw string) (Text, Report) {
	t, report := l.Mask(raw)
	if report.Verdict == Blocked {
		return Text{}, report.withhold()
	}
	return t, report
}

// Mask is like Clean, but masks a match that blocks in place. It is for text that must
// not disappear as a whole, such as a user's own words or a final answer. The verdict
// still says Blocked.
func (l *Layer) Mask(raw string) (Text, Report) {
	var t tally
	s := l.mask(raw, &t)
	if len(s) < len(raw)/2 {
		s = strings.Clone(s) // a builder has room for the whole of raw, which would stay in memory
	}
	return Text{s}, t.report(l)
}

// mask runs every stage and counts the findings in t. A text that names a value which the
// layer's memory did not have is cleaned again, for what stands before the name.
func (l *Layer) mask(raw string, t *tally) string {
	if l.seen == nil {
		return l.maskOnce(raw, t)
	}
	var once tally
	version := l.seen.Version()
	s := l.maskOnce(raw, &once)
	if l.seen.Version() != version {
		once = tally{}
		s = l.maskOnce(raw, &once)
	}
	t.join(&once)
	return s
}

// maskOnce runs every stage and counts the findings in t.
func (l *Layer) maskOnce(raw string, t *tally) string {
	head := raw[:l.reach(raw)]
	body := l.settle(l.strip("", head, t), t)
	if len(body) > l.max || len(head) < len(raw) {
		return l.cut(body, len(raw), t)
	}
	return body
}

// Leaks returns the number of secrets in a text, those that block it included. It does
// not decide what to mask, and allocates only if it finds something.
func (l *Layer) Leaks(text string) int {
	var buf [16]lex.Span
	n := 0
	for _, sp := range l.detector.Inspect(text, buf[:0]) {
		if a := l.detector.Rules[sp.Rule].Action(); a == Redact || a == Block {
			n++
		}
	}
	return n
}

// strip removes the invisible characters of s and counts them in t. before is the text
// in front of s, which decides whether a joiner at its start belongs to an emoji.
func (l *Layer) strip(before, s string, t *tally) string {
	out := invisible.StripAfter(before, s)
	if out != s {
		for range invisible.Unseen(before, s) {
			t.add(l.unseen, l.detector.Rules[l.unseen].Action())
		}
	}
	return out
}

// settle rewrites a text until it no longer changes, which makes cleaning idempotent: a
// marker may expose another match. A text that needs no change is read once.
func (l *Layer) settle(s string, t *tally) string {
	for round := range maxRounds {
		var buf [16]lex.Span
		found := l.detector.Inspect(s, buf[:0])
		if len(found) == 0 {
			return s
		}
		if round == 0 {
			found = l.recallNamed(s, found, t)
		}
		t.meet(l, found)
		next := l.rewrite(s, found, t, round == 0)
		if next == s {
			return s
		}
		s = next
	}
	t.verdict = Redacted
	return "[REDACTED:unsettled]"
}

// rewrite masks secrets and neutralises dangerous tokens. Warnings leave the text as it
// is, so each round finds them again; they are counted in the first round only.
func (l *Layer) rewrite(s string, found []lex.Span, t *tally, first bool) string {
	if first {
		for _, sp := range found {
			if r := &l.detector.Rules[sp.Rule]; !l.edits(r) {
				t.add(sp.Rule, r.Action())
			}
		}
	}
	edits := l.detector.Merge(found, l.edits)
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

// growth returns an upper bound for how many bytes the edits add.
func (l *Layer) growth(edits []lex.Span) int {
	n := 0
	for _, e := range edits {
		if r := &l.detector.Rules[e.Rule]; r.Action() == Sanitize {
			n++
		} else {
			n += len(lex.MarkerPrefix) + len(r.ID) + 1
		}
	}
	return n
}

// edited reports whether a match of a rule is replaced in the text.
func edited(r *rule.Rule) bool {
	a := r.Action()
	return a != Warn && a != Review
}

// edits reports whether the layer replaces a match of a rule.
func (l *Layer) edits(r *rule.Rule) bool {
	return edited(r) && !(l.keepsTokens && r.Action() == Sanitize)
}

// replace writes the replacement for an edit and counts it: the marker of its rule, or
// the neutralised token.
func (l *Layer) replace(b *strings.Builder, s string, e lex.Span, t *tally) {
	r := &l.detector.Rules[e.Rule]
	t.add(e.Rule, r.Action())
	if r.Action() == Sanitize {
		neutralise(b, s[e.From:e.To], r.EscapeBefore)
		return
	}
	b.WriteString(lex.MarkerPrefix)
	b.WriteString(r.ID)
	b.WriteByte(']')
}

// neutralise writes a dangerous token with one visible backslash in it: in front of a
// role marker, and after the first character of anything else.
func neutralise(b *strings.Builder, token string, before bool) {
	_, k := utf8.DecodeRuneInString(token)
	if n := escaped(token); n > 0 {
		k = n // after the whole escape, since a backslash inside it would form another escape
	} else if before {
		k = 0
	}
	b.WriteString(token[:k])
	b.WriteByte('\\')
	b.WriteString(token[k:])
}

// escaped returns the length of the escape sequence at the start of s, including escapes
// nested in it, or 0 if there is none.
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

// reachFactor bounds the work on a text that is too long: bytes beyond this many times
// the limit are not read.
const reachFactor = 4

// tornToken is how far the end of reading may move back to a space, so that it splits no
// token. A token longer than that is recognised by its first part.
const tornToken = 4096

// reach returns how many bytes of a raw text are read. That is more than the limit: a
// secret at the limit must be masked as a whole before the cleaned text is cut.
func (l *Layer) reach(raw string) int {
	limit := l.max * reachFactor
	if len(raw) <= limit {
		return len(raw)
	}
	return l.reachOf(raw, limit)
}

// reachOf moves limit back to a space, or to the start of a rune if none is near.
func (l *Layer) reachOf(raw string, limit int) int {
	if i := strings.LastIndexAny(raw[limit-min(limit, tornToken):limit], " \n\t"); i >= 0 {
		return limit - min(limit, tornToken) + i
	}
	return lex.RuneStart(raw, limit)
}

// noticeRoom is the space reserved for the notice, however large its numbers are.
const noticeRoom = 96

// cut shortens a cleaned text and appends a notice. The result is cleaned again, because
// a token that the cut shortened may look like another one. If it never becomes stable,
// only the notice remains.
func (l *Layer) cut(body string, total int, t *tally) string {
	limit := l.max - noticeRoom
	t.cut = true
	for range maxRounds {
		body = body[:cutAt(body, limit)]
		out := body + notice(len(body), total)
		if next := l.settle(out, t); next == out {
			return out
		}
		body = l.settle(body, t)
		limit = min(limit, len(body)) - 32
	}
	return strings.TrimSpace(notice(0, total))
}

// notice tells the reader how many of the raw bytes are shown.
func notice(shown, total int) string {
	return fmt.Sprintf("\n\n[truncated: %d of %d bytes shown]", shown, total)
}

// cutAt moves a cut at i back so that it splits neither a rune nor a marker, and removes
// a zero-width joiner at the end, which would join nothing.
func cutAt(s string, i int) int {
	i = markerStart(s, lex.RuneStart(s, i))
	return len(strings.TrimSuffix(s[:i], "\u200d"))
}

// markerStart moves a cut at i to the start of the marker that it would split, if any. At the end
// of s, what may be the beginning of a marker counts as one.
func markerStart(s string, i int) int {
	from := max(0, i-64)
	if k := strings.LastIndex(s[from:i], lex.MarkerPrefix); k >= 0 && strings.IndexByte(s[from+k:i], ']') < 0 {
		return from + k
	}
	for k := max(0, i-len(lex.MarkerPrefix)+1); k < i; k++ {
		rest := s[k:]
		if strings.HasPrefix(rest, lex.MarkerPrefix) || i == len(s) && strings.HasPrefix(lex.MarkerPrefix, rest) {
			return k
		}
	}
	return i
}

// Limit returns a layer with another length guard, for kinds of text that are short by
// nature. It shares the rules with l, so it is cheap, and leaves l unchanged.
func (l *Layer) Limit(maxBytes int) *Layer {
	limited := *l
	MaxBytes(maxBytes)(&limited)
	return &limited
}

// exact returns a slice's content without the room behind it, where that is as large.
func exact(b []byte) []byte {
	if cap(b) > 2*len(b) {
		return bytes.Clone(b)
	}
	return b
}
