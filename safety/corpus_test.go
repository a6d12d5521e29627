package safety_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"hash"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
)

var (
	update = flag.Bool("update-corpus", false, "rewrite testdata/corpus.txt")
	dump   = flag.String("dump", "", "write every output of the corpus to this file, to compare with another build's")
)

// TestCorpusOutputIsUnchanged holds every output for a fixed set of texts to a
// recorded hash, section by section, so that a refactoring which changes what is
// found, masked or reported anywhere is seen. To locate a difference, write the
// outputs of both builds with -dump and compare the files.
func TestCorpusOutputIsUnchanged(t *testing.T) {
	if safety.WithRaceDetector {
		t.Skip("five times as slow with the race detector, and starts no goroutine; it runs without")
	}
	golden := filepath.Join("testdata", "corpus.txt")
	want := map[string]string{}
	if recorded, err := os.ReadFile(golden); err == nil {
		for line := range strings.Lines(string(recorded)) {
			name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
			want[name] = rest
		}
	}
	out := io.Discard
	if *dump != "" {
		f, err := os.Create(*dump)
		require.NoError(t, err)
		defer f.Close()
		out = f
	}
	var all strings.Builder
	rules := map[string]bool{}
	for _, s := range sections(t) {
		c := newCheck(s.options, out, rules)
		for _, text := range s.texts {
			c.text(text)
		}
		got := fmt.Sprintf("%d texts %d findings %x effects %x", len(s.texts), c.findings, c.sum.Sum(nil),
			c.effects.Sum(nil)[:8])
		fmt.Fprintln(&all, s.name, got)
		if !*update {
			assert.Equal(t, want[s.name], got, "section %s is cleaned otherwise than recorded", s.name)
		}
	}
	for _, id := range ruleIDs(t) {
		assert.True(t, rules[id], "no text of the corpus is a case of rule %s", id)
	}
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(all.String()), 0o644))
	}
}

// section is a part of the corpus, cleaned by a layer of its own.
type section struct {
	name    string
	texts   []string
	options []safety.Option
}

func sections(t *testing.T) []section {
	rules := templates(t, "rule ")
	lines, misses, words := templates(t, "line"), templates(t, "miss"), templates(t, "text")
	var hits []string
	for k, template := range rules {
		hits = append(hits, fill(template, uint64(k)))
	}
	return []section{
		{"hits", hits, nil},
		{"surroundings", surrounded(hits), nil},
		{"misses", filled(misses, 100), nil},
		{"words", filled(words, 200), nil},
		{"lines", append(filled(lines, 300), filled(lines, 9000)...), nil},
		{"evasions", evasions(hits), nil},
		{"named", namedValues(), nil},
		{"json", values(hits), nil},
		{"documents", documents(hits, filled(append(lines, misses...), 5)), nil},
		{"soup", soup(append(append([]string{}, hits...), filled(append(words, lines...), 7)...)), nil},
		{"repetitions", repetitions(), nil},
		{"files", files(t), nil},
		{"short", documents(hits, filled(words, 11)), []safety.Option{safety.MaxBytes(700)}},
		{"policy", policyTexts(), policyOptions(t)},
		{"overlaps", overlapping(hits), generalRulesWarn()},
	}
}

// count is a finding without its severity and effect, which have a hash of their own.
type count struct {
	rule string
	n    int
}

// check cleans texts in every way there is and hashes what comes of it.
type check struct {
	layer    *safety.Layer
	sum      hash.Hash
	effects  hash.Hash // of the findings with their severities and effects
	out      io.Writer
	findings int
	rules    map[string]bool
}

func newCheck(options []safety.Option, out io.Writer, rules map[string]bool) *check {
	sum := sha256.New()
	return &check{
		layer: safety.NewLayer(options...), sum: sum, effects: sha256.New(), out: io.MultiWriter(sum, out),
		rules: rules,
	}
}

func (c *check) report(kind, out string, r safety.Report) {
	var counts []count
	for _, f := range r.Findings {
		c.findings += f.Count
		c.rules[f.Rule] = true
		counts = append(counts, count{f.Rule, f.Count})
	}
	fmt.Fprintf(c.out, "%s %q %v %v\n", kind, out, r.Verdict, counts)
	fmt.Fprintf(c.effects, "%v\n", r.Findings)
}

func (c *check) text(text string) {
	fmt.Fprintf(c.out, "text %q leaks %d\n", text, c.layer.Leaks(text))
	masked, r := c.layer.Mask(text)
	c.report("mask", masked.String(), r)
	clean, r := c.layer.Clean(text)
	c.report("clean", clean.String(), r)
	for _, sizes := range [][]int{{1}, {2, 13, 5}, {700, 64}} {
		if len(text) > 20*sizes[0]*sizes[0]*sizes[0]+300 {
			continue
		}
		out, r := c.streamed(text, sizes)
		c.report("stream", out, r)
	}
	if b, err := json.Marshal(map[string]any{"note": text, "password": text, text: 1}); err == nil && len(text) < 1000 {
		value, r := c.layer.CleanJSON(b)
		c.report("json", string(value.Raw()), r)
	}
	value, r := c.layer.CleanJSON([]byte(text))
	c.report("raw", string(value.Raw()), r)
}

