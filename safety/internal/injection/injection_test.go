package injection

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety/internal/rule"
	"candor/safety/internal/ruletest"
)

func TestEveryRuleFindsItsHits(t *testing.T) {
	for _, r := range Rules() {
		require.NotEmpty(t, r.Hits, r.ID)
		for _, text := range r.Hits {
			assert.NotEmpty(t, ruletest.Matches(&r, text), "%s: %q", r.ID, text)
			assert.NotEmpty(t, ruletest.Matches(&r, "It says:\n"+text+"\nand more"), "%s: %q", r.ID, text)
		}
	}
}

func TestTheRulesCoverEveryKindOfInjection(t *testing.T) {
	var ids []string
	for _, r := range Rules() {
		ids = append(ids, r.ID)
	}
	assert.ElementsMatch(t, []string{
		"role-marker", "chat-token", "template-token", "instruction-marker", "delimiter-breakout", "section-breakout",
		"image-exfiltration", "active-markup", "data-url", "instruction-override",
	}, ids)
}

func TestNoRuleFindsItsMisses(t *testing.T) {
	for _, r := range Rules() {
		for _, text := range r.Misses {
			assert.Empty(t, ruletest.Matches(&r, text), "%s: %q", r.ID, text)
		}
	}
}

// The backslash stands behind the first byte of a match, or before a role.
func TestWhatIsSanitizedIsNotFoundAgain(t *testing.T) {
	for _, r := range Rules() {
		if r.Action() != rule.Sanitize {
			continue
		}
		for _, text := range r.Hits {
			ruletest.EachKeyword(&r, text, func(at, end int) {
				from, to := r.Match(text, at, end)
				if to <= from {
					return
				}
				if !r.EscapeBefore {
					from++
				}
				left := ruletest.Matches(&r, text[:from]+`\`+text[from:])
				assert.Len(t, left, len(ruletest.Matches(&r, text))-1, "%s: %q", r.ID, text)
			})
		}
	}
}

func TestARoleIsMatchedAtTheStartOfALine(t *testing.T) {
	r := roleMarker()
	for text, want := range map[string]int{
		"system:": 1, "a\nSystem:": 1, "a\n \tassistant: b": 1, "user:": 1, "a\nhuman:": 1, "a\n user:": 0,
		"the system:": 0, "a\n" + strings.Repeat(" ", 20) + "system:": 0,
	} {
		assert.Len(t, ruletest.Matches(&r, text), want, "%q", text)
	}
}

func TestAChatTokenIsMatchedUpToItsSecondBar(t *testing.T) {
	r := chatToken()
	for text, want := range map[string]string{
		"<|im_start|>user": "<|im_start", "<|im end|>": "<|im end", "<｜User｜>": "<｜User｜",
	} {
		assert.Equal(t, want, strings.Join(ruletest.Matches(&r, text), " "), "%q", text)
	}
	for _, text := range []string{"<|a", "<|a\n|>", "<|a-b>", "<|" + strings.Repeat("a", 80) + "|>"} {
		assert.Empty(t, ruletest.Matches(&r, text), "%q", text)
	}
}

func TestASectionEndIsMatchedWhereNothingHasBegunIt(t *testing.T) {
	r := sectionEnd()
	for text, want := range map[string]int{
		"x]]>": 1, "x]]> y": 1, "x]]>\n": 1, "x]]><b>": 1, "<![CDATA[x]]>": 0, "a[b[1]]>c": 0, "a[b[1]]> 3": 0,
		"a[b[1]]> =": 0, "-- end of document": 1, "== End of untrusted ==": 1, "the end of document": 0,
		"<![CDATA[" + strings.Repeat("x", 500) + "]]>": 1,
	} {
		assert.Len(t, ruletest.Matches(&r, text), want, "%q", text)
	}
}

func TestATagThatHTMLStrikesOutWithIsNoToken(t *testing.T) {
	r := templateToken()
	assert.Len(t, ruletest.Matches(&r, "ok</s>"), 1)
	assert.Empty(t, ruletest.Matches(&r, "<s>old</s> new"))
	assert.Len(t, ruletest.Matches(&r, "<s>"+strings.Repeat("x", 300)+"</s>"), 1, "the opening tag is too far away")
}

func TestAnImageIsMatchedIfItsAddressCarriesAQuery(t *testing.T) {
	r := imageExfil()
	for text, want := range map[string]string{
		"![x](https://a.test/?q=1)":  "![",
		"![x]( https://a.test/?q=1)": "![",
		"![](//a.test/p?q)":          "![",
		"![x](https://a.test/" + strings.Repeat("path/", 30) + "?q=1)": "![",
		"![x][1]\n[1]: https://a.test/?q=1":                            "[",
		"![pic]\n[pic]: https://a.test/?q=1":                           "[",
		"[x](https://a.test/?q=1)":                                     "",
		"](https://a.test/?q=1)":                                       "",
		"[](https://a.test/?q=1)":                                      "",
		"![x](https://a.test/p.png)?":                                  "",
		"![x](https://a.test/p.png \"why?\")":                          "",
		"[x][1]\n[1]: https://a.test/?q=1":                             "",
		"![x][1]\n- [1]: https://a.test/?q=1":                          "",
		"![x][a b]\n[a b]: https://a.test/?q=1":                        "",
		"![x][2]\n[1]: https://a.test/?q=1":                            "",
		"!\n](https://a.test/?q=1)":                                    "",
		"![" + strings.Repeat("x", 250) + "](https://a?b)":             "",
	} {
		assert.Equal(t, want, strings.Join(ruletest.Matches(&r, text), " "), "%q", text)
	}
}

func TestMarkupIsMatchedWhereItWouldAct(t *testing.T) {
	r := activeMarkup()
	for text, want := range map[string]int{
		"<script>": 1, "<scripts>": 0, "<SVG onload=x>": 2, "<svg/onload=x>": 1, "<p onload=x>": 1,
		"a hook onload=x": 0,
		`<p class="a long list of its names" onload=x>`: 1,
		`<img src="https://a.test/?q">`:                 1, `<img src="https://a.test/">?`: 0, `<img src="/a?q">`: 0,
		`<img alt="//a?">`: 0, "srcdoc=x": 1, "@import url(http://a)": 1, "<iframe src=x>": 1, "<iframes>": 0,
		"<embed": 1,
	} {
		assert.Len(t, ruletest.Matches(&r, text), want, "%q", text)
	}
}

func TestAStreamWaitsForTheRestOfATokenOrAnAddress(t *testing.T) {
	token, image := chatToken(), imageExfil()
	for _, text := range []string{"<|im_", "<|im sta", "<|i"} {
		assert.True(t, token.Open(text, 0, 3), "%q", text)
	}
	for _, text := range []string{"<|im|", "<|im\n", "<|i" + strings.Repeat("x", 60)} {
		assert.False(t, token.Open(text, 0, 3), "%q", text)
	}
	for text, want := range map[string]bool{
		"![x](http": true, "![x](https://a.test/p": true, "![x](https://a.test/p?": false,
		"![x](https://a.test/p)":  false,
		"![x](https://a.test/p\n": false, "![x](http" + strings.Repeat("s", 300): false,
	} {
		assert.Equal(t, want, image.Open(text, 3, 9), "%q", text)
	}
}
