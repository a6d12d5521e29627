package copilot

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"candor/attach"
	"candor/attach/rows"
	"candor/attach/turns"
)

// agent is what the sightings of this package call the agent. Its telemetry has another name, github-copilot: its spans
// name no prompt that the file names, so that one session of both would have each turn twice.
const agent = "copilot"

// event is a row of a file.
type event struct {
	Type  string          `json:"type"`
	ID    string          `json:"id"`
	Time  string          `json:"timestamp"`
	Agent string          `json:"agentId"` // of a sub-agent
	Data  json.RawMessage `json:"data"`

	// Which sub-agent's row it is, and its time.
	sub string
	at  time.Time
}

// kinds are the types that are read. Those without a function tell nothing that others do not.
var kinds = map[string]func(*reader, *event) bool{
	"session.start":           with((*reader).started),
	"session.resume":          with((*reader).started),
	"session.context_changed": with((*reader).changed),
	"session.model_change":    with((*reader).changed),
	"session.import_legacy":   with((*reader).imported),
	"session.usage_record":    with((*reader).used),
	"session.error":           with((*reader).erred),
	"session.shutdown":        with((*reader).shut),
	"abort":                   with((*reader).aborted),
	"user.message":            with((*reader).asked),
	"assistant.message":       with((*reader).answered),
	"tool.execution_start":    with((*reader).runs),
	"permission.completed":    with((*reader).runs),
	"tool.execution_complete": with((*reader).returned),
	"subagent.started":        with((*reader).spawned),
	"subagent.completed":      with((*reader).left),
	"subagent.failed":         with((*reader).left),
	"assistant.turn_start":    nil,
	"assistant.turn_end":      nil,
	"permission.requested":    nil,
}

// with returns the function of a type whose data are a D. It returns false for data of other types.
func with[D any](take func(*reader, *event, *D)) func(*reader, *event) bool {
	return func(r *reader, e *event) bool {
		var d D
		if json.Unmarshal(e.Data, &d) != nil {
			return false
		}
		take(r, e, &d)
		return true
	}
}

// maxRemembered bounds the calls and sub-agents that are remembered until they end.
const maxRemembered = 1 << 14

// reader is what rows tell and later ones need.
type reader struct {
	*turns.Reader
	began      map[string]time.Time // calls, by id
	background map[string]bool      // sub-agents, by id
	usage      map[string]usage     // what the next answer took, by sub-agent
	reply      string               // the id of the model's reply of which the latest answer is a part
	group      string               // and of that answer
}

// NewReader returns a reader of one session file. session is the session's id as its folder is named, which counts if
// the row that tells it is damaged. growing says that the file may still be written.
func NewReader(session string, growing bool) *turns.Reader {
	r := &reader{began: map[string]time.Time{}, background: map[string]bool{}, usage: map[string]usage{}}
	r.Reader = turns.New(agent, growing, decode, r.take)
	if rows.IsID(session) {
		r.Session = session
	}
	return r.Reader
}

// decode decodes a line. It fails if the line is no row, or has a member of another type than it should.
func decode(line []byte) (e event, ok bool) {
	ok = json.Unmarshal(line, &e) == nil && e.Type != "" && len(e.Data) > 0 && e.Data[0] == '{' &&
		rows.OptionalID(e.ID) && rows.OptionalID(e.Agent)
	return e, ok
}

// take reads a row.
func (r *reader) take(e *event) {
	take, known := kinds[e.Type]
	switch {
	case r.Again(e.ID):
		return
	case !known:
		r.Skip(strings.ReplaceAll(e.Type, ".", " "))
		return
	case e.Type != "session.start" && !r.Known():
		return
	case take == nil:
		return
	}
	// Older versions, such as 1.0.12, name the sub-agent by the call that started it.
	var of struct {
		Parent string `json:"parentToolCallId"`
	}
	_ = json.Unmarshal(e.Data, &of) // the type's own function says what is wrong with them
	if e.sub, e.at = e.Agent, rows.Time(e.Time); e.sub == "" && rows.IsID(of.Parent) {
		e.sub = of.Parent
	}
	if !take(r, e) {
		r.Lose()
	}
}

