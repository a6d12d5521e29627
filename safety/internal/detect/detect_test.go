package detect

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
	"candor/safety/internal/ruletest"
)

// found returns the texts that the rules find in s, by the id of their rule.
func found(d *Detector, s string) map[string]string {
	all := map[string]string{}
	for _, sp := range d.Inspect(s, nil) {
		all[d.Rules[sp.Rule].ID] = s[sp.From:sp.To]
	}
	return all
}

// token is a made-up token that identifies itself.
func token() string { return ruletest.Fill("ghp_{a36}", 11) }

func TestInspectFindsATokenUnderEachEncoding(t *testing.T) {
	d, key := New(allRules()), token()
	for _, tt := range []struct{ name, hidden string }{
		{"as it stands", key},
		{"percent-encoded", url.QueryEscape(strings.Replace(key, "_", "\x5f", 1))},
		{"with an escaped underscore", strings.Replace(key, "_", "%5F", 1)},
		{"in base64", encode("the key is " + key)},
		{"in base64 of base64", encode(encode("key " + key))},
		{"in hex", hex.EncodeToString([]byte(key))},
		{"in hex behind 0x", "0x" + hex.EncodeToString([]byte(key))},
		{"as a row of bytes", spaced(hex.EncodeToString([]byte(key)))},
		{"in full-width letters", strings.Replace(key, "ghp", "ｇｈｐ", 1)},
		{"torn over two literals", key[:20] + `" + "` + key[20:]},
		{"torn over two lines", key[:20] + "\\\n" + key[20:]},
		{"in base64 of base64 of base64", encode(encode(encode("the key " + key)))},
		{"in base64 behind one character of its alphabet", "a" + encode("the key is "+key)},
		{"in base64 behind two", "ab" + encode("the key is "+key)},
		{"in base64 behind three", "abc" + encode("the key is "+key)},
		{"in base64 of UTF-16", encode(wide("the key is " + key))},
		{"as a row of octal numbers", numbers("%03o", key)},
		{"as a row of decimal numbers", numbers("%d", key)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := `I set it to "` + tt.hidden + `" and go on.`
			got := found(d, s)
			require.Contains(t, got, "github-pat")
			assert.Equal(t, strings.TrimRight(tt.hidden, "="), strings.Trim(got["github-pat"], " ="),
				"the finding covers what hides the token")
		})
	}
}

