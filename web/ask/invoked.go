package ask

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"candor/attach"
	"candor/web/client"
)

// invocation says why a model calls a tool, which a draft of the protocol (SEP-2817) has in the _meta of the call.
type invocation struct {
	Reason string `json:"invocationReason"`
	Intent string `json:"userIntent"` // of the person, in the model's words
	Turn   string `json:"turnId"`     // the client's own
}

// invocationMeta is the member of _meta that has it.
const invocationMeta = "io.modelcontextprotocol/aiInvocation"

// maxTurn bounds a client's name for a turn, in bytes.
const maxTurn = 128

// invoked returns why a call was made; ok is false if it does not say so.
func invoked(r *mcp.CallToolRequest) (i invocation, ok bool) {
	raw, err := json.Marshal(r.Params.Meta[invocationMeta])
	if err != nil || json.Unmarshal(raw, &i) != nil || i.Reason == "" {
		return invocation{}, false
	}
	if len(i.Turn) > maxTurn {
		i.Turn = ""
	}
	i.Turn = cmp.Or(i.Turn, rand.Text())
	return i, true
}

// asker returns what the client calls itself: in the call, or in older revisions when it connected.
func asker(r *mcp.CallToolRequest) (name, version string) {
	var who struct{ Name, Version string }
	raw, err := json.Marshal(r.Params.Meta[mcp.MetaKeyClientInfo])
	if err == nil && json.Unmarshal(raw, &who) == nil && who.Name != "" {
		return who.Name, who.Version
	}
	if first := r.Session.InitializeParams(); first != nil && first.ClientInfo != nil {
		return first.ClientInfo.Name, first.ClientInfo.Version
	}
	return "", ""
}

// record takes down a call that says why it was made, as a decision of the client's agent. A call is answered whether
// it can be taken down or not. Of its answer only the number of decisions is kept, since these are in the log
// themselves.
func (s source) record(ctx context.Context, c *client.Client, r *mcp.CallToolRequest, began time.Time, n int,
	failed error) {
	said, ok := invoked(r)
	if !ok {
		return
	}
	name, version := asker(r)
	fact := attach.Sighting{
		Agent: attach.AgentName(s.clean(name)), Channel: attach.Wrapper, At: began, Turn: said.Turn,
		Session: "asks candor", Call: rand.Text(),
	}
	told := func(change func(f *attach.Sighting)) []byte {
		one := fact
		change(&one)
		line, _ := json.Marshal(one) // of texts and times
		return append(line, '\n')
	}
	ended := &attach.Returned{Result: json.RawMessage(fmt.Sprintf(`{"decisions":%d}`, n)), Took: time.Since(began)}
	if failed != nil {
		ended.Result, ended.Error = nil, failed.Error()
	}
	batch := [][]byte{
		told(func(f *attach.Sighting) {
			f.Call, f.Turn, f.About = "", "", &attach.About{Version: s.clean(version), Title: "Candor"}
		}),
		told(func(f *attach.Sighting) {
			f.Called = &attach.Called{Tool: r.Params.Name, Params: r.Params.Arguments, Reason: said.Reason}
		}),
		told(func(f *attach.Sighting) { f.At, f.Returned = time.Now(), ended }),
		told(func(f *attach.Sighting) { f.Call, f.At, f.Ended = "", time.Now(), &attach.Ended{} }),
	}
	if said.Intent != "" {
		batch = append(batch, told(func(f *attach.Sighting) {
			f.Call, f.Prompted = "", &attach.Prompted{
				Text: said.Intent}
		}))
	}
	_, _ = c.Attach(ctx, bytes.Join(batch, nil))
}