// started reads a session's beginning, or that the program goes on with it.
func (r *reader) started(e *event, d *struct {
	Session string `json:"sessionId"`
	Version string `json:"copilotVersion"`
	Model   string `json:"selectedModel"`
	Context place  `json:"context"`
}) {
	if rows.IsID(d.Session) {
		r.Session = d.Session
	}
	if r.Known() {
		r.About(attach.About{Version: d.Version, Model: d.Model, Folder: d.Context.Folder})
	}
}

// place is where the agent works.
type place struct {
	Folder string `json:"cwd"`
}

// changed reads that the agent works elsewhere, or that another model answers. A sub-agent's is not the session's.
func (r *reader) changed(e *event, d *struct {
	place
	Model string `json:"newModel"`
}) {
	if e.sub == "" {
		r.About(attach.About{Folder: d.Folder, Model: d.Model})
	}
}

// erred reads an error of the program, which ends the turn if no answer follows.
func (r *reader) erred(e *event, d *struct {
	Message string `json:"message"`
}) {
	if e.sub == "" {
		r.Fail(d.Message)
	}
}

// shut reads that the program ended, and with it the turn.
func (r *reader) shut(*event, *struct{}) { r.Close(attach.Ended{}) }

// aborted reads that a person stopped the turn.
func (r *reader) aborted(e *event, _ *struct{}) {
	if e.sub == "" {
		r.Close(attach.Ended{Interrupted: true})
	}
}

// ofProgram begin the sources of messages that the program sends the model within a turn.
var ofProgram = regexp.MustCompile(`^(skill|agent|jit|thinking)-|^system$`)

// asked reads a message to the model.
func (r *reader) asked(e *event, d *struct {
	Text   string `json:"content"`
	Source string `json:"source"`
	Goes   bool   `json:"isAutopilotContinuation"`
}) {
	switch {
	case e.sub != "": // the parameters of the call have it
		r.Skip("user task of a sub-agent")
	case ofProgram.MatchString(d.Source):
		r.Skip("user message of the program")
	case d.Goes:
		r.Prompt(turns.RowID(e.ID, e.at), e.at, strip(d.Text), "autopilot")
	default:
		r.Prompt(turns.RowID(e.ID, e.at), e.at, strip(d.Text), rows.PlainKind(d.Source))
	}
}

// dated is what the program puts in front of a message, and reminders are the elements that it puts behind one.
var (
	dated     = regexp.MustCompile(`^\s*(<current_datetime>[^<]*</current_datetime>\s*)+`)
	reminders = []string{"reminder", "system_reminder"}
)

// strip takes what the program added out of a message.
func strip(text string) string {
	text = dated.ReplaceAllString(text, "")
	for _, name := range reminders {
		for rest := strings.TrimSpace(text); strings.HasSuffix(rest, "</"+name+">"); {
			at := strings.LastIndex(rest, "<"+name+">")
			if at < 0 {
				break
			}
			rest = strings.TrimSpace(rest[:at])
			text = rest
		}
	}
	return text
}

