// Package render turns cleaned text into HTML.
//
// [HTML] escapes a text, so that a page shows it exactly as written. [Markdown] renders
// it and produces only elements that neither run nor load anything: no raw HTML, no
// images, and only links to other sites. Both accept a [safety.Text] only, so that text
// is cleaned before it is rendered, and return a [SafeHTML], so that it is escaped once.
//
// [Blocks] parses the same Markdown for a reader that shows text.
//
// The output of Markdown passes a sanitizer at the end (html.go, markdown.go), so that a
// bug in the renderer does not become a hole in the page. To allow another element, add it
// to the policy in markdown.go and to the list in its test.
//
// This is the only package that imports goldmark and bluemonday; the agent and the
// session log are built without them.
package render
