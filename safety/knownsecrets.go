package safety

import (
	"bufio"
	"io"
	"math"
	"slices"
	"strings"

	"candor/safety/internal/decode"
	"candor/safety/internal/invisible"
	"candor/safety/internal/keyvalue"
	"candor/safety/internal/lex"
	"candor/safety/internal/recall"
	"candor/safety/internal/rule"
	"candor/safety/internal/secrets"
)

// Secret is a value that a layer masks anywhere in a text, plain or encoded.
type Secret struct {
	Value  string
	From   string   // where it was set, as the operator knows it; never the value
	Owners []string // who may know it, as [SeenSecretsOf] and [Layer.By] name them
}

// Secrets makes a layer mask these values anywhere in a text, plain or encoded. Case matters. Values shorter than four
// bytes are ignored. A value that is given twice is one, of the first origin, which the owners of both may know.
func Secrets(all ...Secret) Option {
	return func(l *Layer) { l.known = append(l.known, all...) }
}

// OnGuess makes a layer report each known secret of a text that is cleaned for somebody who does not own it, once for
// the text: to a person who sees the text masked, the mask confirms a guess. who is as [SeenSecretsOf] and [Layer.By]
// name them; from is the secret's origin. noticed is called while the text is cleaned, from several goroutines.
func OnGuess(noticed func(who, from string)) Option {
	return func(l *Layer) { l.guessed = noticed }
}

// By returns a layer that cleans the texts of somebody who is not the user of its memory, such as a guest.
func (l *Layer) By(who string) *Layer {
	by := *l
	by.who = who
	return &by
}

// knownRules returns a rule for each known secret. Secrets of one value are one from then on.
func (l *Layer) knownRules() (rules []rule.Rule) {
	var all []Secret
	places := map[string]int{}
	for _, s := range l.known {
		s.Value = invisible.Strip(s.Value)
		at, ok := places[s.Value]
		if !ok {
			places[s.Value] = len(all)
			all, rules = append(all, s), append(rules, secrets.Known(s.Value))
			continue
		}
		all[at].Owners = slices.Concat(all[at].Owners, s.Owners)
	}
	l.known = all
	return rules
}

// meet notes the known secrets in the spans of a text.
func (t *tally) meet(l *Layer, found []lex.Span) {
	if l.guessed == nil || l.who == "" {
		return
	}
	for _, sp := range found {
		if i := sp.Rule - l.firstKnown; i >= 0 && i < len(l.known) && !slices.Contains(t.met, i) {
			t.met = append(t.met, i)
		}
	}
}

// tell reports the known secrets that were met since it was called last and are somebody else's.
func (t *tally) tell(l *Layer) {
	for _, i := range t.met[t.told:] {
		if s := &l.known[i]; !slices.Contains(s.Owners, l.who) {
			l.guessed(l.who, s.From)
		}
	}
	t.told = len(t.met)
}

// enoughBits is how many bits of a value nobody guesses by asking a layer: at a million guesses a second they take
// nine years.
const enoughBits = 48

// maxPhrase is how long a value may be that somebody would think of, in bytes.
const maxPhrase = 128

// Guessable returns the origins of the known secrets that somebody could guess who sees what is masked. A layer masks
// them as it masks the others.
func (l *Layer) Guessable() (origins []string) {
	for _, s := range l.known {
		if s.From != "" && guessable(s.Value) && !slices.Contains(origins, s.From) {
			origins = append(origins, s.From)
		}
	}
	return origins
}

// guessable reports whether a value could be guessed by somebody who learns of each guess whether it is right: a word
// or phrase that other texts have, or one of few different characters, or in their order, such as 12345678.
func guessable(value string) bool {
	counts, n := map[byte]int{}, 0
	for i := range len(value) {
		if i > 0 && value[i]-value[i-1]+1 <= 2 { // the one before, the same or the next
			continue
		}
		counts[value[i]]++
		n++
	}
	bits := 0.0
	for _, k := range counts {
		bits -= float64(k) * math.Log2(float64(k)/float64(n))
	}
	return bits < enoughBits ||
		len(value) <= maxPhrase && !strings.Contains(value, "://") && !keyvalue.Memorable(value)
}

// ReadSecrets reads values for [Secrets], one a line. It trims spaces and skips
// empty lines and those that start with #. A line may have up to 1 MB.
func ReadSecrets(r io.Reader) ([]string, error) {
	var values []string
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if v := strings.TrimSpace(lines.Text()); v != "" && v[0] != '#' {
			values = append(values, v)
		}
	}
	return values, lines.Err()
}

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