// answered reads an answer of the model.
func (r *reader) answered(e *event, d *struct {
	Model     string `json:"model"`
	Text      string `json:"content"`
	Thought   string `json:"reasoningText"`
	Opaque    string `json:"reasoningOpaque"`
	Encrypted string `json:"encryptedContent"`
	Output    int    `json:"outputTokens"`
	Reply     string `json:"apiCallId"`
	Chunk     int    `json:"chunkIndex"`
	Calls     []struct {
		ID     string          `json:"toolCallId"`
		Tool   string          `json:"name"`
		Params json.RawMessage `json:"arguments"`
	} `json:"toolRequests"`
}) {
	if e.sub == "" {
		r.About(attach.About{Model: d.Model})
	}
	if d.Chunk == 0 || d.Reply != r.reply {
		r.reply, r.group = d.Reply, turns.RowID(e.ID, e.at)
	}
	r.Answer(r.group, e.at, e.sub)
	r.Say(d.Thought, true)
	if sealed := len(d.Opaque) + len(d.Encrypted); d.Thought == "" {
		r.Seal(sealed)
	} else {
		r.Drop(sealed)
	}
	r.Say(d.Text, false)
	for _, c := range d.Calls {
		r.Call(c.ID, c.Tool, c.Params)
	}
	u := r.usage[e.sub]
	if delete(r.usage, e.sub); u.Reply != d.Reply || u.Reply == "" {
		u = usage{Output: d.Output}
	}
	r.Use(attach.Used{Input: u.Input, Output: u.Output, Reasoning: u.Reasoning, Cached: u.Cached})
	r.Stop(u.Finish)
}

// usage is what a reply took, which is told before the answer.
type usage struct {
	Reply     string `json:"apiCallId"`
	Input     int    `json:"inputTokens"`
	Output    int    `json:"outputTokens"`
	Cached    int    `json:"cacheReadTokens"`
	Reasoning int    `json:"reasoningTokens"`
	Finish    string `json:"finishReason"`
}

// used reads what a reply took.
func (r *reader) used(e *event, d *struct {
	Usage usage `json:"usage"`
}) {
	if len(r.usage) < maxRemembered {
		r.usage[e.sub] = d.Usage
	}
}

// called names the call that a row is of.
type called struct {
	ID string `json:"toolCallId"`
}

// runs reads that a call begins to run, or goes on since a person answered.
func (r *reader) runs(e *event, d *called) {
	if d.ID != "" && len(r.began) < maxRemembered {
		r.began[d.ID] = e.at
	}
}

// returned reads how a call ended.
func (r *reader) returned(e *event, d *struct {
	called
	Success bool `json:"success"`
	Asked   bool `json:"isUserRequested"` // by a person, and no call of the model
	Result  struct {
		Text   string            `json:"content"`
		Binary []json.RawMessage `json:"binaryResultsForLlm"`
	} `json:"result"`
	Error struct {
		Text string `json:"message"`
		Code string `json:"code"`
	} `json:"error"`
}) {
	began := r.began[d.ID]
	delete(r.began, d.ID)
	if d.Asked {
		r.Skip("call of a person")
		return
	}
	how := attach.Returned{Partial: len(d.Result.Binary) > 0}
	for _, raw := range d.Result.Binary {
		r.Drop(len(raw))
	}
	if took := e.at.Sub(began); !began.IsZero() && took > 0 && took < 24*time.Hour {
		how.Took = took
	}
	var failure *string
	if !d.Success {
		failure = &d.Error.Text
		how.Denied = d.Error.Code == "denied" || d.Error.Code == "rejected"
	}
	r.Return(d.ID, e.at, e.sub, d.Result.Text, failure, how)
}

// spawned reads that a call started a sub-agent.
func (r *reader) spawned(e *event, d *struct {
	called
	Name  string `json:"agentName"`
	Model string `json:"model"`
	Mode  string `json:"executionMode"`
}) {
	if e.sub == "" {
		e.sub = d.ID
	}
	if !rows.IsID(e.sub) || !rows.IsID(d.ID) {
		r.Lose()
		return
	}
	how := attach.Spawned{Kind: d.Name, Model: d.Model, Background: d.Mode == "background"}
	if how.Background && len(r.background) < maxRemembered {
		r.background[e.sub] = true
	}
	r.Spawn(d.ID, e.at, e.sub, how)
}

// left reads that a sub-agent ended. Its answer is the call's result, unless it works in the background.
func (r *reader) left(e *event, d *struct {
	Error     string `json:"error"`
	Cancelled bool   `json:"cancelled"`
}) {
	if r.background[e.sub] {
		delete(r.background, e.sub)
		r.CloseSub(e.at, e.sub, attach.Ended{Interrupted: d.Cancelled, Error: d.Error})
	}
}
