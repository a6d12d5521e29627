package view

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/safety"
)

func TestTheHTMLOfOneAnswerIsBounded(t *testing.T) {
	text, _ := safety.NewLayer().Limit(1 << 20).Mask(strings.Repeat("a word, ", 300<<10/8))
	r := NewRenderer()
	first, second := TurnInfo{Response: &text}, TurnInfo{Response: &text}
	r.Turn(&first)
	r.Turn(&second)
	assert.NotEmpty(t, first.HTML)
	assert.Empty(t, second.HTML, "600 KiB are more than one answer renders")
	short := safety.Literal("short")
	third := TurnInfo{Response: &short}
	r.Turn(&third)
	assert.NotEmpty(t, third.HTML, "what still fits is rendered")
	assert.Empty(t, (&Renderer{}).html(&short), "nothing is rendered for a request that does not ask for it")
}
