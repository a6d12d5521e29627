package settings

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// How long a program waits for the command of a hook, and for that of one that waits for a person. The command itself
// gives up before, and the server before that.
const (
	hookTime = 10 * time.Second
	askTime  = 10 * time.Minute
)

// What the command has behind the program's name to wait for a person, or to ask the model for its reasons.
const (
	askFlag    = " --approve"
	remindFlag = " --ask-reasons"
)

// Commands describes the hooks of a program that runs commands as hooks. Each runs candor hook, which passes the event
// on to a server. The command's arguments distinguish Candor's hooks from others, wherever candor was installed.
type Commands struct {
	// Program is the program's name for candor hook. Candor is the full path of candor, since a shell runs the command
	// in the folder in which the agent works.
	Program, Candor string
	// Events are the events that report. OfTools are those of a tool call, which need a matcher, and Before is the one
	// before it; AllTools is the matcher for all tools.
	Events, OfTools  []string
	Before, AllTools string
	// Answered are further events whose hooks fetch the answer that a person gave about a call, without waiting.
	Answered []string
	// Reminds are the events whose reply may add to the model's input.
	Reminds []string
	// Switch is the setting that has the program ask for summaries of the model's thoughts; "" if it has none.
	Switch string
	// Unit is the unit of the timeouts.
	Unit time.Duration
	// Named says that hooks have a name.
	Named bool
	// Posted is the path of hooks that the program posts by itself, which Candor's were once; "" if there are none.
	Posted string
}

// Reporting returns the hooks that report.
func (c Commands) Reporting() Hooks {
	return Hooks{
		Events: c.Events,
		Entry:  func(event, server string) any { return c.entry("", event, server) },
		Ours:   c.reportsTo, Marks: []string{" hook " + c.Program, cmp.Or(c.Posted, " hook "+c.Program)},
		Waits: c.arguments(askFlag), Reminds: c.arguments(remindFlag), Switch: c.Switch,
	}
}

// Approving returns the hooks that report, and a further one that lets calls of the given tools wait for a person. The
// names of the tools may be patterns. The reporting hook stays separate, so that a server that does not answer delays
// nothing else.
func (c Commands) Approving(tools []string) Hooks {
	h := c.Reporting()
	h.Events = slices.Concat(c.Events, c.Answered)
	asking := func(event, server string) hooked {
		e := c.entry(askFlag, event, server)
		e.Matcher = "^(" + strings.Join(tools, "|") + ")$"
		return e
	}
	h.Entry = func(event, server string) any {
		if slices.Contains(c.Answered, event) {
			return asking(event, server)
		}
		return c.entry("", event, server)
	}
	h.Further = func(event, server string) []any {
		if event != c.Before {
			return nil
		}
		e := asking(event, server)
		e.Hooks[0].Timeout = int(askTime / c.Unit)
		if c.Named {
			e.Hooks[0].Name = "candor-approve"
		}
		return []any{e}
	}
	return h
}

// Reminding returns hooks that report as h does, and whose replies ask the model for the reason of each call.
func (c Commands) Reminding(h Hooks) Hooks {
	reports := h.Entry
	h.Entry = func(event, server string) any {
		if slices.Contains(c.Reminds, event) {
			return c.entry(remindFlag, event, server)
		}
		return reports(event, server)
	}
	return h
}

// arguments stand in a command between the path of candor and the address of the server.
func (c Commands) arguments(flag string) string { return " hook " + c.Program + flag + " --server " }

// reportsTo returns the server of an entry that we added, which has one hook, or "".
func (c Commands) reportsTo(raw json.RawMessage) string {
	var e struct {
		Hooks []struct {
			Type    string `json:"type"`
			Command string `json:"command"`
			URL     string `json:"url"`
		} `json:"hooks"`
	}
	if json.Unmarshal(raw, &e) != nil || len(e.Hooks) != 1 {
		return ""
	}
	if c.Posted != "" && e.Hooks[0].Type == "http" {
		server, asks, ours := strings.Cut(e.Hooks[0].URL, c.Posted)
		if !ours || !slices.Contains([]string{"", "/ask", "/reasons"}, asks) {
			return ""
		}
		return server
	}
	if e.Hooks[0].Type != "command" {
		return ""
	}
	// Hooks that ask for something have the arguments of those that report, and a flag.
	reports := c.arguments("")
	plain := strings.NewReplacer(c.arguments(remindFlag), reports, c.arguments(askFlag), reports)
	_, server, ours := strings.Cut(plain.Replace(e.Hooks[0].Command), reports)
	if !ours {
		return ""
	}
	return strings.ReplaceAll(strings.Trim(server, "'"), `'\''`, "'")
}

// hooked is an entry of an event.
type hooked struct {
	Matcher string    `json:"matcher,omitempty"`
	Hooks   []command `json:"hooks"`
}

// command is a hook that runs one.
type command struct {
	Name    string `json:"name,omitempty"`
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout"`
}

// entry returns the entry of an event, whose command has a flag or "".
func (c Commands) entry(flag, event, server string) hooked {
	run := quoted(c.Candor) + c.arguments(flag) + quoted(server)
	e := hooked{Hooks: []command{{Type: "command", Command: run, Timeout: int(hookTime / c.Unit)}}}
	if c.Named {
		e.Hooks[0].Name = "candor"
	}
	if slices.Contains(c.OfTools, event) {
		e.Matcher = c.AllTools
	}
	return e
}

// quoted returns a word as a shell reads it, whatever is in it.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// The value of a switch that Attach turned on. The second space says that it is ours: neither a person nor a program
// that writes JSON puts it there.
const onByUs = `:  true`

// switchOn returns settings, which have hooks, with the switch on. One that is on stays as it is.
func (h Hooks) switchOn(settings []byte) ([]byte, error) {
	l, err := layoutOf(settings)
	if err != nil {
		return nil, err
	}
	if p, there := l.root.named(h.Switch); there {
		if string(settings[p.at:p.to]) != "true" {
			return nil, fault(settings, p.at, "this turns summaries of the model's thoughts off: remove it first")
		}
		return settings, nil
	}
	return edited(settings, []edit{l.style().insert(l.root, []string{`"` + h.Switch + `"` + onByUs}, hooksDepth)}), nil
}

// switchedBack returns settings without a switch that Attach turned on. What cannot be read stays as it is.
func (h Hooks) switchedBack(settings []byte) []byte {
	l, err := layoutOf(settings)
	if err != nil || h.Switch == "" {
		return settings
	}
	drop, some := make([]bool, len(l.root.parts)), false
	for i, p := range l.root.parts {
		drop[i] = string(settings[p.from:p.to]) == `"`+h.Switch+`"`+onByUs
		some = some || drop[i]
	}
	if !some {
		return settings
	}
	cuts, _ := l.root.without(drop)
	return edited(settings, cuts)
}
