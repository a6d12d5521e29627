package render

import (
	"bytes"
	"errors"
	"strings"
	"sync"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"candor/safety"
)

// MaxMarkdown is the longest text that Markdown renders, in bytes.
const MaxMarkdown = 16 << 10

// Markdown renders the text's Markdown: paragraphs, lists, tables, code, emphasis and
// links to other sites, which open in a new tab and get no referrer. What Markdown would
// hide stays visible: HTML is shown as text, an image as its description and address, and
// a link to an unsafe address as it was written. Showing the page loads nothing. Text that
// is too long, or made to keep the parser busy, is escaped as a whole, in <pre>.
func Markdown(t safety.Text) SafeHTML {
	s, asItIs := t.String(), "<pre>"+HTML(t)+"</pre>"
	if len(s) > MaxMarkdown || laborious(s) {
		return asItIs
	}
	source := []byte(s)
	doc := markdown().Parser().Parse(text.NewReader(source))
	if deep(doc) {
		return asItIs
	}
	var page bytes.Buffer
	if err := markdown().Renderer().Render(&page, source, doc); err != nil {
		return asItIs
	}
	return SafeHTML(rich().SanitizeBytes(page.Bytes()))
}

// Brackets, emphasis and nested blocks make a Markdown parser backtrack. These bounds are
// above what any text for people has.
const (
	maxBrackets = 400
	maxStars    = 1600
	maxOpened   = 100 // blocks that one line opens
	// maxCells bounds the cells of tables. The parser fills each row up to the width of the widest.
	maxCells = 20_000
)

// laborious reports whether a text exceeds the bounds above.
func laborious(text string) bool {
	if strings.Count(text, "[") > maxBrackets || strings.Count(text, "*")+strings.Count(text, "_") > maxStars {
		return true
	}
	lines, columns := 0, 0
	for line := range strings.Lines(text) {
		lines, columns = lines+1, max(columns, strings.Count(line, "|"))
		opened := line[:len(line)-len(strings.TrimLeft(line, "> \t-+.)0123456789"))]
		if strings.Count(opened, ">")+strings.Count(opened, " ") > maxOpened {
			return true
		}
	}
	return lines*columns > maxCells
}

// maxNested is how deep the elements of a text may nest.
const maxNested = 64

// deep reports whether a document nests deeper than maxNested.
func deep(doc ast.Node) bool {
	depth := 0
	err := ast.Walk(doc, func(_ ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			depth--
			return ast.WalkContinue, nil
		}
		if depth++; depth > maxNested {
			return ast.WalkStop, errTooDeep
		}
		return ast.WalkContinue, nil
	})
	return err != nil
}

// errTooDeep stops the walk in deep.
var errTooDeep = errors.New("nested too deep")

// markdown is CommonMark with tables, strikethrough and bare links, but without the parts
// that hide text: raw HTML and link reference definitions.
var markdown = sync.OnceValue(func() goldmark.Markdown {
	const first = 100
	blocks := []util.PrioritizedValue{
		util.Prioritized(parser.NewSetextHeadingParser(), first),
		util.Prioritized(parser.NewThematicBreakParser(), first+1),
		util.Prioritized(parser.NewListParser(), first+2), util.Prioritized(parser.NewListItemParser(), first+3),
		util.Prioritized(parser.NewCodeBlockParser(), first+4), util.Prioritized(parser.NewATXHeadingParser(), first+5),
		util.Prioritized(parser.NewFencedCodeBlockParser(), first+6),
		util.Prioritized(parser.NewBlockquoteParser(), first+7),
		util.Prioritized(parser.NewParagraphParser(), 1000),
	}
	inlines := []util.PrioritizedValue{
		util.Prioritized(parser.NewCodeSpanParser(), first), util.Prioritized(parser.NewLinkParser(), first+1),
		util.Prioritized(parser.NewAutoLinkParser(), first+2), util.Prioritized(parser.NewEmphasisParser(), first+4),
	}
	return goldmark.New(
		goldmark.WithParser(parser.NewParser(parser.WithBlockParsers(blocks...), parser.WithInlineParsers(inlines...))),
		goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignNone)),
			extension.Strikethrough, extension.Linkify),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(plainLinks{}, first))),
	)
})

// rich allows the elements of Markdown, and as attributes only a link's address and the
// first number of a list. None of these elements loads anything.
var rich = sync.OnceValue(func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "em", "strong", "del", "code", "pre", "blockquote", "ul", "ol", "li",
		"h4", "h5", "h6",
		"table", "thead", "tbody", "tr", "th", "td")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("href").OnElements("a")
	p.AllowURLSchemes("http", "https", "mailto")
	p.RequireParseableURLs(true)
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)
	p.AddTargetBlankToFullyQualifiedLinks(true)
	return p
})

// plainLinks renders links and images without hiding any of their text, and headings at
// levels below the page's own.
type plainLinks struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (p plainLinks) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindLink, p.link)
	r.Register(ast.KindImage, p.image)
	r.Register(ast.KindHeading, p.heading)
}

// link renders a link to another site as one, and any other as its source text.
func (plainLinks) link(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	to := n.(*ast.Link).Destination
	switch {
	case elsewhere(to) && entering:
		_, _ = w.WriteString(`<a href="` + string(util.EscapeHTML(util.URLEscape(to, true))) + `">`)
	case elsewhere(to):
		_, _ = w.WriteString("</a>")
	case entering:
		_ = w.WriteByte('[')
	default:
		_, _ = w.WriteString("](" + string(util.EscapeHTML(to)) + ")")
	}
	return ast.WalkContinue, nil
}

// image renders an image as its source text.
func (plainLinks) image(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString("![")
	} else {
		_, _ = w.WriteString("](" + string(util.EscapeHTML(n.(*ast.Image).Destination)) + ")")
	}
	return ast.WalkContinue, nil
}

// heading renders level 1 as h4, level 2 as h5 and all others as h6.
func (plainLinks) heading(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	name := "h" + string(rune('0'+min(n.(*ast.Heading).Level+3, 6)))
	if entering {
		_, _ = w.WriteString("<" + name + ">")
	} else {
		_, _ = w.WriteString("</" + name + ">\n")
	}
	return ast.WalkContinue, nil
}

// elsewhere reports whether a link leads to another site or a mailbox.
func elsewhere(to []byte) bool {
	scheme, _, found := strings.Cut(strings.ToLower(string(to)), ":")
	return found && (scheme == "http" || scheme == "https" || scheme == "mailto")
}
