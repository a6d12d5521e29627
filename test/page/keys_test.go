package page_test

import "github.com/chromedp/chromedp/kb"

// keyNames are the keys that are no letters.
var keyNames = map[string]string{
	"Enter": kb.Enter, "Tab": kb.Tab, "Escape": kb.Escape, "ArrowDown": kb.ArrowDown, "ArrowUp": kb.ArrowUp, "Space": " ",
}
