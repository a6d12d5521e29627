package blind

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// contexts has two templates of each kind, one of them without a name.
const contexts = `# comment

sentence	The {words} is {secret}.
sentence	I found {secret} on {~[0-9]{4}-0[1-9]~}
setting	{SETTING}={secret}\nDEBUG=true
setting	{secret}\tin the file
code	const {Setting} = "{secret}\\n"
code	f("{secret}")
command	run --{setting} {secret}
command	curl https://{secret}@host
log	{setting}: {secret}
log	{secret}
`

const families = "alpha\tself\talp_[a-z]{20}\tALPHA_API_KEY\tAlpha key,Alpha token\tvendor\n" +
	"beta\tnamed\t[0-9a-f]{32}\tBETA_TOKEN\tBeta token\tvendor\n" +
	"gamma\tself\tdb://user:([a-z]{16})@host\tGAMMA_URL\tGamma address\tvendor\n"

const clean = "sentence\tCommit {~[0-9a-f]{40}~} is fine.\nlog\tnothing to do\n"

// write creates a corpus with the given files and returns its folder.
func write(t *testing.T, families, contexts, clean string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"families": families, "contexts": contexts, "clean": clean} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".txt"), []byte(text), 0o600))
	}
	return dir
}

// load reads the small corpus above.
func load(t *testing.T) *Corpus {
	t.Helper()
	c, err := Load(write(t, families, contexts, clean))
	require.NoError(t, err)
	return c
}

func TestTheSameSeedGivesTheSameTexts(t *testing.T) {
	c := load(t)
	assert.Equal(t, c.Secrets(100, 7), c.Secrets(100, 7))
	assert.Equal(t, c.CleanTexts(100, 7), c.CleanTexts(100, 7))
	assert.NotEqual(t, c.Secrets(100, 7), c.Secrets(100, 8), "another seed gives other texts")
	assert.NotEqual(t, c.CleanTexts(100, 7), c.CleanTexts(100, 8))
}

func TestEveryFamilyIsWrittenInEveryKind(t *testing.T) {
	count := map[[2]string]int{}
	for _, s := range load(t).Secrets(30, 1) {
		count[[2]string{s.Family, s.Kind}]++
	}
	for _, family := range []string{"alpha", "beta", "gamma"} {
		for _, kind := range Kinds {
			assert.Equal(t, 2, count[[2]string{family, kind}], "%s, %s", family, kind)
		}
	}
}

func TestSecretsOfTheClassNamedAlwaysStandBesideAName(t *testing.T) {
	for _, s := range load(t).Secrets(300, 1) {
		if s.Class == "named" {
			assert.Regexp(t, `(?i)beta`, s.Text)
		}
	}
}

func TestPlaceholdersEscapesAndRandomPartsAreFilled(t *testing.T) {
	texts := map[string]bool{}
	mask := regexp.MustCompile(`alp_[a-z]{20}|[0-9a-f]{32}|db://user:[a-z]{16}@host`)
	for _, s := range load(t).Secrets(300, 1) {
		assert.NotRegexp(t, `\{|~`, s.Text)
		texts[mask.ReplaceAllString(s.Text, "§")] = true
	}
	for _, want := range []string{"The Alpha token is §.", "The Beta token is §.", "ALPHA_API_KEY=§\nDEBUG=true",
		"§\tin the file", `const gammaUrl = "§\n"`, "run --beta_token §"} {
		assert.True(t, texts[want], "%q is missing in %q", want, slices.Sorted(maps.Keys(texts)))
	}
}

func TestTheCaptureGroupMarksTheSecretPart(t *testing.T) {
	for _, s := range load(t).Secrets(30, 1) {
		switch s.Family {
		case "gamma":
			assert.Regexp(t, `^[a-z]{16}$`, s.Secret)
			assert.Contains(t, s.Text, "db://user:"+s.Secret+"@host")
		case "alpha":
			assert.Regexp(t, `^alp_[a-z]{20}$`, s.Secret)
		}
	}
}

func TestConnectionStringsAreNotPutIntoOtherAddresses(t *testing.T) {
	tokens := 0
	for _, s := range load(t).Secrets(300, 1) {
		if strings.HasPrefix(s.Text, "curl https://") {
			assert.Equal(t, "alpha", s.Family)
			tokens++
		}
	}
	assert.Positive(t, tokens)
}

