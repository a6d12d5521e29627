package injection

import (
	"strings"

	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

// imageExfil is a markdown image from the network whose address carries a
// query: rendering it sends the query to whoever wrote it. The address may stand
// behind it, or at a place that the image refers to.
func imageExfil() rule.Rule {
	return rule.Rule{
		ID: "image-exfiltration", Fold: true, Action: rule.Sanitize, Keywords: []string{"](http", "](//", "](<http", "]( http", "]: http"}, Open: openImage,
		Match: func(s string, at, end int) (int, int) {
			open := at - 1
			for open > 0 && open > at-200 && s[open] != '[' && s[open] != ']' && s[open] != '\n' {
				open--
			}
			if open < 0 || s[open] != '[' || !queried(s, at) {
				return 0, 0
			}
			if s[at+1] == ':' {
				name := s[open : at+1]
				if open > 0 && s[open-1] != '\n' || strings.IndexByte(name, ' ') >= 0 || !refersTo(s[max(0, open-800):open], name) {
					return 0, 0
				}
				return open, open + 1
			}
			if open < 1 || s[open-1] != '!' {
				return 0, 0
			}
			return open - 1, open + 1
		},
		Hits: []string{"![x](https://a.test/p.png?d=abc)", "![x](<https://a.test/p.png?d=abc>)", "![a][1] and\n\n[1]: https://a.test/?q=abc"},
		Misses: []string{"![x](https://a.test/p.png)", "![x](./a.png?raw)", `!\[x](https://a.test/p.png?d=abc)`, "[1]: https://a.test/?q=abc", "[x](https://a.test/?q=abc)",
			"see [a][1]\n[1]: https://a.test/?q=abc"},
	}
}

// openImage: the address may go on, and its query is yet to come.
func openImage(s string, at, _ int) bool {
	return len(s)-at < 258 && !strings.ContainsAny(strings.TrimLeft(s[at+2:], " <"), " )\n?")
}

// queried reports whether the address behind a bracket has a query.
func queried(s string, at int) bool {
	link := strings.TrimLeft(s[at+2:min(len(s), at+258)], " <")
	query := strings.IndexByte(link, '?')
	return query >= 0 && !strings.ContainsAny(link[:query], " )\n")
}

// refersTo reports whether an image in s names a reference: ![x][name].
func refersTo(s, name string) bool {
	i := strings.LastIndex(s, "]"+name)
	if i < 0 {
		i = strings.LastIndex(s, "!"+name)
		return i >= 0
	}
	open := strings.LastIndexByte(s[:i], '[')
	return open > 0 && s[open-1] == '!'
}

// activeMarkup is HTML that would run or fetch something where it re-enters a page.
// It is told only: agents write pages, and what we show is escaped.
func activeMarkup() rule.Rule {
	return rule.Rule{
		ID: "active-markup", Fold: true, Action: rule.Warn, MaxGap: 128,
		Keywords: []string{"<script", "<iframe", "<object data", "<embed", "<base href", "<meta http-equiv", "<svg/on", "<svg on", "<img ", "<form action=http", "<form action=\"http", "<link rel=prefetch", "<link rel=\"prefetch", "@import 'http", "@import url(http",
			"<video src=http", "<video src=\"http", "<audio src=http", "<audio src=\"http", " onerror=", " onload=", " ontoggle=", "srcdoc="},
		Match: func(s string, at, end int) (int, int) {
			switch {
			case s[at] == '@' || s[at] == 's' || s[at] == 'S':
			case s[at] == ' ':
				if open := strings.LastIndexByte(s[max(0, at-120):at], '<'); open < 0 {
					return 0, 0
				}
			case lex.HasFold(s, at, "<img"):
				tag := s[end:min(len(s), end+120)]
				tag, _, _ = strings.Cut(tag, ">")
				if strings.IndexByte(tag, '?') < 0 || !strings.Contains(tag, "//") || !lex.ContainsFold(tag, "src=") {
					return 0, 0
				}
			case end < len(s) && lex.IsLetter(s[end]) && lex.IsLetter(s[end-1]):
				if !lex.HasFold(s, at, "<svg") {
					return 0, 0
				}
			}
			return at, end
		},
		Hits:   []string{"<script>alert(1)</script>", "<svg/onload=alert(1)>", "<img src=x onerror=alert(1)>", `<img src="https://a.test/?q=1">`, "<iframe src=//a.test>"},
		Misses: []string{"<img src={logo}>", `<img src="/a.png" alt="x">`, "<scripts>", "an onload= hook", "a < b"},
	}
}
