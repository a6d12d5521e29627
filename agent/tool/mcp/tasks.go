package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A server may begin a task instead of answering a call. By the revision 2025-11-25 a client asks for that, which we do
// for tools that require it, and fetches the result by a request of its own. By the extension of 2026-07-28 a client
// says that it knows tasks, and the server decides; the result is in what it says of the task. Either way we ask how
// the task is until it has ended, within the call, so that a call has one end.

const (
	tasksExtension = "io.modelcontextprotocol/tasks"

	begun        = "candor/task"         // in the _meta of an answer: the task that the server began
	requiresTask = "candor/requiresTask" // in the _meta of a tool: it has to be called as a task

	getTask    = "tasks/get"
	taskResult = "tasks/result"
	cancelTask = "tasks/cancel"
)

// How often we ask how a task is, if the server does not say, and at the most and the least.
const (
	usualPoll = time.Second
	minPoll   = 100 * time.Millisecond
	maxPoll   = 15 * time.Second
)

// stopTask is how long a call that ends waits for the server to hear that its task is not wanted any more.
const stopTask = time.Second

// task is what a server says of a task.
type task struct {
	ID       string          `json:"taskId"`
	Status   string          `json:"status"`
	Message  string          `json:"statusMessage"`
	Interval float64         `json:"pollInterval"`   // in milliseconds, by the older revision
	Every    float64         `json:"pollIntervalMs"` // by the newer one
	Result   json.RawMessage `json:"result"`
	Error    json.RawMessage `json:"error"`
}

type (
	taskParams struct {
		sdk.ParamsBase
		TaskID string `json:"taskId"`
	}
	taskState struct {
		sdk.ResultBase
		task
	}
	// taskCall is a call that the server is asked to make a task of.
	taskCall struct {
		*sdk.CallToolParams
		Task struct{} `json:"task"`
	}
)

// The contexts of requests: of a call that is to become a task, and of the requests about a task, with its id.
type (
	asTaskKey struct{}
	taskIDKey struct{}
)

// knowTasks makes a client able to send requests about tasks.
func knowTasks(c *sdk.Client) error {
	c.AddSendingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
			call, ok := r.GetParams().(*sdk.CallToolParams)
			on, known := r.GetSession().(*sdk.ClientSession)
			if ok && known && ctx.Value(asTaskKey{}) != nil {
				r = &sdk.ClientRequest[*taskCall]{Session: on, Params: &taskCall{CallToolParams: call}}
			}
			return next(ctx, method, r)
		}
	})
	return errors.Join(
		sdk.AddSendingCustomMethod[*taskParams, *taskState](c, getTask),
		sdk.AddSendingCustomMethod[*taskParams, *taskState](c, cancelTask),
		sdk.AddSendingCustomMethod[*taskParams, *sdk.CallToolResult](c, taskResult),
	)
}

// offerTasks says in a call what the session's revision wants said of tasks. required says that the tool has to be
// called as a task.
func (s *session) offerTasks(ctx context.Context, call *sdk.CallToolParams, required bool) context.Context {
	switch {
	case s.perRequest():
		call.Meta = withTasks()
	case required:
		ctx = context.WithValue(ctx, asTaskKey{}, true)
	}
	return ctx
}

// perRequest reports whether a client says with each request what it knows.
func (s *session) perRequest() bool { return s.client.InitializeResult().ProtocolVersion > initialize }

// withTasks returns the _meta of a request whose client knows tasks.
func withTasks() sdk.Meta {
	extensions := map[string]any{tasksExtension: struct{}{}}
	return sdk.Meta{sdk.MetaKeyClientCapabilities: map[string]any{"extensions": extensions}}
}

// about returns the parameters of a request about a task.
func (s *session) about(id string) *taskParams {
	p := &taskParams{TaskID: id}
	if s.perRequest() {
		p.Meta = withTasks()
	}
	return p
}

