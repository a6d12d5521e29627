package render_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety/render"
)

// Nothing is hidden: what is no Markdown of ours is text, and a link has its address.
func TestBlocksAreWhatATextSays(t *testing.T) {
	plain := func(text string) []render.Span { return []render.Span{{Text: text}} }
	para := func(spans ...render.Span) render.Block { return render.Block{Kind: render.Paragraph, Spans: spans} }
	for _, tt := range []struct {
		name, source string
		want         []render.Block
	}{
		{"words in their forms", "a **b** *c* `d` ~~e~~", []render.Block{para(render.Span{Text: "a "},
			render.Span{Text: "b", Strong: true}, render.Span{Text: " "}, render.Span{Text: "c", Emphasis: true},
			render.Span{Text: " "}, render.Span{Text: "d", Code: true}, render.Span{Text: " "},
			render.Span{Text: "e", Struck: true})}},
		{"a heading", "## Why", []render.Block{{Kind: render.Heading, Level: 2, Spans: plain("Why")}}},
		{"lines of a paragraph", "one\ntwo  \nthree", []render.Block{para(plain("one two\nthree")...)}},
		{"code", "```go\nx := 1\n\ty\n```", []render.Block{{Kind: render.Code, Code: "x := 1\n\ty\n"}}},
		{"a quote", "> so", []render.Block{{Kind: render.Quote, Items: [][]render.Block{{para(plain("so")...)}}}}},
		{"a rule", "---", []render.Block{{Kind: render.Rule}}},
		{"a numbered list", "3. a\n4. b", []render.Block{{Kind: render.List, First: 3,
			Items: [][]render.Block{{para(plain("a")...)}, {para(plain("b")...)}}}}},
		{"bullets", "- a", []render.Block{{Kind: render.List, First: -1,
			Items: [][]render.Block{{para(plain("a")...)}}}}},
		{"a table", "|a|b|\n|-|-|\n|1|", []render.Block{{Kind: render.Table,
			Rows: [][][]render.Span{{plain("a"), plain("b")}, {plain("1"), nil}}}}},
		{"a link", "[x](http://h)", []render.Block{para(plain("x (http://h)")...)}},
		{"a bare link", "see http://h.example/", []render.Block{para(plain("see http://h.example/")...)}},
		{"an image", "![x](y)", []render.Block{para(plain("![x](y)")...)}},
		{"HTML is text", "<b>x</b>", []render.Block{para(plain("<b>x</b>")...)}},
		{"a mark of masked text", "a [REDACTED:jwt] b", []render.Block{para(plain("a [REDACTED:jwt] b")...)}},
		{"escapes and references", `\*a\* &lt;&#65;`, []render.Block{para(plain("*a* <A")...)}},
		{"references in code", "`&lt;`", []render.Block{para(render.Span{Text: "&lt;", Code: true})}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := render.Blocks(tt.source)
			require.True(t, ok)
			assert.Equal(t, tt.want, got)
		})
	}
}

// A table of many columns and many short rows would become millions of cells.
func TestATextThatKeepsTheParserBusyIsNotParsed(t *testing.T) {
	for name, source := range map[string]string{
		"a table that is wide and long": strings.Repeat("|a", 2000) + "\n" + strings.Repeat("|-", 2000) + "\n" +
			strings.Repeat("|\n", 2000),
		"a long text":   strings.Repeat("word ", render.MaxMarkdown/5+1),
		"many brackets": strings.Repeat("[", 1000),
	} {
		_, ok := render.Blocks(source)
		assert.False(t, ok, name)
	}
	_, ok := render.Blocks(strings.Repeat("|a", 20) + "\n" + strings.Repeat("|-", 20) + "\n" +
		strings.Repeat("|1|2|\n", 400))
	assert.True(t, ok, "a table of 400 rows is none of them")
}
