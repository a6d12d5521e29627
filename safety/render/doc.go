// Package render makes HTML of cleaned text.
//
// [HTML] escapes a text, so that it is shown as it was written. [Markdown] renders
// its Markdown, and lets pass only elements that neither run nor fetch anything:
// no raw HTML, no images, and links that open elsewhere. The result passes a
// sanitizer of its own at the end, so that a fault in the renderer is no hole in
// the page. It is the only package that imports goldmark and bluemonday, so that
// the agent and the session log are built without them.
package render
