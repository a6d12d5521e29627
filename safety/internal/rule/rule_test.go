package rule

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety/internal/lex"
)

// found returns what r matches at the first of its keywords in text whose context fits,
// or "".
func found(r Rule, text string) string {
	for at := range len(text) {
		for _, keyword := range r.Keywords {
			end := at + len(keyword)
			stands := strings.HasPrefix(text[at:], keyword) || r.Fold && lex.HasFold(text, at, strings.ToLower(keyword))
			if !stands || !r.Fits(text, at, end) {
				continue
			}
			if from, to := r.Match(text, at, end); to > from {
				return text[from:to]
			}
		}
	}
	return ""
}

// random is a string that looks generated; the tests use it as the body of tokens.
var random = "aB3d9Kq7" + "Zr5Tn2Mb4Lc6"

func TestKindsOfTokenRulesFindTheirTokens(t *testing.T) {
	for _, c := range []struct {
		what       string
		rule       Rule
		text, want string
	}{
		{"a token", Token("r", "tok_{a20}"), "x tok_" + random + ".", "tok_" + random},
		{"a token that goes on", Token("r", "tok_{a20}"), "tok_" + random + "xyz", "tok_" + random + "xyz"},
		{"a token inside a word", Token("r", "tok_{a20}"), "xtok_" + random, ""},
		{"a token in capitals", Token("r", "tok_{a20}"), "TOK_" + random, ""},
		{"a placeholder", Token("r", "tok_{a20}"), "tok_" + strings.Repeat("x", 20), ""},
		{"the second format", Token("r", "tok_{a20}", "key_{a20}"), "key_" + random, "key_" + random},
		{"a keyword of two bytes", Token("r", "tk{a20}"), "tk" + random, "tk" + random},
		{"a loose token inside a word", LooseToken("r", "tok_{a20}"), "xtok_" + random, "tok_" + random},
		{"a folding token in capitals", FoldToken("r", "tok_{a20}"), "TOK_" + random, "TOK_" + random},
		{"a folding token with a left part", FoldToken("r", "a-{d2}<-tok_>{a20}"),
			"A-12-Tok_" + random, "A-12-Tok_" + random},
		{"a random token", RandomToken("r", "tok_{a20}"), "tok_" + random, "tok_" + random},
		{"words after the prefix of a random token", RandomToken("r", "tok_{a20}"),
			"tok_abcdefghijabcdefghij", ""},
		{"an exact token", ExactToken("r", "tok_{a20}"), "tok_" + random, "tok_" + random},
		{"an exact token and a letter", ExactToken("r", "tok_{a20}"),
			"tok_" + random + "n", "tok_" + random + "n"},
		{"an exact token and two letters", ExactToken("r", "tok_{a20}"), "tok_" + random + "nn", ""},
		{"a link with a scheme", Link("r", "hooks.test/{a20}"),
			"<https://hooks.test/" + random, "https://hooks.test/" + random},
		{"a link with http", Link("r", "hooks.test/{a20}"),
			"HTTP://hooks.test/" + random, "HTTP://hooks.test/" + random},
		{"a link without a scheme", Link("r", "hooks.test/{a20}"),
			"at hooks.test/" + random, "hooks.test/" + random},
		{"an isolated token", Token("r", "tok{a20}").Isolated(), " tok" + random, "tok" + random},
		{"base64 before an isolated token", Token("r", "tok{a20}").Isolated(), "+tok" + random, ""},
		{"base64 after an isolated token", Token("r", "tok{a20}").Isolated(), "tok" + random + "+a", ""},
	} {
		assert.Equal(t, c.want, found(c.rule, c.text), c.what)
	}
}

