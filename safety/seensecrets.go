package safety

import (
	"strings"

	"candor/safety/internal/decode"
	"candor/safety/internal/keyvalue"
	"candor/safety/internal/lex"
	"candor/safety/internal/recall"
	"candor/safety/internal/rule"
	"candor/safety/internal/secrets"
)

// SeenSecrets remembers the values that were masked because of the name beside them, so that
// they are masked where they stand alone. It keeps hashes and no text, of the 256 values used
// last, and is safe for concurrent use. Layers use it through [Layer.Remember]; a session has
// one for all of its texts.
type SeenSecrets struct {
	values recall.Set
	user   string // whose texts they are, "" if nobody is known
}

// NewSeenSecrets returns an empty memory.
func NewSeenSecrets() *SeenSecrets { return &SeenSecrets{} }

// SeenSecretsOf returns an empty memory of a user's texts. A layer with it knows for whom it cleans; see [OnGuess].
func SeenSecretsOf(user string) *SeenSecrets { return &SeenSecrets{user: user} }

// Version counts how often the memory grew. While it stays the same, cleaning a text again
// gives the same result.
func (m *SeenSecrets) Version() uint64 { return m.values.Version() }

// Remember returns a layer that adds to m what it masks because of its name, and masks what m
// has, wherever it is: a value alone, encoded or in pieces, as with [Secrets]. It shares
// the rules with l, so it is cheap, and leaves l unchanged. Without a memory, l knows what a
// text names for the rest of that text.
//
// Words that other texts need are not remembered: values below eight bytes, names out of
// code, hosts, paths, versions, numbers, ordinary phrases.
func (l *Layer) Remember(m *SeenSecrets) *Layer {
	if m == nil {
		return l
	}
	with := *l
	with.seen = m
	if m.user != "" {
		with.who = m.user
	}
	with.detector = l.detector.Remembering(&m.values, l.again)
	return &with
}

// seenBefore is the id of the rule that masks a value that was masked before.
const seenBefore = "seen-before"

// named returns the memorable values in the spans of a text that are masked because of their
// names. A memory knows them from then on wherever they are; without one, they are known
// from the offset behind their names on.
func (l *Layer) named(s string, found []lex.Span) (values []recall.Value) {
	for _, sp := range found {
		if !l.names(sp.Rule) {
			continue
		}
		since := sp.To
		if l.seen != nil {
			since = 0
		}
		values = appendValues(values, s[sp.From:sp.To], since)
	}
	return values
}

// recallNamed adds the values that a text names to the layer's memory. Without one it returns
// what is found once they are known for the rest of the text, instead of found.
func (l *Layer) recallNamed(s string, found []lex.Span, t *tally) []lex.Span {
	repeats := l.seen == nil && l.mayRepeat(s, found)
	if l.seen == nil && !repeats && !t.collects {
		return found
	}
	values := l.named(s, found)
	if len(values) == 0 {
		return found
	}
	if l.seen != nil {
		l.seen.values.Add(values)
		return found
	}
	if t.remember(values); !repeats {
		return found
	}
	own := recall.ForText()
	own.Add(values)
	return l.detector.Remembering(own, l.again).Inspect(s, nil)
}

// names reports whether a match of a rule is a value that is masked because of its name.
func (l *Layer) names(index int) bool {
	r := &l.detector.Rules[index]
	return index != l.again && (r.Specificity == rule.ByName || r.Specificity == rule.ByContext) && hides(r)
}

// remember adds a value that a JSON key names, and what it names itself, to the layer's memory,
// or to the tally of a layer without one.
func (l *Layer) remember(v string, t *tally) {
	var buf [16]lex.Span
	values := appendValues(nil, v, 0)
	for _, named := range l.named(v, l.detector.Inspect(v, buf[:0])) {
		named.Since = 0
		values = append(values, named)
	}
	if l.seen == nil {
		t.remember(values)
	} else if len(values) > 0 {
		l.seen.values.Add(values)
	}
}

// version returns the version of the layer's memory, 0 if it has none.
func (l *Layer) version() uint64 {
	if l.seen == nil {
		return 0
	}
	return l.seen.Version()
}

// hides reports whether a match of a rule is removed from the text.
func hides(r *rule.Rule) bool { return r.Action() == Redact || r.Action() == Block }

// appendValues appends the forms of a value, if it is memorable: as it is written, and as it
// is read where it is escaped or encoded.
func appendValues(values []recall.Value, v string, since int) []recall.Value {
	for _, plain := range readings(v) {
		if len(values) < recall.MaxValues && keyvalue.Memorable(plain) {
			values = append(values, valueOf(plain, since))
		}
	}
	return values
}

// readings returns a value as it is written, without escapes and look-alikes, and decoded from
// base64, where a password may follow a user's name. Of several cookies it has the first, too.
func readings(v string) []string {
	all := []string{v}
	if view := decode.Unescaped(v); view != nil {
		all = append(all, view.Text.String())
	}
	if view := decode.PlainLetters(v); view != nil {
		all = append(all, view.Text.String())
	}
	if run := strings.TrimRight(v, "="); len(run) >= recall.MinForm {
		if out := decode.FromBase64(run, nil); out != nil {
			_, password, _ := strings.Cut(string(out), ":")
			all = append(all, string(out), password)
		}
	}
	if first, _, ok := strings.Cut(v, "; "); ok {
		all = append(all, first)
	}
	return all
}

// valueOf returns a value with the forms in which it is looked for.
func valueOf(v string, since int) recall.Value {
	value := recall.Value{Forms: append([]string{v}, secrets.Encodings(v)...), Joined: []string{v}, Since: since}
	if view := decode.Joined(v); view != nil {
		value.Joined = append(value.Joined, view.Text.String())
	}
	return value
}
