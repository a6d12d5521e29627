package jobs

import (
	"errors"
	"net/http"

	"candor/safety"
	"candor/session"
	"candor/web/problem"
)

// PostResponse tells where the posted events are in the log, in the order of the post. A
// repeated post gets the answer that it got first.
type PostResponse struct {
	JobID  string        `json:"job_id"`
	Seqs   []uint64      `json:"seqs"`
	Events []PostedEvent `json:"events"`
}

// PostedEvent is the place of one event in the log, and our ids for its calls: CallID for
// a tool_use or tool_result, CallIDs for the decisions of a reasoning event, in their
// order. Ignored counts the unknown members of a post with ?strict=false.
type PostedEvent struct {
	Seq     uint64   `json:"seq"`
	CallID  string   `json:"call_id,omitempty"`
	CallIDs []string `json:"call_ids,omitempty"`
	Ignored int      `json:"ignored_members,omitempty"`
}

// postedEvent describes an event of the log to its sender.
func postedEvent(e session.Event) PostedEvent {
	out := PostedEvent{Seq: e.Seq, Ignored: e.Ignored}
	switch b := e.Body.(type) {
	case session.JobToolUse:
		out.CallID = b.Call
	case session.JobToolResult:
		out.CallID = b.Call
	case session.JobReasoned:
		for _, d := range b.Decisions {
			out.CallIDs = append(out.CallIDs, d.Call)
		}
	}
	return out
}

// postEvents handles POST /api/jobs/:id/events and POST /worker/:id/event. It answers with
// a [PostResponse]. A batch is stored as a whole or, if any event is invalid, not at all;
// the problem's details then name the index of the event.
//
// Errors: unauthorized, replaced; bad_batch, no_kind, unknown_kind, unknown_member, wrong_type, no_tool_name,
// bad_role, bad_outcome, too_many_decisions, other_job, bad_strict; job_full once the run
// has used up its budget.
func (s *Server) postEvents(c *workerCall) error {
	body, err := problem.ReadBody(c.r)
	if err != nil {
		return err
	}
	drafts, err := c.drafts(body)
	if err != nil {
		return err
	}
	return c.record(drafts)
}

// drafts checks the posts of a body and converts them. Without an id no job has any of them yet.
func (c *workerCall) drafts(body []byte) ([]draft, error) {
	strict, err := strictParam(c.r)
	if err != nil {
		return nil, err
	}
	posts, batch, err := readPosts(c.layer(), body, strict)
	if err != nil {
		return nil, err
	}
	keys, known := make([]session.Post, len(posts)), make([]bool, len(posts))
	for i := range posts {
		if id := posts[i].JobID; id != "" && id != c.id {
			return nil, otherJob.With("index", i)
		}
		keys[i].Key = posts[i].key(c.r.Header.Get("Idempotency-Key"), batch, i)
	}
	if c.id != "" {
		if known, err = c.own.Repeats(c.id, keys); err != nil {
			return nil, hideEnd(err)
		}
	}
	version := c.own.Seen().Version()
	drafts, err := draftAll(c.layer(), posts, keys, known)
	if err == nil && c.own.Seen().Version() != version { // an event may use what a later one names
		drafts, err = draftAll(c.layer(), posts, keys, known)
	}
	return drafts, err
}

// draftAll converts the posts of a request. known says which of them the log has already: it
// keeps a repeated event as first posted.
func draftAll(layer *safety.Layer, posts []post, keys []session.Post, known []bool) ([]draft, error) {
	drafts := make([]draft, len(posts))
	for i := range posts {
		if !known[i] {
			var bad *problem.Problem
			if drafts[i], bad = (&cleaner{Layer: layer}).draft(&posts[i]); bad != nil {
				return nil, bad.With("index", i)
			}
		}
		drafts[i].entry.Key = keys[i].Key
		drafts[i].cost = len(posts[i].raw) + postCost + callCost*len(posts[i].decisions)
	}
	return drafts, nil
}