func encode(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

// spaced writes a blank between two digits and the next two.
func spaced(digits string) string {
	var pairs []string
	for pair := range slices.Chunk([]byte(digits), 2) {
		pairs = append(pairs, string(pair))
	}
	return strings.Join(pairs, " ")
}

// wide returns a text of ASCII in UTF-16.
func wide(text string) string { return strings.Join(strings.Split(text, ""), "\x00") + "\x00" }

// numbers writes each byte as a number.
func numbers(verb, text string) string {
	var all []string
	for _, b := range []byte(text) {
		all = append(all, fmt.Sprintf(verb, b))
	}
	return strings.Join(all, " ")
}

func TestAFindingCoversThePaddingOfBase64(t *testing.T) {
	hidden := encode("a key " + token())
	require.True(t, strings.HasSuffix(hidden, "="), "otherwise there is nothing to cover")
	assert.Equal(t, hidden, found(New(allRules()), "see "+hidden+" there")["github-pat"])
}

func TestEachEncodedTextIsDecoded(t *testing.T) {
	d := New(allRules())
	hidden := encode("the key is " + ruletest.Fill("ghp_{a36}", 12))
	s := token() + " and " + hidden
	assert.Equal(t, hidden, found(d, s)["github-pat"], "behind a token that is masked anyway")
}

func TestDecodingStopsAtItsBudget(t *testing.T) {
	text := []byte("the key is " + token())
	p := probe{detector: New(allRules()), budget: len(text)}
	_, ok := p.decoded(text, 1)
	assert.True(t, ok)
	_, ok = p.decoded(text, 1)
	assert.False(t, ok, "the budget is spent")
}

func TestAKeywordIsFoundInEitherCase(t *testing.T) {
	d := New([]rule.Rule{{
		ID: "flag", Fold: true, Severity: rule.Low, Keywords: []string{"FLAGGED"},
		Match: func(_ string, at, end int) (int, int) { return at, end },
	}})
	assert.Len(t, d.Inspect("flagged, Flagged and FLAGGED", nil), 3)
}

func TestEveryNamedValueIsFound(t *testing.T) {
	s := "password=" + ruletest.Fill("{a14}7", 2) + " and secret=" + ruletest.Fill("{a14}7", 3)
	assert.Len(t, New(allRules()).Inspect(s, nil), 2)
}

// freeform returns a rule for tokens of any length behind tok_.
func freeform() rule.Rule {
	return rule.Rule{
		ID: "freeform", Specificity: rule.ByShape, Keywords: []string{"tok_"},
		Match: func(s string, at, end int) (int, int) {
			if to := lex.Alnum.Run(s, end, 1000); to-end >= 12 {
				return at, to
			}
			return 0, 0
		},
	}
}

func TestAWholeTokenThatGoesOnBehindAJointIsFoundToItsEnd(t *testing.T) {
	d := New([]rule.Rule{freeform()})
	first, second := "tok_"+ruletest.Fill("{a30}", 1), ruletest.Fill("{a24}", 2)
	for _, joint := range []string{`" + "`, "\\\n", "<b>", "\n"} {
		assert.Equal(t, first+joint+second, found(d, "x "+first+joint+second+"\nend")["freeform"], "%q", joint)
	}
}

func TestADigestBelowATokenIsKept(t *testing.T) {
	d := New([]rule.Rule{freeform()})
	first := "tok_" + ruletest.Fill("{a44}", 1)
	assert.Equal(t, first, found(d, first+"\n3f2a91c8d07be4456a1290cc8de77f0b1a2c3d4e\n")["freeform"])
}

func TestInspectFindsTokensGluedTogether(t *testing.T) {
	d := New(allRules())
	first, second := ruletest.Fill("AKIA{u16}", 2), ruletest.Fill("glpat-{a20}", 3)
	s := first + second + " end"
	spans := d.Merge(d.Inspect(s, nil), func(*rule.Rule) bool { return true })
	require.Len(t, spans, 1, "%q", s)
	assert.Equal(t, lex.Span{From: 0, To: len(s) - len(" end"), Rule: spans[0].Rule}, spans[0])
	// The second token of this pair may not start behind a letter.
	s = ruletest.Fill("glpat-{k27-300}.{l9}", 1) + ruletest.Fill("API-{u26}", 1) + " end"
	spans = d.Merge(d.Inspect(s, nil), func(*rule.Rule) bool { return true })
	require.Len(t, spans, 1, "%q", s)
	assert.Equal(t, len(s)-len(" end"), spans[0].To)
}

func TestATextIsHeldWhileAKeywordOfSeveralWordsMayFollow(t *testing.T) {
	const keyword = "open the pod bay doors"
	d := New([]rule.Rule{{
		ID: "doors", Fold: true, Keywords: []string{keyword},
		Match: func(_ string, at, end int) (int, int) { return at, end },
	}})
	for n := 1; n < len(keyword); n++ {
		assert.Equal(t, len("please "), d.Horizon("please "+keyword[:n]), "%q", keyword[:n])
	}
	assert.Greater(t, d.Horizon("please open the pod and go on "), len("please open the "))
}

func TestATextIsHeldWhileAMatchMayGoFurther(t *testing.T) {
	d := New([]rule.Rule{{
		ID: "open-ended", Keywords: []string{"tok:"}, Match: func(s string, at, end int) (int, int) {
			for end < len(s) && s[end] != ' ' {
				end++
			}
			return at, end
		},
	}})
	for text, want := range map[string]int{"a tok:密码abc": 2, "a tok:密码": 2, "a tok:密码 abc": len("a tok:密码 ")} {
		assert.Equal(t, want, d.Horizon(text), "%q", text)
	}
}

func TestInspectLeavesPlainTextAlone(t *testing.T) {
	d := New(allRules())
	for _, s := range []string{
		"", "k", "I read the token count in config.yaml and compare it with max_tokens.",
		"The digest is " + strings.Repeat("3f2a91c8", 5) + ".",
		"See " + encode("nothing to hide in this sentence") + ".",
		"It says [REDACTED:github-pat] there.",
	} {
		assert.Empty(t, d.Inspect(s, nil), "%q", s)
	}
}

func TestAWarningInAViewIsReportedOnce(t *testing.T) {
	d := New([]rule.Rule{{
		ID: "flag", Severity: rule.Low, Keywords: []string{"flagged"},
		Match: func(_ string, at, end int) (int, int) { return at, end },
	}})
	assert.Len(t, d.Inspect("flagged and %66lagged and é flagged", nil), 3)
	assert.Len(t, d.Inspect("flagged with a look-alike а", nil), 1, "found in the text and in its view")
}

func TestMergeJoinsWhatOverlapsOrTouches(t *testing.T) {
	redact := func(id string, by rule.Specificity) rule.Rule {
		return rule.Rule{ID: id, Severity: rule.High, Specificity: by}
	}
	d := &Detector{Rules: []rule.Rule{
		redact("named", rule.ByName), redact("shape", rule.ByShape),
		{ID: "role", Severity: rule.Low, Neutralise: true}, {ID: "flag", Severity: rule.Low},
	}}
	span := func(from, to, index int) lex.Span { return lex.Span{From: from, To: to, Rule: index} }
	edits := func(r *rule.Rule) bool { return r.Action() != rule.Warn }
	for _, tt := range []struct {
		name     string
		in, want []lex.Span
	}{
		{"nothing to keep", []lex.Span{span(0, 5, 3)}, nil},
		{"apart", []lex.Span{span(6, 9, 0), span(0, 5, 1)}, []lex.Span{span(0, 5, 1), span(6, 9, 0)}},
		{
			"overlapping: the more specific rule names it",
			[]lex.Span{span(0, 5, 0), span(3, 9, 1)}, []lex.Span{span(0, 9, 1)},
		},
		{"touching", []lex.Span{span(0, 5, 0), span(5, 9, 0)}, []lex.Span{span(0, 9, 0)}},
		{"touching a role marker", []lex.Span{span(0, 5, 0), span(5, 9, 2)}, []lex.Span{span(0, 5, 0), span(5, 9, 2)}},
		{
			"touching behind a role marker",
			[]lex.Span{span(0, 5, 2), span(5, 9, 0)}, []lex.Span{span(0, 5, 2), span(5, 9, 0)},
		},
		{"inside", []lex.Span{span(0, 9, 1), span(2, 4, 0)}, []lex.Span{span(0, 9, 1)}},
		{"a warning is dropped", []lex.Span{span(0, 5, 3), span(2, 4, 0)}, []lex.Span{span(2, 4, 0)}},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, d.Merge(tt.in, edits)) })
	}
}