// await returns the answer to a call: the given one or, if that began a task, what became of it.
func (s *session) await(ctx context.Context, answer *sdk.CallToolResult) (*sdk.CallToolResult, error) {
	raw, ok := answer.Meta[begun]
	var now task
	if !ok || json.Unmarshal(encoded(raw), &now) != nil || now.ID == "" {
		return answer, nil
	}
	id := now.ID
	ctx = context.WithValue(ctx, taskIDKey{}, id)
	for {
		switch now.Status {
		case "completed", "failed":
			return s.ended(ctx, id, now)
		case "cancelled":
			return nil, &jsonrpc.Error{Message: because("the server cancelled the task", now.Message)}
		case "input_required":
			s.drop(ctx, id)
			return nil, &jsonrpc.Error{Message: "the server asks back while it runs this tool, and Candor does not " +
				"answer: the task was cancelled, and may have taken effect in part"}
		}
		select {
		case <-ctx.Done():
			s.drop(ctx, id)
			return nil, ctx.Err()
		case <-time.After(now.pause()):
		}
		state, err := sdk.CallCustomMethod[*taskParams, *taskState](ctx, s.client, getTask, s.about(id))
		switch {
		case ctx.Err() != nil:
			s.drop(ctx, id)
			return nil, ctx.Err()
		case err != nil:
			return nil, err
		}
		now = state.task
	}
}

// pause returns how long to wait before a server is asked again.
func (t task) pause() time.Duration {
	ms := max(t.Interval, t.Every)
	if ms <= 0 {
		return usualPoll
	}
	return max(minPoll, time.Duration(min(ms, float64(maxPoll/time.Millisecond)))*time.Millisecond)
}

// ended returns the result of a task that has ended, which the newer revision has in what is said of the task.
func (s *session) ended(ctx context.Context, id string, now task) (*sdk.CallToolResult, error) {
	switch {
	case !isNull(now.Error):
		var failed jsonrpc.Error
		_ = json.Unmarshal(cmpRaw(mendError(now.Error), string(now.Error)), &failed)
		return nil, &failed
	case !isNull(now.Result):
		var in sdk.CallToolResult
		err := json.Unmarshal(cmpRaw(mendResult(now.Result), string(now.Result)), &in)
		return &in, err
	}
	return sdk.CallCustomMethod[*taskParams, *sdk.CallToolResult](ctx, s.client, taskResult, s.about(id))
}

// drop tells the server that the result of a task is not wanted any more. ctx may have ended.
func (s *session) drop(ctx context.Context, id string) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), stopTask)
	defer stop()
	defer context.AfterFunc(s.ctx, stop)()
	_, _ = sdk.CallCustomMethod[*taskParams, *taskState](ctx, s.client, cancelTask, s.about(id))
}

// because returns what happened, and why if the server says so.
func because(what, why string) string {
	if why = strings.TrimSpace(why); why != "" {
		what += ": " + why
	}
	return what
}

// nameTask sets the header that the newer revision wants with requests about a task, which the SDK does not know.
func nameTask(r *http.Request) {
	id, _ := r.Context().Value(taskIDKey{}).(string)
	plain := strings.IndexFunc(id, func(c rune) bool { return c <= ' ' || c > '~' }) < 0
	if method := r.Header.Get("Mcp-Method"); id != "" && plain && strings.HasPrefix(method, "tasks/") {
		r.Header.Set("Mcp-Name", id)
	}
}

// markTasks returns a page of a list of tools in which those that have to be called as tasks say so where the SDK reads
// it, or nil if there are none.
func markTasks(page map[string]json.RawMessage) json.RawMessage {
	if !bytes.Contains(page["tools"], []byte(`"taskSupport"`)) {
		return nil
	}
	all, _ := elements(page["tools"])
	marked := false
	for i, one := range all {
		var in map[string]json.RawMessage
		var execution struct {
			TaskSupport string `json:"taskSupport"`
		}
		if json.Unmarshal(one, &in) == nil && json.Unmarshal(in["execution"], &execution) == nil &&
			execution.TaskSupport == "required" {
			in["_meta"] = encoded(map[string]bool{requiresTask: true})
			all[i], marked = encoded(in), true
		}
	}
	if !marked {
		return nil
	}
	page["tools"] = encoded(all)
	return encoded(page)
}