// strictParam parses ?strict=. Only false turns strictness off.
func strictParam(r *http.Request) (strict bool, err error) {
	switch r.URL.Query().Get("strict") {
	case "", "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, problem.New(http.StatusBadRequest, "bad_strict", "strict has to be true or false.")
}

// record appends posts to the job's log and answers with their places.
func (c *workerCall) record(drafts []draft) error {
	events, err := c.appendPosts(drafts)
	if err != nil {
		return err
	}
	out := PostResponse{JobID: c.id, Seqs: make([]uint64, len(events)), Events: make([]PostedEvent, len(events))}
	for i, e := range events {
		out.Seqs[i], out.Events[i] = e.Seq, postedEvent(e)
	}
	return c.answer(out)
}

// appendPosts appends posts to the job's log, with our ids for their calls. Each that is
// not a repeat adds its cost to the run's. All of it happens under the run's lock, so
// posts that arrive together, and their repeats, agree on the ids.
func (c *workerCall) appendPosts(drafts []draft) (events []session.Event, err error) {
	err = c.run.serve(c.by, func() error {
		posts := make([]session.Post, len(drafts))
		for i, d := range drafts {
			posts[i] = d.entry
		}
		known, err := c.own.Repeats(c.id, posts)
		if err != nil {
			return err
		}
		spent := c.run.spent
		for i, d := range drafts {
			if !known[i] {
				spent += d.cost
			}
		}
		if spent > maxRunCost && !c.run.ended {
			return jobFull
		}
		if err := c.assignCalls(drafts, posts, known); err != nil {
			return err
		}
		if events, err = c.own.PostToJob(c.id, posts); err != nil {
			return err
		}
		c.run.spent = spent
		c.logWithheld(drafts, known)
		for _, e := range events {
			if _, ended := e.Body.(session.JobEnded); ended {
				c.run.finish()
			}
		}
		return nil
	})
	return events, hideEnd(err)
}

// assignCalls puts our ids into the posts that are not repeats. After Repeats has accepted
// them they only fail if the job is over, and then nothing can follow in this run, so
// the run's table of calls needs no undoing. The caller is within serve.
func (c *workerCall) assignCalls(drafts []draft, posts []session.Post, known []bool) error {
	j, err := c.own.Job(c.id)
	if err != nil {
		return err
	}
	calls := &c.run.calls
	calls.last = max(calls.last, j.Calls) // ids are unique in the job, of which this is one run
	for i, d := range drafts {
		if !known[i] {
			posts[i].Body = calls.assign(d)
		}
	}
	return nil
}

// logWithheld logs what safety withheld from new posts: where and by which rules, never
// the text.
func (c *workerCall) logWithheld(drafts []draft, known []bool) {
	for i, d := range drafts {
		for _, w := range d.withheld {
			switch {
			case known[i]:
			case w.truncated:
				c.log.Warn("safety truncated text", "job", c.id, "kind", d.kind, "what", w.what)
			default:
				c.log.Warn("safety withheld text", "job", c.id, "kind", d.kind, "what", w.what, "rules", w.rules)
			}
		}
	}
}

// hideEnd answers a post to a job that has ended or is gone like one with an invalid
// token, so that a token does not reveal which.
func hideEnd(err error) error {
	if errors.Is(err, session.ErrJobEnded) || errors.Is(err, session.ErrNoJob) {
		return problem.Unauthorized
	}
	return err
}

// postStatus handles POST /worker/:id/status {state, message, iteration}. It answers with a
// [PostResponse]. The iteration is ignored.
func (s *Server) postStatus(c *workerCall) error {
	var in post
	if err := c.readBody(&in, "status", statusMembers); err != nil {
		return err
	}
	l := cleaner{Layer: c.layer()}
	cost := len(in.State) + len(in.Message) + postCost
	return c.record([]draft{{
		entry: session.Post{Body: l.status(in.State, in.Message), Ignored: in.unknown.count}, cost: cost,
	}})
}

// complete handles POST /worker/:id/complete {success, message, iterations}. It
// costs nothing, because a run that has used up its budget must still be able to end.
func (s *Server) complete(c *workerCall) error {
	var in post
	if err := c.readBody(&in, "result", completeMembers); err != nil {
		return err
	}
	l := cleaner{Layer: c.layer()}
	if _, err := c.appendPosts([]draft{{
		entry: session.Post{Body: l.result(&in), Ignored: in.unknown.count},
	}}); err != nil {
		return err
	}
	return c.answer(done{"ok"})
}

// readBody decodes the body of a route that takes one kind of event.
func (c *workerCall) readBody(in *post, kind string, accepted []string) error {
	strict, err := strictParam(c.r)
	if err != nil {
		return err
	}
	body, err := problem.ReadBody(c.r)
	if err != nil {
		return err
	}
	bad := in.unknown.decode(body, &in.postFields, "", accepted, accepted)
	if bad == nil && strict {
		bad = in.unknown.refusal(c.safety, kind)
	}
	if bad != nil {
		return bad
	}
	return nil
}