// A rule for words is told where the token before its word ends, and whether a digit is near on either side.
func TestARuleForWordsLearnsWhatIsNear(t *testing.T) {
	type near struct {
		low    int
		digits bool
	}
	var got []near
	d := New([]rule.Rule{{
		ID: "dashed", Specificity: rule.ByShape, Keywords: []string{"tok_"}, Severity: rule.High,
		Match: func(s string, at, _ int) (int, int) { return at, at + strings.IndexByte(s[at:]+" ", ' ') },
	}, {
		ID: "word", Specificity: rule.ByName, Keywords: []string{"name"}, Severity: rule.High,
		Word: &rule.Word{
			End: func(_ string, at int) int { return at + len("name") }, Before: 4, Behind: 4,
			Match: func(_ string, low, _, _ int, digits bool) (int, int) {
				got = append(got, near{low, digits})
				return 0, 0
			},
		},
	}})
	for s, want := range map[string]near{
		"tok_abcdefghijkl name": {16, false}, "name: 7": {0, true},
		"7 is name": {0, false}, "7: name": {0, true}, "name is: 7": {0, false},
	} {
		got = nil
		d.Inspect(s, nil)
		assert.Equal(t, []near{want}, got, s)
	}
}

// TestWhatStandsBeforeTheHorizonIsFinal holds the horizon to its promise: whatever is
// appended, the findings that end before it stay the same.
func TestWhatStandsBeforeTheHorizonIsFinal(t *testing.T) {
	d := New(allRules())
	key := token()
	for _, text := range []string{
		"The token is " + key + " and it works. ",
		"password = " + ruletest.Fill("{a14}7", 2) + "\nnext line here\n",
		"See ![a picture](https://example.com/" + key + ") there, then go on with it.",
		"-----BEGIN " + "PRIVATE KEY-----\n" + strings.Repeat("QUJD", 16) +
			"\n-----END " + "PRIVATE KEY-----\n and more",
		"你好，令牌是 " + key + "。谢谢。然后继续。",
		"ｐａｓｓｗｏｒｄ is " + ruletest.Fill("{a14}7", 5) + " there, and go on.",
		"Look at ![a picture of the office](https://example.com/x?d=" + key + ") and go on.",
		"It is at postgres://app:密码" + ruletest.Fill("{a14}7", 6) + "@db.internal/app as before.",
		"Here it is: BEGIN RSA PRIVATE " + "KEY\n" + strings.Repeat("QUJD", 16) + "\n" + strings.Repeat("QUJD", 16) +
			"\nEND RSA PRIVATE " + "KEY\nand more of it\n",
		"00000000: 7061 7373 776f 7264  password\n00000008: 3a20 6875 6e74 6572  : hunter\nend of it\n",
		key[:20] + "\\\n" + key[20:] + " follows " + encode("key "+key) + " now",
	} {
		whole := d.Inspect(text, nil)
		for cut := range len(text) {
			head := text[:cut]
			h := d.Horizon(head)
			require.LessOrEqual(t, h, cut)
			require.Equal(t, before(whole, h), before(d.Inspect(head, nil), h), "cut at %d of %q", cut, text)
			require.False(t, slices.ContainsFunc(whole, func(sp lex.Span) bool { return sp.From < h && sp.To > h }),
				"no finding is let go in part: cut at %d of %q", cut, text)
		}
	}
	assert.GreaterOrEqual(t, d.Horizon("plain words and more words "), len("plain words and "),
		"plain words are final at once")
	assert.Less(t, d.Horizon("the password is "), len("the password is "), "a value may follow")
}

// before returns the spans that end before h, in order.
func before(spans []lex.Span, h int) []lex.Span {
	kept := slices.DeleteFunc(append([]lex.Span{}, spans...), func(sp lex.Span) bool { return sp.To > h })
	slices.SortFunc(kept, func(a, b lex.Span) int {
		if a.From != b.From {
			return a.From - b.From
		}
		return a.Rule - b.Rule
	})
	return kept
}

// Texts can be encoded in each other without end; the budget ends that.
func TestDecodedBytesCountAgainstTheBudget(t *testing.T) {
	p := probe{detector: New(allRules()), budget: 100}
	out := []byte("the key is " + token())
	_, ok := p.decoded(out, 1)
	assert.True(t, ok)
	assert.LessOrEqual(t, p.budget, 100-len(out))
	_, ok = p.decoded([]byte(strings.Repeat(" ", 60)+token()), 1)
	assert.False(t, ok, "nothing is left for it")
}
