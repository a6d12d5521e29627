package web

import (
	"net/http"

	"candor/web/problem"
	"candor/web/view"
)

// ReadRender returns the renderer that a request asks for with ?render=html; without it,
// one that adds nothing. Its error is the problem bad_render.
func ReadRender(r *http.Request) (*view.Renderer, error) {
	switch r.URL.Query().Get("render") {
	case "":
		return &view.Renderer{}, nil
	case "html":
		return view.NewRenderer(), nil
	}
	return nil, problem.New(http.StatusBadRequest, "bad_render", "render has to be html, or be left out.")
}
