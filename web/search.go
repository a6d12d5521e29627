package web

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"candor/session"
)

// SearchResponse is the answer of GET /api/chat/search: what was found, in the
// newest turns first, and how much there is of each kind.
type SearchResponse struct {
	Hits      []SearchHit            `json:"hits"`
	Total     int                    `json:"total"` // of hits; at most limit of them are here
	Facets    map[string][]FacetItem `json:"facets"`
	Truncated bool                   `json:"truncated,omitempty"` // the oldest turns were not looked at
}

// FacetItem is a value that hits have, and how many would have it if the facet
// were not chosen from.
type FacetItem struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// How many hits an answer has: by default, and at most.
const (
	defaultHits = 50
	maxHits     = 200
)

// A query's bounds: characters and words.
const (
	maxQuery = 200
	maxWords = 8
)

// search: GET /api/chat/search?q=&tool=&outcome=&source=&agent=&redacted=&limit=.
// All words of q have to stand in what a hit says, in any case; words in quotes
// stand together. A facet may be given more than once, and then any value will do.
func (s *Server) search(c echo.Context) error {
	q, err := queryOf(c)
	if err != nil {
		return err
	}
	own, err := s.Store.Open(c.Request().Context(), userOf(c))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, q.run(newestFirst(own)))
}

func queryOf(c echo.Context) (*query, error) {
	q := &query{limit: defaultHits, budget: searchBudget, want: map[string][]string{}}
	raw := strings.TrimSpace(c.QueryParam("q"))
	words := wordsOf(raw)
	if len([]rune(raw)) > maxQuery || len(words) > maxWords {
		return nil, problem(http.StatusBadRequest, "bad_query", "q may have 200 characters and 8 words. Search for less.").
			with("max_characters", maxQuery).with("max_words", maxWords)
	}
	for _, w := range words {
		q.words = append(q.words, strings.ToLower(w))
	}
	q.marks = compile(words)
	for _, name := range facetNames {
		q.want[name] = c.QueryParams()[name]
	}
	if values := q.want["redacted"]; slices.ContainsFunc(values, func(v string) bool { return v != yes && v != no }) {
		return nil, problem(http.StatusBadRequest, "bad_redacted", "redacted has to be true or false.")
	}
	if raw := c.QueryParam("limit"); raw != "" {
		n, err := strconv.Atoi(raw)
		if err != nil || n < 1 || n > maxHits {
			return nil, problem(http.StatusBadRequest, "bad_limit", "limit has to be a whole number from 1 to 200.").
				with("min", 1).with("max", maxHits)
		}
		q.limit = n
	}
	return q, nil
}

// wordsOf splits a query at white space, but not inside quotes.
func wordsOf(q string) []string {
	var words []string
	for i, part := range strings.Split(q, `"`) {
		if i%2 == 1 {
			part = strings.Join(strings.Fields(part), " ")
			if part != "" {
				words = append(words, part)
			}
			continue
		}
		words = append(words, strings.Fields(part)...)
	}
	return words
}

// newestFirst are all turns of a session's threads, and its jobs, by when they began.
func newestFirst(own *session.Session) []searched {
	var all []searched
	for _, th := range own.Threads() {
		h, err := own.History(th.ID, session.Page{})
		if err != nil {
			continue // a thread of the list that is gone is no failure
		}
		for _, t := range h.Turns {
			all = append(all, searched{at: t.CreatedAt, turn: &t})
		}
	}
	for _, j := range own.Jobs() {
		events, _, err := own.JobEvents(j.ID, 0, j.Events)
		if err == nil {
			all = append(all, searched{at: j.CreatedAt, job: &j, events: events})
		}
	}
	slices.SortStableFunc(all, func(a, b searched) int { return b.at.Compare(a.at) })
	return all
}
