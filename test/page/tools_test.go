package page_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The tools that the model can call, by what they do: look gives back what it was
// told to say, wait does so once its gate is open, fail fails, and danger is look for
// which a person is asked.
var toolNames = []string{"look", "wait", "fail", "danger"}

func (r *rig) toolServer() http.Handler {
	s := mcp.NewServer(&mcp.Implementation{Name: "rig", Version: "1"}, nil)
	for _, name := range toolNames {
		s.AddTool(&mcp.Tool{Name: name, Description: "It is " + name + ".", InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
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
				if name == "fail" {
					return nil, errors.New(in.Say)
				}
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: in.Say}}}, nil
			})
	}
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)
}
