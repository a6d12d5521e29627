package safety

import (
	"bufio"
	"io"
	"math"
	"slices"
	"strings"

	"candor/safety/internal/invisible"
	"candor/safety/internal/keyvalue"
	"candor/safety/internal/lex"
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