func TestCleanTextsAreDifferentAndUseEveryTemplate(t *testing.T) {
	c := load(t)
	seen := map[HarmlessText]bool{}
	for _, text := range c.CleanTexts(50, 1) {
		assert.False(t, seen[text], "%q occurs twice", text)
		seen[text] = true
	}
	assert.GreaterOrEqual(t, len(seen), 50)
	assert.True(t, seen[HarmlessText{"log", "nothing to do"}])
	c.Clean = c.Clean[1:]
	assert.Len(t, c.CleanTexts(50, 1), 1, "templates without random parts end the expansion")
}

func TestASecretIsVisibleWhenMoreThanAQuarterIsLeft(t *testing.T) {
	s := Sample{Text: "key: tok_abcdefghijkl, tok_ is its prefix", Secret: "tok_abcdefghijkl"}
	for cleaned, visible := range map[string]bool{
		s.Text:                         true,
		"key: [REDACTED], tok_":        false,
		"key: [REDACTED]hijkl":         true,
		"key: [REDACTED]ijkl":          false,
		"key: tok_[REDACTED]":          false,
		"key: tok_a[REDACTED]":         true,
		"key: abcd ef gh ij kl, tok_ ": false,
	} {
		assert.Equal(t, visible, s.IsVisibleIn(cleaned), cleaned)
	}
	s = Sample{Text: "pin 735912", Secret: "735912"}
	assert.False(t, s.IsVisibleIn("pin [REDACTED]912"), "three bytes of a short secret")
	assert.True(t, s.IsVisibleIn("pin [REDACTED]5912"))
	s = Sample{Text: "the staging host, password stagingpw123", Secret: "stagingpw123"}
	assert.False(t, s.IsVisibleIn("the staging host, password [REDACTED]"), "parts that the text has elsewhere")
}

func TestLoadNamesTheMistakeAndItsPlace(t *testing.T) {
	for name, test := range map[string]struct{ families, contexts, clean, want string }{
		"a field too few":    {"a\tself\tx{9}\tA\tb\n", contexts, clean, "families.txt:1: 5 fields instead of 6"},
		"a broken regexp":    {"a\tself\t[x\tA\tb\tc\n", contexts, clean, "families.txt:1: error parsing"},
		"two groups":         {"a\tself\t(x)(y)\tA\tb\tc\n", contexts, clean, "more than one capture group"},
		"an unknown class":   {"a\tother\tx\tA\tb\tc\n", contexts, clean, `unknown class "other"`},
		"no setting name":    {"a\tself\tx\t,\tb\tc\n", contexts, clean, "needs a setting name and words"},
		"a family twice":     {families + families, contexts, clean, "families.txt:4: family alpha is listed twice"},
		"an unknown kind":    {families, contexts + "poem\t{secret}\n", clean, `unknown kind "poem"`},
		"two secrets":        {families, contexts + "log\t{secret}{secret}\n", clean, "occurs 2 times instead of 1"},
		"a secret in clean":  {families, contexts, "log\t{secret}\n", "clean.txt:1: {secret} occurs 1 times"},
		"a broken part":      {families, contexts, "log\t{~[x~}\n", "clean.txt:1: error parsing"},
		"a kind without one": {families, "log\t{secret}\n", clean, "no template of kind sentence with a name"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Load(write(t, test.families, test.contexts, test.clean))
			assert.ErrorContains(t, err, test.want)
		})
	}
	_, err := Load(t.TempDir())
	assert.ErrorIs(t, err, os.ErrNotExist)
}

// corpora returns the folders of this package that hold a corpus.
func corpora(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*/families.txt")
	require.NoError(t, err)
	for i := range files {
		files[i] = filepath.Dir(files[i])
	}
	return files
}

func TestEveryFamilyAndTemplateOfEachCorpusIsUsed(t *testing.T) {
	for _, dir := range corpora(t) {
		c, err := Load(dir)
		require.NoError(t, err)
		for i := range c.Contexts {
			c.Contexts[i].Text += fmt.Sprint("\x00", i) // tells which template made the text
		}
		families, contexts := map[string]int{}, map[string]bool{}
		for _, s := range c.Secrets(3000, 1) {
			assert.NotRegexp(t, `\{(?:secret|words|SETTING|setting|Setting)\}|\{~|~\}`, s.Text)
			assert.Contains(t, s.Text, s.Secret)
			_, index, _ := strings.Cut(s.Text, "\x00")
			families[s.Family]++
			contexts[index] = true
		}
		for _, f := range c.Families {
			assert.GreaterOrEqual(t, families[f.ID], len(Kinds), "%s: family %s", dir, f.ID)
		}
		assert.Len(t, contexts, len(c.Contexts), "%s: contexts", dir)
		assert.GreaterOrEqual(t, len(c.CleanTexts(1500, 1)), 1500, "%s: clean texts", dir)
	}
}
