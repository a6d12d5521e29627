package web

import (
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"candor/web/openapi"
)

// APIIndex says what a server's API has, and where each of its descriptions is.
type APIIndex struct {
	Name    string     `json:"name"`
	OpenAPI string     `json:"openapi"`         // the whole description
	Types   string     `json:"types,omitempty"` // of TypeScript; absent on a server without the page
	Routes  []APIRoute `json:"routes"`          // by path
}

// APIRoute is a route in a line.
type APIRoute struct {
	Method  string `json:"method"`
	Path    string `json:"path"` // parameters in braces
	Summary string `json:"summary"`
	Token   bool   `json:"token"` // whether the caller needs one
}

// typesPath is where the page's handler has the types of all that the API answers.
const typesPath = "/ui/wire.d.ts"

// index handles GET /api: the routes of the server, in short, for who looks around. It needs no token and, like
// the document that it leads to, says nothing of the server but what it can do.
func (s *Server) index(c echo.Context) error {
	index := APIIndex{Name: "Candor", OpenAPI: "/api/openapi.json", Routes: []APIRoute{}}
	if s.options.Page != nil {
		index.Types = typesPath
	}
	for _, r := range slices.SortedFunc(slices.Values(s.echo.Routes()), byPath) {
		if r.Path == "/" || strings.HasPrefix(r.Path, "/ui/") {
			continue // the page's files
		}
		op := s.operationOf(r)
		index.Routes = append(index.Routes,
			APIRoute{r.Method, openapi.PathOf(r.Path), op.Summary, op.Access != openapi.Nobody})
	}
	return c.JSON(http.StatusOK, index)
}

// operationOf returns the description of a route.
func (s *Server) operationOf(r *echo.Route) openapi.Operation {
	if op, ok := operations[r.Method+" "+r.Path]; ok {
		return op
	}
	return s.mounted[r.Method+" "+r.Path]
}
