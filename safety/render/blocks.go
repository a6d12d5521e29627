package render

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	extension "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Blocks exist because a terminal needs Markdown, and one package is to know its parser: bounds
// against texts that keep it busy, and what it hides, are decided once.

// Kind says what a [Block] is.
type Kind string

// The kinds of blocks.
const (
	Paragraph Kind = "paragraph"
	Heading   Kind = "heading"
	Code      Kind = "code"
	Quote     Kind = "quote"
	List      Kind = "list"
	Table     Kind = "table"
	Rule      Kind = "rule"
)

// Block is a part of a Markdown text. Only the members that its kind has are set.
type Block struct {
	Kind  Kind
	Level int       // of a heading, from 1
	First int       // of a numbered list: the number of its first item; -1 for bullets
	Spans []Span    // of a paragraph and a heading
	Code  string    // of code: whole lines
	Items [][]Block // of a list; a quote has one
	Rows  [][][]Span
}

// Span is text in one form. The text may hold line breaks.
type Span struct {
	Text                           string
	Strong, Emphasis, Code, Struck bool
}

// Blocks parses a Markdown text with the parser of [Markdown], for a reader that shows text
// instead of HTML. Nothing of the text is hidden: a link is followed by its address, and HTML
// is text. ok is false for a text that is too long or made to keep the parser busy.
//
// The spans are as foreign as the text. A character that the text names by its number is in
// them as itself, so they have to be cleaned even if the text was clean.
func Blocks(source string) (blocks []Block, ok bool) {
	if len(source) > MaxMarkdown || laborious(source) {
		return nil, false
	}
	raw := []byte(source)
	doc := markdown().Parser().Parse(text.NewReader(raw))
	if deep(doc) {
		return nil, false
	}
	return blocksOf(doc, raw), true
}

// blocksOf returns the blocks in a node.
func blocksOf(parent ast.Node, source []byte) (blocks []Block) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		blocks = append(blocks, blockOf(n, source))
	}
	return blocks
}

// blockOf returns the block that a node is.
func blockOf(n ast.Node, source []byte) Block {
	switch n := n.(type) {
	case *ast.Heading:
		return Block{Kind: Heading, Level: n.Level, Spans: spansOf(n, source)}
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		return Block{Kind: Code, Code: string(n.Lines().Value(source))}
	case *ast.ThematicBreak:
		return Block{Kind: Rule}
	case *ast.Blockquote:
		return Block{Kind: Quote, Items: [][]Block{blocksOf(n, source)}}
	case *ast.List:
		b := Block{Kind: List, First: -1}
		if n.IsOrdered() {
			b.First = n.Start
		}
		for item := n.FirstChild(); item != nil; item = item.NextSibling() {
			b.Items = append(b.Items, blocksOf(item, source))
		}
		return b
	case *extension.Table:
		b := Block{Kind: Table}
		for row := n.FirstChild(); row != nil; row = row.NextSibling() {
			var cells [][]Span
			for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
				cells = append(cells, spansOf(cell, source))
			}
			b.Rows = append(b.Rows, cells)
		}
		return b
	}
	return Block{Kind: Paragraph, Spans: spansOf(n, source)}
}

// spansOf returns the spans in a node, in the order of the text. Nested forms add up: code in a
// strong sentence is both.
func spansOf(n ast.Node, source []byte) (spans []Span) {
	addSpans(&spans, n, source, Span{})
	return spans
}

// addSpans adds the spans in a node, in the form that surrounds it.
func addSpans(spans *[]Span, parent ast.Node, source []byte, form Span) {
	// Neighbors of one form are one span, so that no word is cut where the parser looked twice.
	add := func(s string) {
		form.Text = ""
		if last := len(*spans) - 1; last >= 0 {
			before := (*spans)[last]
			if before.Text = ""; before == form {
				(*spans)[last].Text += s
				return
			}
		}
		form.Text = s
		*spans = append(*spans, form)
	}
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			add(plainText(n, source, form.Code))
		case *ast.String:
			add(string(n.Value))
		case *ast.AutoLink:
			add(string(n.Label(source)))
		case *ast.Link:
			addSpans(spans, n, source, form)
			if to := string(n.Destination); to != "" {
				add(" (" + to + ")")
			}
		case *ast.Image:
			add("![")
			addSpans(spans, n, source, form)
			add("](" + string(n.Destination) + ")")
		default:
			addSpans(spans, n, source, within(form, n))
		}
	}
}

// within returns a form with what a node adds to it.
func within(form Span, n ast.Node) Span {
	switch n := n.(type) {
	case *ast.Emphasis:
		form.Strong = form.Strong || n.Level > 1
		form.Emphasis = form.Emphasis || n.Level == 1
	case *ast.CodeSpan:
		form.Code = true
	case *extension.Strikethrough:
		form.Struck = true
	}
	return form
}

// plainText returns the characters of a text node. Outside of code, backslashes and
// references stand for characters.
func plainText(n *ast.Text, source []byte, code bool) string {
	value := n.Segment.Value(source)
	if !code && !n.IsRaw() {
		value = util.UnescapePunctuations(util.ResolveEntityNames(util.ResolveNumericReferences(value)))
	}
	s := string(value)
	if n.HardLineBreak() {
		return s + "\n"
	}
	if n.SoftLineBreak() {
		return strings.TrimRight(s, " ") + " "
	}
	return s
}
