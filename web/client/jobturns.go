package client

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
)

// JobTurns returns what the workers of a job did about its prompts, as turns, the oldest
// first. It fails with code no_job if there is none.
func (c *Client) JobTurns(ctx context.Context, id string) (turns []Turn, err error) {
	for before := ""; ; {
		var page struct {
			Turns   []Turn `json:"turns"`
			HasMore bool   `json:"has_more"`
			Before  string `json:"before"`
		}
		if err := c.call(ctx, http.MethodGet, "/api/jobs/"+url.PathEscape(id)+before, nil, &page); err != nil {
			return nil, err
		}
		turns = joinTurns(page.Turns, turns)
		if !page.HasMore || page.Before == "" || len(page.Turns) == 0 {
			return turns, nil
		}
		before = "?before=" + url.QueryEscape(page.Before)
	}
}

// joinTurns returns the turns of two pages that follow one another. A turn that was cut between
// them is put together again.
func joinTurns(older, newer []Turn) []Turn {
	n := len(older)
	if n == 0 || len(newer) == 0 || older[n-1].Number != newer[0].Number {
		return append(older, newer...)
	}
	var whole Turn
	if raw := joinParts(older[n-1].Raw, newer[0].Raw); json.Unmarshal(raw, &whole) != nil {
		whole = newer[0]
	}
	return append(append(older[:n-1], whole), newer[1:]...)
}

// members are the members of a JSON object.
type members map[string]json.RawMessage

// joinParts returns the later part of a turn with the calls of the earlier one before its own. It
// joins members, not Turn values, since Turn.Raw is to have those that Turn does not know, too.
func joinParts(earlier, later json.RawMessage) json.RawMessage {
	a, b := object(earlier), object(later)
	b["tool_calls"] = concat(a["tool_calls"], b["tool_calls"])
	before, reasons := object(a["reasoning"]), object(b["reasoning"])
	for _, list := range []string{"tool_decisions", "narratives"} {
		if joined := concat(before[list], reasons[list]); len(joined) > 0 {
			reasons[list] = joined
		}
	}
	for name, value := range before {
		if _, ok := reasons[name]; !ok {
			reasons[name] = value
		}
	}
	if raw, err := json.Marshal(reasons); err == nil && len(reasons) > 0 {
		b["reasoning"] = raw
	}
	raw, err := json.Marshal(b)
	if err != nil {
		return later
	}
	return raw
}

// object returns the members of an object, none for any other value.
func object(raw json.RawMessage) members {
	var m members
	if json.Unmarshal(raw, &m) != nil || m == nil {
		return members{}
	}
	return m
}

// concat joins two arrays. What a step said before its calls is in both parts if the step was
// cut; it is taken once.
func concat(a, b json.RawMessage) json.RawMessage {
	var x, y []json.RawMessage
	if json.Unmarshal(a, &x) != nil || len(x) == 0 {
		return b
	}
	if json.Unmarshal(b, &y) != nil || len(y) == 0 {
		return a
	}
	if bytes.Equal(x[len(x)-1], y[0]) {
		y = y[1:]
	}
	raw, err := json.Marshal(append(x, y...))
	if err != nil {
		return b
	}
	return raw
}
