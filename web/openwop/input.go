package openwop

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"candor/session"
	"candor/web/problem"
)

// What a client may send with a run, besides its inputs.
const (
	maxTags     = 32
	maxTag      = 128      // bytes of a tag
	maxMetadata = 16 << 10 // bytes of the metadata, and of configurable
	maxNesting  = 32       // levels of inputs, metadata and configurable
	maxInputs   = 64 << 10 // bytes of the inputs of a workflow other than chat
)

// runSettings are what a client chose for a run. They are kept with it.
type runSettings struct {
	Verbosity    Verbosity       `json:"verbosity,omitempty"`
	Threshold    *float64        `json:"threshold,omitempty"`
	Tags         []string        `json:"tags,omitempty"`
	Metadata     json.RawMessage `json:"metadata,omitempty"`
	Configurable json.RawMessage `json:"configurable,omitempty"` // as it was sent
}

// settingsOf returns what the client of a run chose; nothing for a turn that no client of this
// protocol began.
func settingsOf(t session.Turn) (s runSettings) {
	if !t.Workflow.Options.Null() {
		_ = json.Unmarshal(t.Workflow.Options.Raw(), &s) // what was masked is left out
	}
	return s
}

// startBody is what POST /v1/runs takes. Members that are not here are ignored.
type startBody struct {
	WorkflowID   string          `json:"workflowId"`
	Inputs       json.RawMessage `json:"inputs"`
	TenantID     *string         `json:"tenantId"`
	ScopeID      *string         `json:"scopeId"`
	CallbackURL  *string         `json:"callbackUrl"`
	Configurable json.RawMessage `json:"configurable"`
	Tags         []string        `json:"tags"`
	Metadata     json.RawMessage `json:"metadata"`
}

// parseStart parses and checks what a run is to be begun with.
func (s *Server) parseStart(in *incoming, body []byte) (Start, error) {
	var b startBody
	if err := parseObject(body, &b); err != nil {
		return Start{}, err
	}
	if b.CallbackURL != nil && *b.CallbackURL != "" {
		return Start{}, badRequest("This server calls nobody back, so leave callbackUrl out and read the run's events.")
	}
	chosen, err := b.settings(in.version)
	if err != nil {
		return Start{}, err
	}
	out := Start{
		Workflow: b.WorkflowID, Inputs: orNil(b.Inputs), Options: jsonOf(chosen),
		Threshold: chosen.Threshold, Spoken: chosen.Verbosity != Off && !s.options.Whole,
	}
	if !isObject(out.Inputs) || nesting(out.Inputs) > maxNesting {
		return Start{}, badRequest("inputs has to be an object with at most 32 levels.")
	}
	if b.WorkflowID == ChatWorkflow {
		return in.chat(out)
	}
	if !slices.ContainsFunc(s.options.Workflows, func(d Definition) bool { return d.ID == b.WorkflowID }) {
		return Start{}, s.unknown(b.WorkflowID)
	}
	if len(out.Inputs) > maxInputs {
		return Start{}, badRequest("inputs has to have at most 64 KiB.")
	}
	out.Prompt = "Run the workflow " + b.WorkflowID + "."
	return out, nil
}

// unknown returns the refusal of a workflow that the server does not have.
func (s *Server) unknown(workflow string) error {
	const fixtures = "conformance-"
	isFixture := func(d Definition) bool { return strings.HasPrefix(d.ID, fixtures) }
	switch {
	case workflow == "":
		return badRequest("workflowId is missing. It names the workflow to run, such as chat.")
	case slices.ContainsFunc(s.options.Workflows, isFixture):
		return badRequest("There is no such workflow. The server has chat, and those listed in fixtures of " +
			"GET /.well-known/openwop.")
	}
	return badRequest("There is no such workflow. The server has chat only; started with --openwop-fixtures it also " +
		"has some for tests of clients, whose names begin with " + fixtures + ".")
}

// chat completes the start of a run that is a turn of the agent.
func (in *incoming) chat(out Start) (Start, error) {
	var asked struct {
		Message  *string `json:"message"`
		ThreadID *string `json:"threadId"`
	}
	if err := json.Unmarshal(orEmpty(out.Inputs), &asked); err != nil {
		return out, badRequest("inputs.message and inputs.threadId have to be strings.")
	}
	if asked.Message == nil || strings.TrimSpace(*asked.Message) == "" {
		return out, badRequest("inputs.message has to say something to the agent.")
	}
	out.Prompt = *asked.Message
	if asked.ThreadID == nil {
		return out, nil
	}
	th, err := in.own.Thread(*asked.ThreadID)
	if err != nil || th.Origin.Observed() {
		return out, problem.New(errNotFound.Status, errNotFound.Code,
			"inputs.threadId is not one of your threads. Leave it out for a new one.")
	}
	out.Thread = th.ID
	return out, nil
}

