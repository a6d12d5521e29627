package client

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"time"
)

// AttachedInfo is what the server knows of the session of another program's agent.
type AttachedInfo struct {
	Channels []Channel  `json:"channels"` // that have told something
	ActedAt  *time.Time `json:"acted_at"` // when it last did something, by its own clock; nil if nobody said
}

// Channel says when a channel last told something new.
type Channel struct {
	Channel string    `json:"channel"` // file, hooks, telemetry or wrapper
	HeardAt time.Time `json:"heard_at"`
}

// Attached is the server's answer to sightings of another program's agent.
type Attached struct {
	Taken int `json:"taken"` // that are new
	Known int `json:"known"` // that the server had
}

// Attach posts sightings of other programs' agents, one a line as JSON, a mebibyte at most. The server keeps what it
// does not know yet, so that posting the same again changes nothing. Nobody but the server learns the token or the
// facts.
func (c *Client) Attach(ctx context.Context, sightings []byte) (a Attached, err error) {
	// The lines are sent as they are: they are JSON each, and together they are not.
	header := http.Header{"Content-Type": {"application/x-ndjson"}}
	resp, err := c.closed().open(ctx, http.MethodPost, "/api/attached", sightings, header)
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

// maxHookReply bounds the reply to a hook that is read, in bytes.
const maxHookReply = 1 << 20

// HookRoute says what a hook that is posted asks for.
type HookRoute string

// The routes.
const (
	HookTells   HookRoute = ""         // nothing
	HookReminds HookRoute = "/reasons" // a reply that may ask the model for its reasons
	HookAsks    HookRoute = "/ask"     // a person's answer, for which the reply waits
)

// Hook posts what a hook of another program's agent tells, as the program wrote it, and returns the reply that the
// program understands: a JSON object. An answer that is none, or not the server's, counts as no answer. Nobody but the
// server learns the token or the payload.
func (c *Client) Hook(ctx context.Context, agent string, payload []byte, to HookRoute) (reply []byte, err error) {
	resp, err := c.closed().open(ctx, http.MethodPost, "/api/hooks/"+url.PathEscape(agent)+string(to), payload, nil)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	reply, err = io.ReadAll(io.LimitReader(resp.Body, maxHookReply))
	if err != nil {
		return nil, c.unreachable(ctx, err)
	}
	if reply = bytes.TrimSpace(reply); !json.Valid(reply) || reply[0] != '{' {
		return nil, c.unreachable(ctx, errNotCandor)
	}
	return reply, nil
}
