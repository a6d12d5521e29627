package client

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
)

// Attached is the server's answer to sightings of another program's agent.
type Attached struct {
	Taken int `json:"taken"` // that are new
	Known int `json:"known"` // that the server had
}

// Attach posts sightings of other programs' agents, one a line as JSON, a mebibyte at most. The server keeps what it
// does not know yet, so that posting the same again changes nothing.
func (c *Client) Attach(ctx context.Context, sightings []byte) (a Attached, err error) {
	// The lines are sent as they are: they are JSON each, and together they are not.
	header := http.Header{"Content-Type": {"application/x-ndjson"}}
	resp, err := c.open(ctx, http.MethodPost, "/api/attached", sightings, header)
	if err != nil {
		return a, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return a, c.unreachable(ctx, err)
	}
	if json.Unmarshal(raw, &a) != nil {
		return a, c.unreachable(ctx, errNotCandor)
	}
	return a, nil
}
