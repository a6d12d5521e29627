package web

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"candor/session"
	"candor/web/problem"
	"candor/web/view"
)

// The number of hits in an answer, and of those that may come before them.
const (
	defaultHits = 50
	maxHits     = 200
	maxOffset   = 1000
)

// The bounds of a query, in characters and in words.
const (
	maxQuery = 200
	maxWords = 8
)

// search handles GET /api/chat/search?q=&tool=&outcome=&source=&agent=&participant=&redacted=&limit=&offset=.
// A hit has all words of q, in any case, or if none has, as many as any; words in quotes must be
// adjacent, and words that every question has do not count. A
// facet may be repeated, and then any of its values will do. It answers with a
// [view.SearchResponse] of at most limit hits, 50 unless the request says otherwise, after the first
// offset ones.
//
// Errors: bad_query if q has more than 200 characters or 8 words that count; bad_redacted unless each
// value is true or false; bad_limit unless limit is 1 to 200; bad_offset unless offset is 0 to 1000.
func (s *Server) search(c echo.Context, own *session.Session) error {
	q, err := queryOf(c)
	if err != nil {
		return err
	}
	from, err := own.Search(q.IndexQueries()...)
	if err != nil {
		return err
	}
	var failed error
	found := q.Run(func(yield func(view.Document) bool) {
		for d, err := range from.Documents {
			if failed = err; err != nil || !yield(d) {
				return
			}
		}
	})
	if failed != nil {
		return failed
	}
	found.Truncated, found.Behind = found.Truncated || from.More, from.Behind
	found.Searched.Decisions += from.Counted.Decisions
	found.Searched.Texts += from.Counted.Texts
	found.Searched.Places = max(found.Searched.Places, from.Places)
	return c.JSON(http.StatusOK, found)
}

// queryOf parses the parameters of a search.
func queryOf(c echo.Context) (view.Query, error) {
	q := view.Query{Limit: defaultHits, Want: map[string][]string{}}
	raw := strings.TrimSpace(c.QueryParam("q"))
	q.Words = view.SplitQuery(raw)
	if len([]rune(raw)) > maxQuery || len(q.Words) > maxWords {
		return q, problem.New(http.StatusBadRequest, "bad_query",
			"q may have at most 200 characters and 8 words. Search for less.").
			With("max_characters", maxQuery).With("max_words", maxWords)
	}
	for _, name := range view.Facets {
		q.Want[name] = c.QueryParams()[name]
	}
	for _, v := range q.Want["redacted"] {
		if v != view.FacetYes && v != view.FacetNo {
			return q, problem.New(http.StatusBadRequest, "bad_redacted", "redacted has to be true or false.")
		}
	}
	if raw := c.QueryParam("limit"); raw != "" {
		n, err := strconv.Atoi(raw)
		if err != nil || n < 1 || n > maxHits {
			return q, problem.New(http.StatusBadRequest, "bad_limit", "limit has to be a whole number from 1 to 200.").
				With("min", 1).With("max", maxHits)
		}
		q.Limit = n
	}
	if raw := c.QueryParam("offset"); raw != "" {
		n, err := strconv.Atoi(raw)
		if err != nil || n < 0 || n > maxOffset {
			return q, problem.New(http.StatusBadRequest, "bad_offset",
				"offset has to be a whole number from 0 to 1000. Search for more words, or choose a facet.").
				With("min", 0).With("max", maxOffset)
		}
		q.Offset = n
	}
	return q, nil
}
