package web

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"candor/session"
	"candor/web/problem"
	"candor/web/view"
)

// The number of hits in an answer.
const (
	defaultHits = 50
	maxHits     = 200
)

// The bounds of a query, in characters and in words.
const (
	maxQuery = 200
	maxWords = 8
)

// search handles GET /api/chat/search?q=&tool=&outcome=&source=&agent=&participant=&redacted=&limit=.
// A hit contains all words of q, in any case; words in quotes must be adjacent. A
// facet may be repeated, and then any of its values will do. It answers with a
// [view.SearchResponse] of at most limit hits, 50 unless the request says otherwise.
//
// Errors: bad_query if q has more than 200 characters or 8 words; bad_redacted unless each
// value is true or false; bad_limit unless limit is 1 to 200.
func (s *Server) search(c echo.Context, own *session.Session) error {
	q, err := queryOf(c)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, q.Run(newestFirst(own)))
}

// queryOf parses the parameters of a search.
func queryOf(c echo.Context) (view.Query, error) {
	q := view.Query{Limit: defaultHits, Want: map[string][]string{}}
	raw := strings.TrimSpace(c.QueryParam("q"))
	q.Words = view.SplitQuery(raw)
	if len([]rune(raw)) > maxQuery || len(q.Words) > maxWords {
		return q, problem.New(http.StatusBadRequest, "bad_query",
			"q may have 200 characters and 8 words. Search for less.").
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
	return q, nil
}

// newestFirst returns the turns of all threads of a session, and its jobs, in reverse
// order of when they began.
func newestFirst(own *session.Session) []view.Document {
	var all []view.Document
	for _, th := range own.Threads() {
		h, err := own.History(th.ID, session.Page{})
		if err != nil {
			continue // the thread was dropped since it was listed
		}
		for _, t := range h.Turns {
			all = append(all, view.Document{At: t.CreatedAt, Turn: &t, Origin: th.Origin})
		}
	}
	for _, j := range own.Jobs() {
		events, _, err := own.JobEvents(j.ID, 0, j.Events)
		if err == nil {
			all = append(all, view.Document{At: j.CreatedAt, Job: &j, Events: events})
		}
	}
	slices.SortStableFunc(all, func(a, b view.Document) int { return b.At.Compare(a.At) })
	return all
}
