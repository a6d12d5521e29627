package page_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// tool is a tool that the model can call.
type tool struct {
	name, about string
	says        string        // its result, unless the call's arguments name another
	fails       bool          // makes the result an error
	takes       time.Duration // besides the time at a gate
}

// tools are those of every test, then those of the screens. The arguments say and gate
// give a call its result and the gate at which it waits first. A person has to approve
// danger and remove_releases.
var tools = []tool{
	{name: "look"}, {name: "wait"}, {name: "fail", fails: true}, {name: "danger"},
	{"deploy_log", "Reads the log of a deploy.",
		"23:41 deploy started\n23:58 deploy finished: 14 of 14 hosts", false, 240 * time.Millisecond},
	{"error_rate", "Gives the share of failed requests.",
		"peak 0.2 %, back at 0 by 23:59", false, 910 * time.Millisecond},
	{"open_alerts", "Lists alerts that are open.", "none", false, 380 * time.Millisecond},
	{"schema_version", "Asks a database for its schema.", "214", false, 130 * time.Millisecond},
	{"list_releases", "Lists releases on disk.", "r210 r211 r212 r213 r214", false, 60 * time.Millisecond},
	{"disk_usage", "Says how much room a folder takes.", "permission denied: /srv/cache", true, 90 * time.Millisecond},
	{"remove_releases", "Removes releases from disk, for good.", "removed", false, 0},
}

func (r *rig) toolServer() http.Handler {
	s := mcp.NewServer(&mcp.Implementation{Name: "rig", Version: "1"}, nil)
	for _, one := range tools {
		about := cmp.Or(one.about, "It is "+one.name+".")
		s.AddTool(&mcp.Tool{Name: one.name, Description: about, InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return r.use(ctx, one, req)
			})
	}
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)
}

func (r *rig) use(ctx context.Context, t tool, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var in struct {
		Gate string `json:"gate"`
		Say  string `json:"say"`
	}
	_ = json.Unmarshal(req.Params.Arguments, &in)
	if in.Gate != "" {
		select {
		case <-r.gate(in.Gate):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	pass(ctx, t.takes)
	said := cmp.Or(in.Say, t.says)
	if t.fails {
		return nil, errors.New(said)
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: said}}}, nil
}