func TestTokenRuleHasItsFormatsAsHits(t *testing.T) {
	r := Token("id", "tok_{a20}", "tok_x{a20}", "tok_{a30}").Except("tok_a miss").Except("another")
	assert.Equal(t, "id", r.ID)
	assert.Equal(t, ByShape, r.Specificity)
	assert.Equal(t, []string{"tok_{a20}", "tok_x{a20}", "tok_{a30}"}, r.Hits)
	assert.Equal(t, []string{"tok_a miss", "another"}, r.Misses)
	assert.Equal(t, []string{"tok_"}, r.Keywords, "a keyword that begins with another one is left out")
}

func TestContextIsWhatEveryFormatRequires(t *testing.T) {
	for _, c := range []struct {
		what       string
		rule       Rule
		prev, next string // some bytes that may stand before and after a keyword
		not        string // some bytes that may stand on neither side
	}{
		{"a left literal", Token("r", "{a2}-<abc>{d3}"), "-", "0123456789", "a _"},
		{"a left literal that folds", FoldToken("r", "x<abc>{d3}"), "xX", "09", "ya "},
		{"a left run", Token("r", "{d2}<abc>{d3}"), "0123456789", "0123456789", "a-"},
		{"several formats", Token("r", "{d2}<abc>{d3}", "{z2}<abd>{z3}"), "0aZ", "0aZ", "-_"},
		{"no left part", Token("r", "abc{d3}"), " =n3", "0123456789", "zZ"},
	} {
		for _, b := range []byte(c.prev) {
			assert.True(t, c.rule.Prev[b], "%s: %q before", c.what, b)
		}
		for _, b := range []byte(c.next) {
			assert.True(t, c.rule.Next[b], "%s: %q after", c.what, b)
		}
		for _, b := range []byte(c.not) {
			assert.False(t, c.rule.Prev[b] || c.rule.Next[b], "%s: %q", c.what, b)
		}
	}
	assert.Equal(t, 2, Token("r", "abc{d3}", "abd{d5}").Skip, "the shortest run decides")
	assert.Equal(t, 3, Token("r", "ab{d5}").Skip, "the first byte of the run belongs to the keyword")
	assert.Nil(t, LooseToken("r", "abc{d3}").Prev, "a loose token may follow anything")
	assert.Nil(t, Token("r", "{d0-3}<abc>{d3}").Prev, "an empty run allows any byte before it")
	assert.Nil(t, Token("r", "abc{d0+}").Next, "an empty run allows any byte after it")
	assert.Nil(t, Token("r", "abcdef").Next)
}

func TestWithLookaheadReportsEveryMissAsCostly(t *testing.T) {
	r := Token("r", "tok_{a20}").WithLookahead(64)
	assert.Equal(t, 64, r.Lookahead)
	from, to := r.Match("tok_-", 0, 4)
	assert.Equal(t, []int{Costly, Costly}, []int{from, to})
	from, to = r.Match("tok_"+random, 0, 4)
	assert.Equal(t, []int{0, 24}, []int{from, to})
}

func TestSpreadAppendsEachByteOfTheClass(t *testing.T) {
	assert.Equal(t, []string{"<|0", "<|1", "<|a"}, Spread("<|", lex.NewClass("a0-1")))
}

func TestActionsAreReadAndWrittenByName(t *testing.T) {
	for action, name := range map[Action]string{
		Redact: "redact", Block: "block", Warn: "warn", Review: "review", Sanitize: "sanitize",
	} {
		out, err := json.Marshal(action)
		require.NoError(t, err)
		assert.Equal(t, `"`+name+`"`, string(out))
		for _, spelling := range []string{name, strings.ToUpper(name)} {
			got := Action(99)
			require.NoError(t, got.UnmarshalText([]byte(spelling)))
			assert.Equal(t, action, got)
		}
	}
	a := Block
	err := a.UnmarshalText([]byte("mask"))
	require.ErrorContains(t, err, `unknown action "mask"`)
	require.ErrorContains(t, err, "redact, block, warn, review, sanitize")
	assert.Equal(t, Block, a, "an error leaves the action as it was")
}