// streamed is the text in pieces of the given sizes, each output marked off.
func (c *check) streamed(text string, sizes []int) (string, safety.Report) {
	s, at := safety.Eager(c.layer.Stream()), 0
	var out strings.Builder
	for n := 0; at < len(text); n++ {
		to := min(len(text), at+sizes[n%len(sizes)])
		if piece := s.Write(text[at:to]); piece != "" {
			fmt.Fprintf(&out, "%d:%s|", n, piece)
		}
		at = to
	}
	rest, r := s.Close()
	return out.String() + rest, r
}

// templates are the corpus's texts of a kind, not filled in yet.
func templates(t *testing.T, kind string) (all []string) {
	f, err := os.Open(filepath.Join("testdata", "templates.txt"))
	require.NoError(t, err)
	defer f.Close()
	for scan := bufio.NewScanner(f); scan.Scan(); {
		k, quoted, ok := strings.Cut(scan.Text(), "\t")
		require.True(t, ok)
		text, err := strconv.Unquote(quoted)
		require.NoError(t, err, quoted)
		if strings.HasPrefix(k, kind) {
			all = append(all, text)
		}
	}
	require.NotEmpty(t, all)
	return all
}

// ruleIDs are the rules the corpus has a case of.
func ruleIDs(t *testing.T) (ids []string) {
	b, err := os.ReadFile(filepath.Join("testdata", "templates.txt"))
	require.NoError(t, err)
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "rule "); ok {
			id, _, _ := strings.Cut(rest, "\t")
			ids = append(ids, id)
		}
	}
	return append(ids, "secret-field", "invisible-text", "known-secret", "acme-key", "acme-beside", "our-phrase")
}

const (
	lower = "abcdefghijklmnopqrstuvwxyz"
	upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digit = "0123456789"
)

// alphabets are what a template's braces may ask for.
var alphabets = map[byte]string{
	'a': upper + lower + digit, 'b': upper + lower + digit + "+/", 'd': digit, 'e': "=", 'g': "abcdefghABCDEFGH" +
		digit, 'h': digit + "abcdef",
	'H': digit + "ABCDEF", 'j': upper + lower + digit + `/\_-`, 'k': upper + lower + digit + "_-", 'l': lower + digit,
	'n': upper + lower + digit + "-",
	'p': upper + lower + digit + "_.=-", 'q': upper + lower + digit + "_~.-", 's': upper + lower + digit + "_=-",
	't': upper + "234567",
	'u': upper + digit, 'w': upper + lower + digit + "_", 'x': digit + "ABCDEFabcdef", 'y': upper + lower + digit +
		"+/_=-", 'z': upper + lower,
	'%': upper + lower + digit + "%",
}

// fill makes a text of a template: {a12} becomes twelve letters and digits, %h40
// forty hex digits, § a password, and {} nothing. The repository so holds no text
// that looks like a live credential.
func fill(template string, seed uint64) string {
	rng := rand.New(rand.NewPCG(seed, 41))
	var b strings.Builder
	for i := 0; i < len(template); {
		kind, n, next := hole(template, i)
		switch {
		case next == 0:
			b.WriteByte(template[i])
			i++
			continue
		case kind != 0:
			b.WriteString(drawn(rng, alphabets[kind], n))
		}
		i = next
	}
	return strings.NewReplacer("§", drawn(rng, alphabets['a'], 14)+"7", "¤", "github", "±",
		"api_key").Replace(b.String())
}

// hole reads what is to be filled at i: {a12}, {a12+}, {a12-20}, {} or %h12.
func hole(s string, i int) (kind byte, n, next int) {
	if strings.HasPrefix(s[i:], "{}") {
		return 0, 0, i + 2
	}
	if i+2 >= len(s) || s[i] != '{' && s[i] != '%' || alphabets[s[i+1]] == "" || strings.IndexByte(digit, s[i+2]) < 0 {
		return 0, 0, 0
	}
	j := i + 2
	for ; j < len(s) && strings.IndexByte(digit, s[j]) >= 0 && n < 1000; j++ {
		n = n*10 + int(s[j]-'0')
	}
	if s[i] == '%' {
		return s[i+1], n, j
	}
	end := strings.IndexByte(s[j:], '}')
	if end < 0 {
		return 0, 0, 0
	}
	return s[i+1], n, j + end + 1
}

// drawn is n bytes of an alphabet, with a digit and both cases among them where
// it has them, which begin and end with a letter or digit where it has those.
func drawn(rng *rand.Rand, alphabet string, n int) string {
	has := func(s, set string) bool { return strings.ContainsAny(s, set) || !strings.ContainsAny(alphabet, set) }
	for try := 0; ; try++ {
		out := make([]byte, n)
		for i := range out {
			out[i] = alphabet[rng.IntN(len(alphabet))]
		}
		s := string(out)
		if alphabet == "=" || n == 0 || try == 200 {
			return s
		}
		if strings.ContainsAny(s[:1]+s[n-1:], "-._=~") || n > 4 && !(has(s, digit) && has(s, lower) && has(s, upper)) {
			continue
		}
		return s
	}
}

func filled(templates []string, seed uint64) (all []string) {
	for k, t := range templates {
		all = append(all, fill(t, seed+uint64(k)))
	}
	return all
}
