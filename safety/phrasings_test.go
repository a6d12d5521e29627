package safety

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety/internal/ruletest"
)

// phrasings returns the sentences of testdata/phrasings.txt that hold a value, and those that
// hold none.
func phrasings(t *testing.T) (named, clean []string) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "phrasings.txt"))
	require.NoError(t, err)
	defer f.Close()
	for scan := bufio.NewScanner(f); scan.Scan(); {
		line := strings.ReplaceAll(scan.Text(), `\n`, "\n")
		if harmless, ok := strings.CutPrefix(line, "clean: "); ok {
			clean = append(clean, harmless)
		} else if line[0] != '#' {
			named = append(named, line)
		}
	}
	require.Greater(t, len(named), 100)
	require.Greater(t, len(clean), 80)
	return named, clean
}

// phrased fills in a sentence once for each kind of value. It returns the texts and their values.
func phrased(sentence string, seed uint64) (texts, values []string) {
	for _, kind := range [][3]string{
		{"access token", "ACCESS_TOKEN", "{a32}"},
		{"Stripe API key", "STRIPE_API_KEY", "{h32}"},
		{"Mailroom key", "MAILROOM_KEY", "{h8}-{h4}-{h4}-{h4}-{h12}"},
		{"storage account key", "STORAGE_KEY", "{b43}="},
		{"database password", "DB_PASSWORD", "{a6}!{a4}7{a2}"},
	} {
		value := ruletest.Fill(kind[2], seed)
		values = append(values, value)
		texts = append(texts, strings.NewReplacer("¤", kind[0], "¥", kind[1], "§", value).Replace(sentence))
	}
	return texts, values
}

// The rate is a little below what the rules reach, since a few random values look like words.
func TestSentencesThatNameTheirSecretShowItSeldom(t *testing.T) {
	l, total, missed := NewLayer(), 0, []string(nil)
	named, _ := phrasings(t)
	for k, sentence := range named {
		texts, values := phrased(sentence, uint64(k))
		for i, text := range texts {
			total++
			if out, _ := l.Mask(text); strings.Contains(out.String(), values[i]) {
				missed = append(missed, text)
			}
		}
	}
	t.Logf("%d of %d are shown", len(missed), total)
	assert.LessOrEqual(t, len(missed)*100, total*maxShownPhrasings, "shown: %q", missed[:min(len(missed), 20)])
}

// maxShownPhrasings is how many of a hundred such sentences may show their secret.
const maxShownPhrasings = 1

func TestSentencesOfTheSameBuildStayAsTheyAre(t *testing.T) {
	l := plainLayer()
	_, clean := phrasings(t)
	for k, sentence := range clean {
		sentence = ruletest.Fill(sentence, uint64(k))
		out, _ := l.Mask(sentence)
		assert.Equal(t, sentence, out.String())
	}
}

// A value in front of its name is masked though a stream has read it by then.
func TestAStreamHoldsAValueBackUntilItsNameHasCome(t *testing.T) {
	l := plainLayer()
	named, clean := phrasings(t)
	for k, sentence := range append(named, clean...) {
		texts, _ := phrased(sentence, uint64(k))
		text := "Before it. " + texts[k%len(texts)] + " And after it, more words follow, and some more."
		whole, _ := l.Mask(text)
		for _, s := range []*Stream{l.Stream().eager(), l.Stream()} {
			joined, _, _ := written(s, text, 1+k%7)
			require.Equal(t, whole.String(), joined)
		}
	}
}
