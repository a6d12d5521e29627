package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Search says what to look for among all decisions of a user: the words as a person typed them, and the
// accepted values of facets by their names, such as outcome. An empty one finds everything.
type Search struct {
	Words  string
	Want   map[string][]string
	Limit  int // of the hits returned; 0 leaves it to the server
	Offset int // hits that an earlier answer had
}

// Found is the answer to a search, the best hit first. Looked has the words that count, and Near those
// that stand for others in the hits.
type Found struct {
	Hits      []Hit                  `json:"hits"`
	Total     int                    `json:"total"`
	Looked    []string               `json:"looked_for"`
	Near      []string               `json:"near"`
	Partial   bool                   `json:"partial"`   // no hit has all of the words
	Truncated bool                   `json:"truncated"` // the oldest turns were not searched
	Behind    bool                   `json:"behind"`    // older turns are still being indexed, and come later
	Searched  Searched               `json:"searched"`
	Facets    map[string][]FacetItem `json:"facets"`

	Raw json.RawMessage `json:"-"` // the answer as received
}

// Searched counts what a search read: decisions, other texts, and the threads and jobs they are in.
type Searched struct {
	Decisions int `json:"decisions"`
	Texts     int `json:"texts"`
	Places    int `json:"places"`
}

// FacetItem is a value of a facet, and how many hits have it, or would have it if this facet were not chosen.
// A facet lists its most frequent values first, and fifty at most.
type FacetItem struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// Hit is a call, or what was said in a turn or a job apart from its calls. It has either ThreadID
// and TurnNumber or JobID. Field names the text that Snippet is from; the last five members are those of
// a call.
type Hit struct {
	ThreadID    string    `json:"thread_id"`
	JobID       string    `json:"job_id"`
	TurnNumber  int       `json:"turn_number"`
	Step        int       `json:"step"`
	CallID      string    `json:"call_id"`
	At          time.Time `json:"at"`
	Title       string    `json:"title"`
	Participant string    `json:"participant"` // whose turn it is, of an observed thread
	Agent       string    `json:"agent"`
	Tool        string    `json:"tool_name"`
	Outcome     string    `json:"outcome"`
	Source      string    `json:"rationale_source"`
	Field       string    `json:"field"`
	Snippet     []Part    `json:"snippet"`
	IsNear      bool      `json:"near"`

	Name   []Part `json:"tool"`
	Object []Part `json:"object"`
	// Reason is empty if none was given, and the fallback sentence if Source says so.
	Reason []Part `json:"rationale"`
	Line   string `json:"outcome_line"`
}

// Part is a piece of a text. Match marks a word that was looked for, or one that stands for it. The pieces of a
// text that was cut begin or end with an ellipsis.
type Part struct {
	Text  string `json:"text"`
	Match bool   `json:"match"`
}

// Search searches the decisions of the user in all threads and jobs. The server refuses a query that is too long
// with the code bad_query, and numbers out of its bounds with bad_limit and bad_offset. What it finds has been
// cleaned there; whoever prints it cleans it once more, as all text of a server.
func (c *Client) Search(ctx context.Context, s Search) (Found, error) {
	q := url.Values{"q": {s.Words}}
	for name, values := range s.Want {
		q[name] = values
	}
	if s.Limit > 0 {
		q.Set("limit", strconv.Itoa(s.Limit))
	}
	if s.Offset > 0 {
		q.Set("offset", strconv.Itoa(s.Offset))
	}
	// The answer is decoded in a second step, so that programs get members that this package does not know.
	var found Found
	if err := c.call(ctx, http.MethodGet, "/api/chat/search?"+q.Encode(), nil, &found.Raw); err != nil {
		return Found{}, err
	}
	if err := json.Unmarshal(found.Raw, &found); err != nil {
		return Found{}, c.unreachable(ctx, errNotCandor)
	}
	return found, nil
}
