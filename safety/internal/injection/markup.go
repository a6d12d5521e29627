package injection

import (
	"strings"

	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

// imageExfil finds a Markdown image from the network whose address carries a query: a
// page that renders it sends the query to whoever wrote the image. The address may
// appear behind the image, ![x](https://…), or in a definition that it refers to,
// [1]: https://…. Images without a query, and links, stay.
func imageExfil() rule.Rule {
	return rule.Rule{
		ID: "image-exfiltration", Fold: true, Severity: rule.Medium, Neutralise: true,
		Keywords: []string{"](http", "](//", "](<http", "]( http", "]: http"},
		Match:    matchImage,
		Open:     queryMayFollow,
		Hits: []string{
			"![x](https://a.test/p.png?d=abc)", "![x](<https://a.test/p.png?d=abc>)",
			"![a][1] and\n\n[1]: https://a.test/?q=abc",
		},
		Misses: []string{
			"![x](https://a.test/p.png)", "![x](./a.png?raw)", `!\[x](https://a.test/p.png?d=abc)`,
			"[1]: https://a.test/?q=abc", "[x](https://a.test/?q=abc)",
			"see [a][1]\n[1]: https://a.test/?q=abc",
		},
	}
}

// matchImage matches the ![ of an image, or the [ of the definition that an image
// refers to, before the address whose ] is at index at.
func matchImage(s string, at, _ int) (int, int) {
	open := openingBracket(s, at)
	if open < 0 || !hasQuery(s, at) {
		return 0, 0
	}
	if s[at+1] == ':' {
		if !definesImage(s, open, at) {
			return 0, 0
		}
		return open, open + 1
	}
	if open < 1 || s[open-1] != '!' {
		return 0, 0
	}
	return open - 1, open + 1
}

// openingBracket returns the index of the bracket that is closed at index at, on the
// same line and at most 200 bytes before; -1 if there is none.
func openingBracket(s string, at int) int {
	open := at - 1
	for open > 0 && open > at-200 && s[open] != '[' && s[open] != ']' && s[open] != '\n' {
		open--
	}
	if open < 0 || s[open] != '[' {
		return -1
	}
	return open
}

// definesImage reports whether [name]: is at the start of a line, with the name's
// brackets at open and at, and an image up to 800 bytes before refers to it.
func definesImage(s string, open, at int) bool {
	name := s[open : at+1]
	return (open == 0 || s[open-1] == '\n') && strings.IndexByte(name, ' ') < 0 &&
		refersTo(s[max(0, open-800):open], name)
}

// refersTo reports whether an image in s refers to a name in brackets: ![x][name], or
// ![name].
func refersTo(s, name string) bool {
	i := strings.LastIndex(s, "]"+name)
	if i < 0 {
		return strings.Contains(s, "!"+name)
	}
	open := strings.LastIndexByte(s[:i], '[')
	return open > 0 && s[open-1] == '!'
}

// hasQuery reports whether the address behind the bracket at index at has a query.
func hasQuery(s string, at int) bool {
	link := strings.TrimLeft(s[at+2:min(len(s), at+258)], " <")
	query := strings.IndexByte(link, '?')
	return query >= 0 && !strings.ContainsAny(link[:query], " )\n")
}

// queryMayFollow reports whether the address behind the bracket at index at may go on and
// its query may still come.
func queryMayFollow(s string, at, _ int) bool {
	return len(s)-at < 258 && !strings.ContainsAny(strings.TrimLeft(s[at+2:], " <"), " )\n?")
}

// activeMarkup finds HTML that would run or fetch something on a page that shows it
// unescaped. It is only reported: agents write pages, and what this program shows is
// escaped. It once matched attributes outside any tag, "an onload= hook".
func activeMarkup() rule.Rule {
	return rule.Rule{
		ID: "active-markup", Fold: true, Severity: rule.Low, MaxGap: 128,
		Keywords: []string{
			"<script", "<iframe", "<object data", "<embed", "<base href", "<meta http-equiv", "<svg/on",
			"<svg on", "<img ", "<form action=http", "<form action=\"http", "<link rel=prefetch",
			"<link rel=\"prefetch", "@import 'http", "@import url(http", "<video src=http", "<video src=\"http",
			"<audio src=http", "<audio src=\"http", " onerror=", " onload=", " ontoggle=", "srcdoc=",
		},
		Match: matchMarkup,
		Hits: []string{
			"<script>alert(1)</script>", "<svg/onload=alert(1)>", "<img src=x onerror=alert(1)>",
			`<img src="https://a.test/?q=1">`, "<iframe src=//a.test>",
		},
		Misses: []string{
			"<img src={logo}>", `<img src="/a.png" alt="x">`, "<scripts>", "an onload= hook", "a < b",
		},
	}
}

// matchMarkup matches the keyword itself: an attribute only inside a tag, an image only
// if its address carries a query, and a tag only if its name ends there. The keyword
// "<svg on" goes on with the name of an event.
func matchMarkup(s string, at, end int) (int, int) {
	active := true
	switch {
	case s[at] == '@' || s[at] == 's' || s[at] == 'S': // an import, or srcdoc
	case s[at] == ' ':
		active = strings.IndexByte(s[max(0, at-120):at], '<') >= 0
	case lex.HasFold(s, at, "<img"):
		active = imageSendsQuery(s[end:min(len(s), end+120)])
	case end < len(s) && lex.IsLetter(s[end]) && lex.IsLetter(s[end-1]):
		active = lex.HasFold(s, at, "<svg")
	}
	if !active {
		return 0, 0
	}
	return at, end
}

// imageSendsQuery reports whether the attributes of an image give it an address on the
// network with a query.
func imageSendsQuery(attributes string) bool {
	attributes, _, _ = strings.Cut(attributes, ">")
	return strings.IndexByte(attributes, '?') >= 0 && strings.Contains(attributes, "//") &&
		lex.ContainsFold(attributes, "src=")
}

// dataURL finds addresses that hold a page or a script: data:text/html, javascript:.
func dataURL() rule.Rule {
	return rule.Rule{
		ID: "data-url", Fold: true, Severity: rule.Low, Neutralise: true,
		Keywords: []string{"data:text/html", "data:image/svg+xml", "javascript:", "vbscript:"},
		Match:    matchWhole,
		Hits:     []string{"data:text/html;base64,x", "[a](javascript:alert(1))"},
	}
}
