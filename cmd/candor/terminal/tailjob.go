package terminal

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"candor/web/client"
)

// showJobEvent prints an event of a job.
func (t *Tail) showJobEvent(e client.Event) {
	if t.JSON {
		t.print(SafeJSON(e.Raw) + "\n")
		return
	}
	if lines := t.Style.jobEvent(t.calls.complete(e)); lines != "" {
		t.heading("job "+e.JobID, e.At)
		t.print(lines)
	}
}

// jobEvent returns what an event of a job adds to the screen, "" for nothing.
//
//	┄ Opened: look around
//	○ notes_search  "somebody may have met this before"
//	  params: { "query": "login slow" }
//	● notes_search
//	  ▸ [{ "note": "the index is missing" }]
func (s Style) jobEvent(e client.Event) string {
	switch e.Type {
	case "job_started":
		return s.hang("  ┄ ", dim, "Opened: "+truncate(CleanLine(e.Title), maxParams))
	case "job_message":
		return s.hang("  "+fit(CleanLine(e.Role), 16)+": ", "", truncate(CleanLine(e.Content), 400)) +
			s.stopped(e.Stopped)
	case "job_tool_use":
		return s.jobToolUse(e)
	case "job_tool_result":
		return s.jobToolResult(e)
	case "job_reasoning":
		return s.jobReasoning(e)
	case "job_status":
		state, message := truncate(CleanLine(e.State), 64), truncate(CleanLine(e.Message), 400)
		return s.hang("  ┄ ", dim, strings.TrimSpace(state+". "+message))
	case "job_result":
		if e.Success {
			return "\n" + s.hangAt(s.paint(green, "  ✓ "), 4, "", CleanLine(e.Message)) + "\n"
		}
		return "\n" + s.hangAt(s.paint(red, "  ✗ "), 4, "", CleanLine(e.Message)) + "\n"
	}
	return ""
}

// jobToolUse renders a call, with what the worker said before it and why, if the event
// has that already: a step's reasons are not waited for.
func (s Style) jobToolUse(e client.Event) string {
	said := ""
	switch {
	case e.Narrative != "":
		said = s.hang("  ○ ", dim, CleanLine(e.Narrative))
	case e.NarrativeBlocked:
		said = s.hang("  ○ ", italic, "(its narrative was withheld: it could not be made safe)")
	}
	if e.Thought != "" {
		said = s.hang("  ○ ", dim, CleanLine(e.Thought)+summaryNote) + said
	}
	params := s.hang("    params: ", dim, Params(e.Input))
	line, name := s.paint(dim, "  ○ "), s.shorten(toolName(e.Decision), 4)
	line += s.paint(cyan, name)
	if e.Rationale == "" {
		return said + line + "\n" + params
	}
	why := s.hangAt(line+"  ", cellWidth(name)+6, reasonRendition(e.Decision), quotedReason(e.Decision))
	return said + why + params
}

// jobToolResult renders the end of a call. It has no duration: few workers say one.
func (s Style) jobToolResult(e client.Event) string {
	mark, words := s.paint(green, "  ● "), resultLine(string(e.Output), nil)
	if e.Outcome != "success" {
		mark, words = s.paint(red, "  ● "), outcome(e.Decision, client.Call{Error: e.Error})
	}
	if e.Inferred {
		words += "  " + inferredNote
	}
	name := mark + s.paint(cyan, s.shorten(toolName(e.Decision), 4)) + "\n"
	return name + s.jobParams("    ", e.Parameters) + s.hang("    ▸ ", dim, words)
}

// jobParams is the line with the parameters of a call, "" if they are not known.
func (s Style) jobParams(margin string, params json.RawMessage) string {
	if params == nil {
		return ""
	}
	return s.hang(margin+"params: ", dim, Params(params))
}

