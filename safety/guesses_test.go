package safety

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Two values of which each user may know one.
const annsValue, bobsValue = "mauve-Otter-2290-kite", "teal-Lynx-7715-drum"

// watched returns a layer that masks the values, and what it has reported since it was asked last.
func watched() (l *Layer, reported func() []string) {
	var all []string
	l = NewLayer(
		Secrets(Secret{annsValue, "ann's token", []string{"ann"}}, Secret{bobsValue, "bob's token", []string{"bob"}},
			Secret{Value: "xyzzy", From: "a file"}, Secret{annsValue, "a variable", nil}),
		KnownSecrets("plugh-plover"),
		OnGuess(func(who, from string) { all = append(all, who+": "+from) }))
	return l, func() []string {
		defer func() { all = nil }()
		return all
	}
}

func TestEachKnownSecretOfSomebodyElseIsReportedOnceForAText(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write([]byte("the token is " + bobsValue))
	_ = w.Close()
	for _, c := range []struct{ name, text, want string }{
		{"nothing known", "a text", ""},
		{"one's own", "it is " + annsValue, ""},
		{"another user's", "it is " + bobsValue, "bob's token"},
		{"another user's, twice", bobsValue + " and " + bobsValue, "bob's token"},
		{"glued to one's own", annsValue + bobsValue + annsValue, "bob's token"},
		{"encoded with one's own", base64.StdEncoding.EncodeToString([]byte(annsValue + bobsValue)), "bob's token"},
		{"compressed", base64.StdEncoding.EncodeToString(packed.Bytes()), "bob's token"},
		{"in pieces", `"teal-" + "Lynx-7715-drum"`, "bob's token"},
		{"beside a name, which the layer remembers", "token=whatever-93-Heron " + bobsValue, "bob's token"},
		{"nobody's", "xyzzy", "a file"},
		{"of no origin", "plugh-plover", ""},
	} {
		l, reported := watched()
		ann := l.Remember(SeenSecretsOf("ann"))
		var want []string
		if c.want != "" {
			want = []string{"ann: " + c.want}
		}
		if c.name == "of no origin" {
			want = []string{"ann: "}
		}
		ann.Mask(c.text)
		assert.Equal(t, want, reported(), "%s, in a text", c.name)
		ann.Clean(c.text)
		assert.Equal(t, want, reported(), "%s, in a text that is cleaned", c.name)
		ann.CleanJSON(jsonOf(map[string]any{"a": []string{c.text}}))
		assert.Equal(t, want, reported(), "%s, in JSON", c.name)
		ann.CleanJSON(jsonOf(map[string]string{"a": string(jsonOf(map[string]string{"b": c.text}))}))
		assert.Equal(t, want, reported(), "%s, in JSON within JSON", c.name)
		s := ann.Stream()
		for i := range len(c.text) {
			s.Write(c.text[i : i+1])
		}
		s.Write(" and so on. Then this. " + string(bytes.Repeat([]byte("Words. "), 300)))
		assert.Equal(t, want, reported(), "%s, in a stream, before its end", c.name)
		s.Close()
		assert.Empty(t, reported(), c.name)
	}
}

func TestNothingIsReportedOfATextOfNobody(t *testing.T) {
	l, reported := watched()
	for _, of := range []*Layer{l, l.Remember(NewSeenSecrets())} {
		text, _ := of.Mask(bobsValue)
		assert.NotContains(t, text.String(), bobsValue)
	}
	assert.Empty(t, reported())
}

func TestAGuestIsReportedInPlaceOfTheUser(t *testing.T) {
	l, reported := watched()
	l.Remember(SeenSecretsOf("ann")).By("a guest").Mask(annsValue)
	assert.Equal(t, []string{"a guest: ann's token"}, reported())
}

func TestSecretsThatCouldBeGuessedAreNamedByTheirOrigins(t *testing.T) {
	for _, c := range []struct {
		value     string
		guessable bool
	}{
		{"xyzzy", true},
		{"password", true},
		{"hunter2", true},
		{"1234567890123456", true},
		{"aaaaaaaaaaaaaaaaaaaaaaaa", true},
		{"abcabcabcabcabcabcabc", true},
		{"production-database", true},
		{"0123456789abcdef0123456789abcdef", true},
		{"9f1c07d3e28b4a65b0c7", false},
		{"Tr0ub4dor&cU6bxqW9", false},
		{"telemetry-53b1f3c2a7e94d0862fbc1a05e77d92b4c6a1f08", false},
		{"VGQ3XK7PM2LDW5RHN8TYB4CJSA", false},
	} {
		l := NewLayer(Secrets(Secret{Value: c.value, From: "its origin"}), KnownSecrets("word"))
		var want []string
		if c.guessable {
			want = []string{"its origin"}
		}
		assert.Equal(t, want, l.Guessable(), c.value)
	}
}

// jsonOf returns a value as JSON.
func jsonOf(v any) json.RawMessage {
	raw, _ := json.Marshal(v) // strings and maps encode
	return raw
}
