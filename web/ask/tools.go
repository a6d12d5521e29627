package ask

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"candor/web/client"
)

// recentTurns is how many turns of a conversation are looked at for its latest decisions.
const recentTurns = 20

// Question holds the arguments of the tool why.
type Question struct {
	Thread string `json:"thread_id,omitempty" jsonschema:"the conversation, or how its id begins"`
	Job    string `json:"job_id,omitempty" jsonschema:"the job, instead of a conversation"`
	Turn   int    `json:"turn_number,omitempty" jsonschema:"the turn of the conversation or the job, from 1"`
	Tool   string `json:"tool,omitempty" jsonschema:"only calls of this tool"`
	File   string `json:"file,omitempty" jsonschema:"only calls about this file or path, or a part of it"`
}

// why returns the decisions of one turn, or those about a file or with a tool.
func why(ctx context.Context, c *client.Client, q Question) (Decisions, error) {
	switch {
	case q.Turn < 0:
		return Decisions{}, errors.New("turn_number counts from 1")
	case q.Thread != "" && q.Job != "":
		return Decisions{}, errors.New("name a thread_id or a job_id, not both")
	case q.Thread != "":
		return ofThread(ctx, c, q.Thread, func(id string) (Decisions, error) {
			q.Thread = id
			return whyThread(ctx, c, q)
		})
	case q.Job != "":
		return whyJob(ctx, c, q)
	case q.Turn > 0:
		return Decisions{}, errors.New("a turn_number needs its thread_id or its job_id")
	case q.Tool == "" && q.File == "":
		return Decisions{}, errors.New("name what to explain: a thread_id, a job_id, a tool or a file; " +
			"search_reasons takes a question in words")
	}
	return search(ctx, c, Query{Words: q.File, Tool: q.Tool})
}

// whyThread answers about a turn of a conversation, or without a turn about the latest that has decisions which match.
func whyThread(ctx context.Context, c *client.Client, q Question) (Decisions, error) {
	if q.Turn > 0 {
		t, exists, err := c.Turn(ctx, q.Thread, q.Turn)
		if err == nil && !exists {
			err = fmt.Errorf("this conversation has no turn %d", q.Turn)
		}
		if err != nil {
			return Decisions{}, err
		}
		return turnAnswer(t, matching(ofTurn(place{thread: q.Thread}, t), q.Tool, q.File)), nil
	}
	page, err := c.Recent(ctx, q.Thread, recentTurns)
	if err != nil {
		return Decisions{}, err
	}
	return latest(place{thread: q.Thread}, page.Turns, q), nil
}

// whyJob is whyThread for a job.
func whyJob(ctx context.Context, c *client.Client, q Question) (Decisions, error) {
	turns, err := c.JobTurns(ctx, q.Job)
	if err != nil {
		return Decisions{}, err
	}
	if q.Turn == 0 {
		return latest(place{job: q.Job}, turns, q), nil
	}
	at := slices.IndexFunc(turns, func(t client.Turn) bool { return t.Number == q.Turn })
	if at < 0 {
		return Decisions{}, fmt.Errorf("this job has no turn %d", q.Turn)
	}
	return turnAnswer(turns[at], matching(ofTurn(place{job: q.Job}, turns[at]), q.Tool, q.File)), nil
}

// latest returns the decisions of the latest turn that has some which match.
func latest(p place, turns []client.Turn, q Question) Decisions {
	for _, t := range slices.Backward(turns) {
		if all := matching(ofTurn(p, t), q.Tool, q.File); len(all) > 0 {
			return turnAnswer(t, all)
		}
	}
	return Decisions{Decisions: []Decision{}, Note: "No decision in its latest turns matches."}
}

// turnAnswer returns the decisions of a turn, and says what the turn is about and whether it still runs.
func turnAnswer(t client.Turn, all []Decision) Decisions {
	out := atMost(all, MaxDecisions)
	switch {
	case !t.Ended():
		out.Note = "This turn still runs; more may follow."
	case len(all) == 0 && t.Reasoning == nil:
		out.Note = "This turn called no tool."
	case len(all) == 0:
		out.Note = "No decision of this turn matches."
	}
	return out
}

// Query holds the arguments of the tool search_reasons.
type Query struct {
	Words   string `json:"query,omitempty" jsonschema:"a question or words, such as: why did it delete that file"`
	Tool    string `json:"tool,omitempty" jsonschema:"only calls of this tool"`
	Outcome string `json:"outcome,omitempty" jsonschema:"only calls that ended so, such as success, error, rejected"`
	Limit   int    `json:"limit,omitempty" jsonschema:"how many decisions to return, 10 unless given, at most 50"`
	Offset  int    `json:"offset,omitempty" jsonschema:"how many decisions earlier answers had"`
}

