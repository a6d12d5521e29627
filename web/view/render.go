package view

import (
	"candor/safety"
	"candor/safety/render"
)

// renderBudget is how much text a [Renderer] renders, in bytes.
const renderBudget = 512 << 10

// Renderer adds the HTML of texts to the turns of one answer, until its budget is used
// up: a page of long texts must not keep the server busy. Clients show a text without
// HTML as plain text. The zero Renderer adds nothing. It is for one goroutine.
type Renderer struct{ budget int } // bytes of text still to be rendered

// NewRenderer returns a renderer with a full budget.
func NewRenderer() *Renderer { return &Renderer{budget: renderBudget} }

// Turn adds the HTML of a turn's response and narratives.
func (r *Renderer) Turn(t *TurnInfo) {
	t.HTML = r.html(t.Response)
	if t.Answer != nil {
		t.Answer.NarrativeHTML = r.html(t.Answer.Narrative)
	}
	if t.Reasoning != nil {
		t.Reasoning.NarrativeHTML = r.html(t.Reasoning.Narrative)
		for i := range t.Reasoning.Narratives {
			n := &t.Reasoning.Narratives[i]
			n.HTML = r.html(&n.Narrative)
		}
	}
}

// html returns the HTML of t, "" if it is over the budget.
func (r *Renderer) html(t *safety.Text) render.SafeHTML {
	if t == nil || len(t.String()) > r.budget {
		return ""
	}
	r.budget -= len(t.String())
	return render.Markdown(*t)
}
