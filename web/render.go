package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"candor/safety"
)

// renderer gives texts their HTML where a request asks for it with render=html, as
// long as its budget lasts: a page of long texts is not to keep the server busy.
// What comes without HTML is shown as plain text.
type renderer struct {
	wanted bool
	budget int // bytes of text
}

// renderBudget is how much text one answer renders, in bytes.
const renderBudget = 512 << 10

func rendererOf(c echo.Context) (*renderer, error) {
	switch c.QueryParam("render") {
	case "":
		return &renderer{}, nil
	case "html":
		return &renderer{wanted: true, budget: renderBudget}, nil
	}
	return nil, problem(http.StatusBadRequest, "bad_render", "render has to be html, or be left out.")
}

// turn adds the HTML of a turn's answer and narrative.
func (r *renderer) turn(t *TurnInfo) {
	t.HTML = r.html(t.Response)
	if t.Reasoning != nil {
		t.Reasoning.NarrativeHTML = r.html(t.Reasoning.Narrative)
		for i := range t.Reasoning.Narratives {
			n := &t.Reasoning.Narratives[i]
			n.HTML = r.html(&n.Narrative)
		}
	}
}

func (r *renderer) html(t *safety.Text) safety.SafeHTML {
	if !r.wanted || t == nil || len(t.String()) > r.budget {
		return ""
	}
	r.budget -= len(t.String())
	return t.Markdown()
}