// search returns what the words find.
func search(ctx context.Context, c *client.Client, q Query) (Decisions, error) {
	if q.Words == "" && q.Tool == "" && q.Outcome == "" {
		return Decisions{}, errors.New("say what to look for: a query, a tool or an outcome")
	}
	want := map[string][]string{}
	if q.Tool != "" {
		want["tool"] = []string{q.Tool}
	}
	switch {
	case q.Outcome == "":
	case !slices.Contains(outcomes, q.Outcome):
		return Decisions{}, fmt.Errorf("outcome is one of %s", strings.Join(outcomes, ", "))
	default:
		want["outcome"] = []string{q.Outcome}
	}
	limit, err := limitOf(q.Limit)
	if err != nil || q.Offset < 0 {
		return Decisions{}, errors.Join(err, negative(q.Offset))
	}
	asked := client.Search{Words: q.Words, Want: want, Limit: limit, Offset: q.Offset}
	out, found, err := hits(ctx, c, asked)
	if err != nil || q.Tool == "" || found.Total > 0 {
		return out, err
	}
	// Models do not keep to the case of a tool's name. What other tools there are, the facet says.
	others := found.Facets["tool"]
	at := slices.IndexFunc(others, func(i client.FacetItem) bool { return strings.EqualFold(i.Value, q.Tool) })
	if at < 0 {
		out.Note += toolsOf(others)
		return out, nil
	}
	want["tool"] = []string{others[at].Value}
	out, _, err = hits(ctx, c, asked)
	return out, err
}

// namedTools bounds the tools that the note of an answer names.
const namedTools = 10

// toolsOf says which tools other decisions that match have, or nothing.
func toolsOf(items []client.FacetItem) string {
	if len(items) == 0 {
		return ""
	}
	var names []string
	for _, i := range items[:min(namedTools, len(items))] {
		names = append(names, i.Value)
	}
	return " It may be under another tool: " + strings.Join(names, ", ") + "."
}

// hits returns the decisions that a search finds, and what the server answered.
func hits(ctx context.Context, c *client.Client, s client.Search) (out Decisions, found client.Found, err error) {
	found, err = c.Search(ctx, s)
	if err != nil {
		return Decisions{}, found, err
	}
	out = Decisions{Decisions: []Decision{}, More: found.Total > s.Offset+len(found.Hits)}
	for _, h := range found.Hits {
		out.Decisions = append(out.Decisions, ofHit(h))
	}
	switch {
	case len(found.Hits) == 0:
		out.Note = "Nothing was found."
	case found.Partial:
		out.Note = "No decision has all of the words; these have some."
	}
	if found.Behind {
		out.Note = strings.TrimSpace(out.Note + " The index is behind: older turns are being added, so ask again.")
	}
	return out, found, nil
}

// limitOf returns how many decisions an answer may have, or an error for a limit that is out of range.
func limitOf(n int) (int, error) {
	switch {
	case n < 0 || n > MaxDecisions:
		return 0, fmt.Errorf("limit is from 1 to %d", MaxDecisions)
	case n == 0:
		return defaultDecisions, nil
	}
	return n, nil
}

// negative returns an error for an offset below zero.
func negative(offset int) error {
	if offset < 0 {
		return errors.New("offset counts from 0")
	}
	return nil
}

// Latest holds the arguments of the tool recent_decisions.
type Latest struct {
	Thread string `json:"thread_id,omitempty" jsonschema:"only those of this conversation"`
	Limit  int    `json:"limit,omitempty" jsonschema:"how many decisions to return, 10 unless given, at most 50"`
}

// outcomes are those of calls. What was said apart from calls has none, so a search for all of these finds
// every decision, and nothing else.
var outcomes = []string{"pending", "success", "error", "rejected", "cancelled", "unknown"}

// recent returns the latest decisions, the newest first.
func recent(ctx context.Context, c *client.Client, q Latest) (Decisions, error) {
	limit, err := limitOf(q.Limit)
	if err != nil {
		return Decisions{}, err
	}
	if q.Thread == "" {
		out, _, err := hits(ctx, c, client.Search{Want: map[string][]string{"outcome": outcomes}, Limit: limit})
		return out, err
	}
	return ofThread(ctx, c, q.Thread, func(id string) (Decisions, error) { return recentOf(ctx, c, id, limit) })
}

// recentOf returns the latest decisions of a conversation.
func recentOf(ctx context.Context, c *client.Client, thread string, limit int) (Decisions, error) {
	page, err := c.Recent(ctx, thread, recentTurns)
	if err != nil {
		return Decisions{}, err
	}
	var all []Decision
	for _, t := range slices.Backward(page.Turns) {
		newest := ofTurn(place{thread: thread}, t)
		slices.Reverse(newest)
		all = append(all, newest...)
	}
	out := atMost(all, limit)
	out.More = out.More || page.HasMore
	return out, nil
}
