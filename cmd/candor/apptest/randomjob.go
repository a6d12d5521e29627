package apptest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// RandomJob is a job as a worker posts it, made up at random. Everything that belongs to
// one call carries the call's number: its input, reason, result and error. So a program
// can tell from what it is shown whether each of them stands under its own call.
type RandomJob struct {
	Name    string // of the manner in which the worker makes ids
	HasIDs  bool
	Agents  int
	Batches [][]M // posts in order, each a list of events with ids
	Calls   []RandomCall
}

// RandomCall is a call of a RandomJob.
type RandomCall struct {
	Number   int
	Agent    string
	Tool     string
	ID       string // the worker's; "" for one that sends none
	Outcome  string
	Duration int // in milliseconds; negative if the worker does not say
}

// The texts of a call, which contain its number and no other.
func (c RandomCall) input() M       { return M{"question": fmt.Sprintf("(q%d)", c.Number)} }
func (c RandomCall) reason() string { return fmt.Sprintf("because of (r%d)", c.Number) }
func (c RandomCall) output() M      { return M{"answer": fmt.Sprintf("(a%d)", c.Number)} }
func (c RandomCall) error() string  { return fmt.Sprintf("failed with (e%d)", c.Number) }

// manners are the ways in which providers and workers make ids of calls. step counts the
// steps of one agent, and place the calls of a step.
var manners = []struct {
	name string
	id   func(r *rand.Rand, step, place int) string
}{
	{"OpenAI", func(r *rand.Rand, _, _ int) string { return "call_" + letters(r, 24) }},
	{"Anthropic", func(r *rand.Rand, _, _ int) string { return "toolu_01" + letters(r, 22) }},
	{"vLLM", func(r *rand.Rand, _, _ int) string { return fmt.Sprintf("chatcmpl-tool-%032x", r.Uint64()) }},
	{"numbers of each step", func(_ *rand.Rand, _, place int) string { return fmt.Sprint("call_", place) }},
	{
		"numbers from seven on",
		func(_ *rand.Rand, step, place int) string { return fmt.Sprint("call_", 7+9*step+place) },
	},
	{"UUIDs", func(r *rand.Rand, _, _ int) string {
		return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", r.Uint32(), r.IntN(1<<16), r.IntN(1<<12), r.IntN(1<<12),
			r.Uint64N(1<<48))
	}},
	{"300 characters", func(r *rand.Rand, _, _ int) string { return letters(r, 300) }},
	{"hostile text", func(r *rand.Rand, _, place int) string {
		return fmt.Sprintf("<script>\u202e'%s'\n\x00%d", letters(r, 4), place)
	}},
	{"Gemini, without ids", nil},
}

// NewRandomJob makes up the job with a number. The same number gives the same job.
func NewRandomJob(number int) RandomJob {
	r := rand.New(rand.NewPCG(uint64(number), 2026))
	manner := manners[number%len(manners)]
	j := RandomJob{Name: manner.name, HasIDs: manner.id != nil, Agents: 1 + r.IntN(2)}
	var queues [][]M
	for a := range j.Agents {
		agent := ""
		if j.Agents > 1 {
			agent = []string{"scout", "writer"}[a]
		}
		var events []M
		for step := range 1 + r.IntN(4) {
			calls := j.randomCalls(r, agent, func(place int) string {
				if manner.id == nil {
					return ""
				}
				return manner.id(r, step, place)
			})
			events = append(events, stepEvents(r, calls)...)
		}
		queues = append(queues, events)
	}
	j.Batches = randomBatches(r, interleaved(r, queues))
	return j
}

// randomCalls adds the calls of a step to the job and returns them.
func (j *RandomJob) randomCalls(r *rand.Rand, agent string, id func(place int) string) []RandomCall {
	from := len(j.Calls)
	for place := range 1 + r.IntN(4) {
		c := RandomCall{
			Number: len(j.Calls) + 1, Agent: agent, ID: id(place), Duration: r.IntN(2000) - 500,
			Tool: []string{"search", "shell", "write_file"}[r.IntN(3)], Outcome: "success",
		}
		if r.IntN(4) == 0 {
			c.Outcome = "error"
		}
		j.Calls = append(j.Calls, c)
	}
	return j.Calls[from:]
}

// stepEvents returns the events of a step: all calls begin, they end in any order, and
// the reasons follow, unless all of them were posted with the calls. Without ids the
// results come in the order of the calls: nobody could tell them apart otherwise.
func stepEvents(r *rand.Rand, calls []RandomCall) (events []M) {
	early := r.IntN(3)
	var results, decisions []M
	for _, c := range calls {
		use := c.event(M{"event": "tool_use", "tool_name": c.Tool, "input": c.input()})
		if early > 0 {
			use["rationale"] = c.reason()
		}
		events = append(events, use)
		result := c.event(M{"event": "tool_result", "tool_name": c.Tool, "outcome": c.Outcome})
		if c.Outcome == "error" {
			result["error"] = c.error()
		} else {
			result["output"] = c.output()
		}
		if c.Duration >= 0 {
			result["duration_ms"] = c.Duration
		}
		results = append(results, result)
		decision := M{"tool_name": c.Tool, "rationale": c.reason(), "outcome": c.Outcome}
		if c.ID != "" {
			decision["call_id"] = c.ID
		}
		decisions = append(decisions, decision)
	}
	if calls[0].ID != "" {
		r.Shuffle(len(results), func(i, k int) { results[i], results[k] = results[k], results[i] })
		r.Shuffle(len(decisions), func(i, k int) { decisions[i], decisions[k] = decisions[k], decisions[i] })
	}
	events = append(events, results...)
	if early < 2 {
		step := M{"event": "reasoning", "narrative": "I look.", "tool_decisions": decisions}
		if calls[0].Agent != "" {
			step["agent"] = calls[0].Agent
		}
		events = append(events, step)
	}
	return events
}

// event adds to e what identifies the call to the server.
func (c RandomCall) event(e M) M {
	if c.ID != "" {
		e["call_id"] = c.ID
	}
	if c.Agent != "" {
		e["agent"] = c.Agent
	}
	return e
}

// interleaved merges lists at random and keeps the order of each.
func interleaved(r *rand.Rand, lists [][]M) (all []M) {
	for {
		lists = slices.DeleteFunc(lists, func(l []M) bool { return len(l) == 0 })
		if len(lists) == 0 {
			return all
		}
		i := r.IntN(len(lists))
		all, lists[i] = append(all, lists[i][0]), lists[i][1:]
	}
}

// randomBatches gives each event an id, adds the result that ends the job, and cuts the
// list into posts.
func randomBatches(r *rand.Rand, events []M) (batches [][]M) {
	events = append(events, M{"event": "result", "success": true, "message": "done"})
	for i, e := range events {
		e["id"] = fmt.Sprint("e", i)
	}
	for len(events) > 0 {
		n := min(len(events), 1+r.IntN(6))
		batches, events = append(batches, events[:n]), events[n:]
	}
	return batches
}

// letters returns n random letters and digits.
func letters(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		b.WriteByte("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"[r.IntN(56)])
	}
	return b.String()
}
