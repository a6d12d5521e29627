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

// MaxMarkdown is how long a text may be for its markup to be rendered, in bytes.
const MaxMarkdown = 16 << 10

// Markdown is the text for a page with its Markdown rendered: paragraphs, lists,
// tables, code, emphasis and links to other sites, which open elsewhere and learn
// nothing of us. What Markdown can hide stays in view: HTML is text, an image is
// its description and address, a link that leads nowhere safe is what was written.
// Nothing in it is fetched by showing it. Text that is too long, or nested beyond
// reason, comes as it is, in <pre>.
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

// What a parser of Markdown goes back over again and again, and how many of it a
// text that people read stays below.
const (
	maxBrackets = 400
	maxStars    = 1600
	maxOpened   = 100 // blocks, by one line
)

// laborious reports whether a text is made to keep a parser busy.
func laborious(text string) bool {
	if strings.Count(text, "[") > maxBrackets || strings.Count(text, "*")+strings.Count(text, "_") > maxStars {
		return true
	}
	for line := range strings.Lines(text) {
		opened := line[:len(line)-len(strings.TrimLeft(line, "> \t-+.)0123456789"))]
		if strings.Count(opened, ">")+strings.Count(opened, " ") > maxOpened {
			return true
		}
	}
	return false
}

// maxNested is how many elements of a text may stand in each other.
const maxNested = 64

// deep reports whether a document is deeper than anybody would write.
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

var errTooDeep = errors.New("nested too deep")

// markdown is CommonMark with tables, without what hides text: raw HTML and
// definitions of link targets.
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

// rich lets the elements of Markdown through, and of their attributes a link's
// address. No element of it loads anything.
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

// plainLinks renders links, images and headings so that nothing of them is hidden
// and headings stay below the page's own.
type plainLinks struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (p plainLinks) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindLink, p.link)
	r.Register(ast.KindImage, p.image)
	r.Register(ast.KindHeading, p.heading)
}

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

func (plainLinks) image(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString("![")
	} else {
		_, _ = w.WriteString("](" + string(util.EscapeHTML(n.(*ast.Image).Destination)) + ")")
	}
	return ast.WalkContinue, nil
}

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
