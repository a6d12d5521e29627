package replaytest

import (
	"bytes"
	"encoding/json"
	"errors"

	"candor/agent"
)

// wanted is a response, or an error, as want.json has it. Bytes are strings, so that a
// reviewer can read them, and members that are empty are left out.
type wanted struct {
	Text    string         `json:"text,omitempty"`
	Summary string         `json:"summary,omitempty"`
	Calls   []wantedCall   `json:"calls,omitempty"`
	Opaque  []wantedOpaque `json:"opaque,omitempty"`
	Sealed  *wantedSealed  `json:"sealed,omitempty"`
	Stop    agent.Stop     `json:"stop,omitempty"`
	Thought string         `json:"thoughts,omitempty"`
	Model   string         `json:"model,omitempty"`
	Usage   *agent.Usage   `json:"usage,omitempty"`
	Error   *wantedError   `json:"error,omitempty"`
}

// wantedCall is a tool call with its arguments as the model wrote them.
type wantedCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Before    string `json:"before,omitempty"`
}

// wantedOpaque is opaque reasoning, which a test may look into.
type wantedOpaque struct {
	Provider string `json:"provider"`
	Kind     string `json:"kind"`
	Bytes    string `json:"bytes"`
}

// wantedSealed is how much reasoning only the provider can read. The tokens are those of the usage.
type wantedSealed struct {
	Kind  string `json:"kind"`
	Bytes int    `json:"bytes"`
}

// wantedError is a failure with its class, and how long the provider asks to wait.
type wantedError struct {
	Failure string `json:"failure"`
	Status  int    `json:"status,omitempty"`
	Wait    string `json:"wait,omitempty"`
	Words   string `json:"words"`
}

// failures names the classes of failures in want.json.
var failures = map[agent.Failure]string{
	agent.Permanent: "permanent", agent.Temporary: "temporary", agent.TooLong: "too long",
}

// outcome encodes what a provider returned in the form of want.json.
func outcome(r agent.Response, err error) []byte {
	w := wanted{Text: r.Text, Summary: r.Summary, Stop: r.Stop, Thought: r.Thoughts, Model: r.Model}
	for i, c := range r.Calls {
		if i == 0 {
			c.Before = "" // it is the text before all calls
		}
		w.Calls = append(w.Calls, wantedCall{c.ID, c.Name, string(c.Arguments), c.Before})
	}
	for _, o := range r.Opaque {
		w.Opaque = append(w.Opaque, wantedOpaque{o.Provider, o.Kind, string(o.Data)})
	}
	if s := r.Sealed; s.Known() {
		w.Sealed = &wantedSealed{string(s.Kind), s.Bytes}
	}
	if r.Usage != (agent.Usage{}) {
		w.Usage = &r.Usage
	}
	if err != nil {
		w.Error = &wantedError{Failure: "not classified", Words: err.Error()}
		if p, ok := errors.AsType[*agent.ProviderError](err); ok {
			w.Error.Failure, w.Error.Status = failures[p.Failure], p.Status
			if p.RetryAfter > 0 {
				w.Error.Wait = p.RetryAfter.String()
			}
		}
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	_ = enc.Encode(w)
	return out.Bytes()
}