// jobState renders how far a job is: that it waits for a worker, with the line that starts
// one at a server; that a worker has it; or why it failed, which later messages of the
// worker do not replace. It is empty for any other end, which the log has shown.
func (s Style) jobState(j client.Job, server string, now time.Time) string {
	run := ""
	if j.Run > 1 {
		run = fmt.Sprintf(", run %d", j.Run)
	}
	switch {
	case j.State == "failed":
		why := cmp.Or(truncate(CleanLine(j.Error), 2000), "the worker did not say why")
		return s.hangAt(s.paint(red, "  ✗ "), 4, "", "Failed"+run+": "+why)
	case j.EndedAt != nil:
		return ""
	case j.Waits():
		line := "CANDOR_JOB_TOKEN=… candor worker --server " + CleanLine(server) + " --job " + CleanLine(j.ID)
		return s.hang("  ┄ ", yellow, "Waiting for a worker"+run+". This line starts one, with the job's token:") +
			s.hang("    ", "", line)
	case j.WorkerAt == nil:
		return s.hang("  ┄ ", dim, "Running"+run+".")
	}
	heard := strings.Replace(age(now.Sub(*j.WorkerAt)), "now", "just now", 1)
	return s.hang("  ┄ ", dim, "Running"+run+"; its worker was heard "+heard+".")
}

// showJobState prints how far a job is.
func (t *Tail) showJobState(ctx context.Context, id string) error {
	if t.JSON {
		return nil
	}
	j, err := t.Client.Job(ctx, id)
	if err != nil {
		return err
	}
	if lines := t.Style.jobState(j, t.Client.Base(), time.Now()); lines != "" {
		t.heading("job "+id, time.Time{})
		t.print(lines)
	}
	return nil
}

// jobReasoning renders why a step of a job called its tools, or the reasoning behind an answer.
func (s Style) jobReasoning(e client.Event) string {
	if e.Answer == client.BehindAnswer {
		out := s.sealed(e.Agent, e.Sealed)
		if e.Narrative != "" || e.NarrativeBlocked {
			out = "\n" + s.answerReasoning(&client.Narration{
				Narrative: e.Narrative, Source: e.NarrativeSource, Blocked: e.NarrativeBlocked,
			}) + out
		}
		return out + s.stopped(e.Stopped)
	}
	r := &client.Reasoning{
		Narrative: e.Narrative, NarrativeSource: e.NarrativeSource, NarrativeBlocked: e.NarrativeBlocked,
		Decisions: e.Decisions, Thought: e.Thought,
	}
	var out strings.Builder
	out.WriteString("\n" + s.paint(dim, "  ┄ Reasoning") + "\n" + s.narrative(r))
	for e := range entries(client.Turn{Reasoning: r}) {
		out.WriteString(s.batchLine(e) + s.nameLine(e, true) + s.jobParams(e.margin(), e.Parameters))
		out.WriteString(s.hang(e.margin()+"→ ", dim, outcome(e.Decision, e.call)))
	}
	return out.String() + s.sealed("", e.Sealed) + s.stopped(e.Stopped) + "\n"
}

// maxJobCalls bounds the calls whose parameters are kept. Beyond it all are forgotten, and
// what belongs to them is shown without parameters.
const maxJobCalls = 4096

// jobCalls remembers the parameters of the calls of jobs, which a job's log has in the
// events that begin calls only. Calls of one tool may end in any order, and the reasons of
// a step may follow all of them: their parameters say which call each is about. The zero
// value is ready to use.
type jobCalls struct {
	params map[jobCall]json.RawMessage
	latest jobCall // that began last
}

// jobCall names a call of a job.
type jobCall struct{ job, call string }

// complete returns the event with the agent and the parameters of the calls that it is
// about, as far as they are known. A result that follows the beginning of its own call needs none.
func (c *jobCalls) complete(e client.Event) client.Event {
	call := jobCall{e.JobID, e.CallID}
	switch e.Type {
	case "job_tool_use":
		c.remember(call, e.Input)
	case "job_tool_result":
		if call != c.latest {
			e.Parameters = c.params[call]
		}
		c.latest = jobCall{}
	case "job_reasoning":
		decisions := make([]client.Decision, len(e.Decisions))
		for i, d := range e.Decisions {
			d.Parameters = c.params[jobCall{e.JobID, d.CallID}]
			d.Agent = e.Agent // a step is of one agent
			decisions[i] = d
		}
		e.Decisions, c.latest = decisions, jobCall{}
	}
	return e
}

// remember keeps the parameters of a call that begins. Only what is shown of them is kept.
func (c *jobCalls) remember(call jobCall, params json.RawMessage) {
	if c.params == nil || len(c.params) >= maxJobCalls {
		c.params = map[jobCall]json.RawMessage{}
	}
	// Params shows the beginning of JSON that breaks off.
	c.params[call] = append(json.RawMessage{}, params[:min(len(params), 8*maxParams)]...)
	c.latest = call
}
