package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"candor/safety"
	"candor/safety/render"
	"candor/web/problem"
	"candor/web/view"
)

// renderer adds the HTML of texts for a request with render=html, until its budget
// is used up: a page of long texts must not keep the server busy. Clients show a
// text without HTML as plain text.
type renderer struct {
	wanted bool
	budget int // bytes of text still to be rendered
}

// renderBudget is how much text is rendered for one answer, in bytes.
const renderBudget = 512 << 10

// rendererOf parses ?render=.
func rendererOf(c echo.Context) (*renderer, error) {
	switch c.QueryParam("render") {
	case "":
		return &renderer{}, nil
	case "html":
		return &renderer{wanted: true, budget: renderBudget}, nil
	}
	return nil, problem.New(http.StatusBadRequest, "bad_render", "render has to be html, or be left out.")
}

// turn adds the HTML of a turn's response and narratives.
func (r *renderer) turn(t *view.TurnInfo) {
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

// html returns the HTML of t, "" if it is not wanted or over the budget.
func (r *renderer) html(t *safety.Text) render.SafeHTML {
	if !r.wanted || t == nil || len(t.String()) > r.budget {
		return ""
	}
	r.budget -= len(t.String())
	return render.Markdown(*t)
}
