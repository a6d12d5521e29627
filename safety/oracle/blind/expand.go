package blind

import (
	"math/rand/v2"
	"strings"
	"unicode"

	"candor/safety/oracle"
)

// Sample is a text that contains one secret.
type Sample struct {
	Family, Class, Kind string
	Text, Secret        string // Secret is the part of the text that must not be seen
}

// HarmlessText is a text without a secret.
type HarmlessText struct{ Kind, Text string }

// expander draws random texts for one expansion.
type expander struct{ rng *rand.Rand }

// newExpander returns an expander whose texts depend only on the seed.
func newExpander(seed uint64) *expander {
	return &expander{rand.New(rand.NewPCG(seed, 0x626c696e64))}
}

// Secrets returns n samples. Families take turns, and so do the kinds of each family.
// Every template is used before a template of its kind is used again, as far as the
// classes of the families permit.
func (c *Corpus) Secrets(n int, seed uint64) []Sample {
	e := newExpander(seed)
	decks := map[string]*deck{}
	for _, kind := range Kinds {
		decks[kind] = &deck{rng: e.rng}
	}
	for _, t := range c.Contexts {
		decks[t.Kind].all = append(decks[t.Kind].all, t)
	}
	samples := make([]Sample, 0, n)
	for i := range n {
		// In each round of families, each family gets the next kind.
		kind := Kinds[(i%len(c.Families)+i/len(c.Families))%len(Kinds)]
		f := c.Families[i%len(c.Families)]
		samples = append(samples, e.sample(f, decks[kind].draw(f)))
	}
	return samples
}

// CleanTexts returns at least n different texts, if the templates can produce so many.
// Every template is used at least once.
func (c *Corpus) CleanTexts(n int, seed uint64) []HarmlessText {
	e := newExpander(seed)
	var texts []HarmlessText
	seen := map[string]bool{}
	for grown := true; grown && len(texts) < n; {
		grown = false
		for _, t := range c.Clean {
			text := e.fill(t.Text)
			if !seen[text] {
				seen[text], grown = true, true
				texts = append(texts, HarmlessText{t.Kind, text})
			}
		}
	}
	return texts
}

// deck deals the templates of one kind in random order.
type deck struct {
	rng       *rand.Rand
	all, left []Template
}

// draw returns the next template that fits the family. It shuffles a new round of
// templates in when none is left. Load ensures that some template fits every family.
func (d *deck) draw(f Family) Template {
	for {
		for i, t := range d.left {
			if f.fits(t) {
				d.left = append(d.left[:i:i], d.left[i+1:]...)
				return t
			}
		}
		for _, i := range d.rng.Perm(len(d.all)) {
			d.left = append(d.left, d.all[i])
		}
	}
}

// sample puts a new secret of the family into the template.
func (e *expander) sample(f Family, t Template) Sample {
	token := e.generate(f.source)
	secret := token
	if groups := f.expression.FindStringSubmatch(token); len(groups) == 2 && groups[1] != "" {
		secret = groups[1]
	}
	setting := f.Settings[e.rng.IntN(len(f.Settings))]
	text := strings.NewReplacer("{SETTING}", setting, "{setting}", strings.ToLower(setting),
		"{Setting}", camelCase(setting), "{words}", f.Words[e.rng.IntN(len(f.Words))]).Replace(e.fill(t.Text))
	return Sample{f.ID, f.Class, t.Kind, strings.Replace(text, "{secret}", token, 1), secret}
}

// fill resolves the escapes and the random parts of a template.
func (e *expander) fill(template string) string {
	var b strings.Builder
	escapes := strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t")
	end := 0
	for _, part := range fills.FindAllStringSubmatchIndex(template, -1) {
		b.WriteString(escapes.Replace(template[end:part[0]]))
		b.WriteString(e.generate(template[part[2]:part[3]]))
		end = part[1]
	}
	b.WriteString(escapes.Replace(template[end:]))
	return b.String()
}

// generate returns a random text that the expression matches.
func (e *expander) generate(expression string) string {
	return oracle.Generate(expression, e.rng.Int64())
}

// camelCase turns STRIPE_SECRET_KEY into stripeSecretKey.
func camelCase(setting string) string {
	parts := strings.FieldsFunc(strings.ToLower(setting), func(r rune) bool { return r == '_' || r == '-' || r == '.' })
	for i := 1; i < len(parts); i++ {
		first := []rune(parts[i])
		first[0] = unicode.ToUpper(first[0])
		parts[i] = string(first)
	}
	return strings.Join(parts, "")
}

// IsVisibleIn reports whether the cleaned text still has more than a quarter of the
// secret's bytes in a row, and at least four. Parts of the secret that its surroundings
// contain as well do not count.
func (s Sample) IsVisibleIn(cleaned string) bool {
	size := max(4, len(s.Secret)/4+1)
	around := strings.Replace(s.Text, s.Secret, "\x00", 1)
	for i := 0; i+size <= len(s.Secret); i++ {
		part := s.Secret[i : i+size]
		if strings.Contains(cleaned, part) && !strings.Contains(around, part) {
			return true
		}
	}
	return false
}
