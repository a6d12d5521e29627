package safety

import (
	"encoding/json"
	"html"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// seeds are every rule's hits and misses, alone and inside other text.
func seeds() []string {
	var all []string
	for _, r := range NewLayer().detector.rules {
		for k, h := range r.hits {
			all = append(all, hitOf(&r, h, uint64(k)), "x\u200b"+hitOf(&r, h, uint64(k))+"。"+hitOf(&r, h, 9))
		}
		all = append(all, r.misses...)
	}
	return append(all, strings.Repeat("long ", 400), "a\r\nb\xff\x00", "password=password=password= x", `{"token":"a b 1"}`)
}

func FuzzClean(f *testing.F) {
	for _, s := range seeds() {
		f.Add(s)
	}
	l := NewLayer(MaxBytes(1000))
	f.Fuzz(func(t *testing.T, s string) {
		once, report := l.Mask(s)
		twice, again := l.Mask(once.s)
		require.True(t, once == twice, "cleaning twice changes the text")
		require.Equal(t, Passed, again.Verdict, "a cleaned text still holds a secret")
		require.True(t, utf8.ValidString(once.s))
		require.LessOrEqual(t, len(once.s), 1000)
		if cleaned, r := l.Clean(s); r.Verdict != Blocked {
			require.True(t, once == cleaned)
			require.Equal(t, report, r)
		}
	})
}

func FuzzCleanJSON(f *testing.F) {
	for _, s := range seeds() {
		f.Add([]byte(s))
		quoted, _ := json.Marshal(map[string]any{"note": s, s: []any{1.5, true, nil, s}, "password": s})
		f.Add(quoted)
	}
	l := NewLayer(MaxBytes(10_000))
	f.Fuzz(func(t *testing.T, raw []byte) {
		once, _ := l.CleanJSON(raw)
		require.True(t, json.Valid(once.Raw()))
		require.LessOrEqual(t, len(once.Raw()), 10_000+closing)
		twice, _ := l.CleanJSON(once.Raw())
		require.True(t, string(once.Raw()) == string(twice.Raw()), "cleaning twice changes the value")
	})
}

func FuzzHTML(f *testing.F) {
	for _, s := range append(seeds(), "<script>x</script>", "a<b", "&amp;lt;", "<!--", "</", "<a href='x'>") {
		f.Add(s)
	}
	l := NewLayer()
	f.Fuzz(func(t *testing.T, s string) {
		text, _ := l.Mask(s)
		page := text.HTML()
		inert(t, page)
		require.True(t, text.s == html.UnescapeString(string(page)), "the page does not say what the text says")
		require.True(t, string(page) == strict().Sanitize(string(page)), "the page is not inert")
	})
}
