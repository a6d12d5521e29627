package agent

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"candor/session"
)

// Tool is a function that a model can call. Run receives arguments that are valid
// against the schema, without the rationale, and returns JSON. Turns call it
// concurrently, and it must return soon after ctx has ended.
type Tool interface {
	Spec() Spec
	Run(ctx context.Context, args json.RawMessage) (json.RawMessage, error)
}

// Spec describes a tool. Models see its name, description and schema.
type Spec struct {
	Name        string
	Description string
	Schema      *jsonschema.Schema // of type object; nil allows any object
	Approval    Approval
	MayWait     bool // a call may wait for somebody
	FrontEnd    bool // the user's front end runs the tool
	Decides     bool // a call states a decision and touches nothing
	ReadOnly    bool // the tool changes nothing and sends nothing, so no person has to review a call
	HTTP        bool // a call is a request to a server
	Origin      Origin

	// Takes is how long a call takes, for tools of which it is known. Calls of one step whose tools
	// have it are recorded in the order of these times, so that a script plays the same way always.
	Takes *time.Duration
}

// transport returns by what way calls reach the tool, and nothing for a tool that does not exist.
func (s Spec) transport() session.Transport {
	switch {
	case s.Name == "":
		return ""
	case s.Origin.Server != "":
		return session.MCP
	case s.HTTP:
		return session.HTTP
	}
	return session.Native
}

// Origin says where a tool comes from that a server brought, so that rules hold for the tool and
// not for a name that it may lose. It is empty for tools of our own.
type Origin struct {
	Server     string   // as the operator calls it
	Tool       string   // the server's own name for it, as it came: text of others
	Names      []string // every name that models may know it by
	Definition string   // a digest of the server's name and of the tool's own name, description and schema
}