// settings checks what else the body chooses.
func (b startBody) settings(v Version) (runSettings, error) {
	out := runSettings{Tags: b.Tags, Metadata: orNil(b.Metadata), Configurable: orNil(b.Configurable)}
	switch {
	case len(b.Tags) > maxTags || slices.ContainsFunc(b.Tags, func(t string) bool { return len(t) > maxTag }):
		return out, badRequest("tags has to be a list of at most 32 strings of at most 128 bytes each.")
	case !isSmallObject(out.Metadata):
		return out, badRequest("metadata has to be an object of at most 16 KiB and 32 levels.")
	case !isSmallObject(out.Configurable):
		return out, badRequest("configurable has to be an object of at most 16 KiB and 32 levels.")
	}
	c, err := parseConfigurable(v, orNil(b.Configurable))
	if err != nil {
		return out, err
	}
	if out.Threshold = c.Threshold.float64; out.Threshold != nil && (*out.Threshold < 0 || *out.Threshold > 1) {
		return out, badRequest("escalationThreshold has to be a number from 0 to 1.")
	}
	if c.Verbosity != nil {
		var ok bool
		if out.Verbosity, ok = ParseVerbosity(v, *c.Verbosity); !ok {
			return out, badRequest("reasoningVerbosity has to be full, summary or off, which version 2 calls none.")
		}
	}
	return out, nil
}

// configurable is what a client may configure, in either version.
type configurable struct {
	Threshold wantedThreshold `json:"escalationThreshold"`
	Verbosity *string         `json:"reasoningVerbosity"`
}

// wantedThreshold is what a client says of the confidence that a decision needs. null is no threshold, below which no
// confidence is; nil means that the client says nothing.
type wantedThreshold struct{ *float64 }

// UnmarshalJSON implements json.Unmarshaler.
func (t *wantedThreshold) UnmarshalJSON(raw []byte) error {
	t.float64 = new(0.0)
	return json.Unmarshal(raw, t.float64)
}

// parseConfigurable parses what a client configures. Version 1 ignores what it does not know;
// version 2 is nested, and refuses it.
func parseConfigurable(v Version, raw json.RawMessage) (configurable, error) {
	var c configurable
	wrong := badRequest("configurable has to be an object in which escalationThreshold is a number from 0 to 1 and " +
		"reasoningVerbosity a string; version 2 has them in run and ai, and nothing else.")
	if raw == nil {
		return c, nil
	}
	if v == V1 {
		if !isObject(raw) || json.Unmarshal(raw, &c) != nil {
			return c, wrong
		}
		return c, nil
	}
	var nested struct {
		Version any `json:"version"`
		Run     struct {
			Threshold wantedThreshold `json:"escalationThreshold"`
		} `json:"run"`
		AI struct {
			Verbosity *string `json:"reasoningVerbosity"`
		} `json:"ai"`
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if !isObject(raw) || d.Decode(&nested) != nil {
		return c, wrong
	}
	return configurable{Threshold: nested.Run.Threshold, Verbosity: nested.AI.Verbosity}, nil
}

// parseFork checks what a fork asks for.
func parseFork(body []byte) error {
	var b struct {
		Mode    *string          `json:"mode"`
		FromSeq *json.RawMessage `json:"fromSeq"`
	}
	if err := parseObject(body, &b); err != nil {
		return err
	}
	switch {
	case b.Mode == nil:
		return badRequest("mode has to be replay.")
	case *b.Mode == "branch":
		return errUnsupported
	case *b.Mode != "replay":
		return badRequest("There is no such mode. mode has to be replay.")
	case b.FromSeq != nil && string(*b.FromSeq) != "0" && string(*b.FromSeq) != "null":
		return problem.New(http.StatusBadRequest, "fork_point_invalid",
			"A replay repeats the whole run, so leave fromSeq out, or make it 0.")
	}
	return nil
}

// parseObject parses a body, which has to be an object.
func parseObject(body []byte, v any) error {
	if err := json.Unmarshal(body, v); err != nil {
		return problem.BadJSON(err)
	}
	if !isObject(body) {
		return badRequest("The body has to be a JSON object.")
	}
	return nil
}

// isObject reports whether valid JSON is an object, or nothing at all.
func isObject(raw json.RawMessage) bool {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	return len(raw) == 0 || raw[0] == '{'
}

// isSmallObject reports whether valid JSON is an object as small as metadata has to be, or nothing.
func isSmallObject(raw json.RawMessage) bool {
	return len(raw) <= maxMetadata && isObject(raw) && nesting(raw) <= maxNesting
}

// orNil returns nil for null.
func orNil(raw json.RawMessage) json.RawMessage {
	if string(raw) == "null" {
		return nil
	}
	return raw
}

// orEmpty returns an empty object for nothing.
func orEmpty(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return json.RawMessage("{}")
	}
	return raw
}

// nesting returns how many levels valid JSON has.
func nesting(raw json.RawMessage) (deepest int) {
	level, d := 0, json.NewDecoder(bytes.NewReader(raw))
	for {
		token, err := d.Token()
		if err != nil {
			return deepest // io.EOF, since the JSON is valid
		}
		if delim, ok := token.(json.Delim); ok {
			if delim == '{' || delim == '[' {
				level++
			} else {
				level--
			}
			deepest = max(deepest, level)
		}
	}
}
