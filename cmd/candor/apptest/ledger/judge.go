package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
)

// Verdict counts what became of what was acknowledged. Lost and Doubled are sums; whoever trusts them
// alone misses what is in the wrong place, so look at Problems: they say in sentences what is wrong, and
// there are none if nothing is.
type Verdict struct {
	Acknowledged int // messages, jobs and posts
	Kept         int // of these, exactly once and as they were told
	Lost         int
	Doubled      int // also of what was not acknowledged
	Open         int // turns that have not ended
	Frames       int // that readers received
	Resumed      int // connections of readers beyond their first
	Problems     []string

	Kinds map[string]Tally // by kind; those of told.go are in no other count
	Told  []string         // what of these stands not once
}

func (v *Verdict) problem(format string, args ...any) {
	v.Problems = append(v.Problems, fmt.Sprintf(format, args...))
}

// String says it in a line.
func (v *Verdict) String() string {
	kinds := ""
	for _, kind := range slices.Sorted(maps.Keys(v.Kinds)) {
		t := v.Kinds[kind]
		kinds += fmt.Sprintf("\n%9s: acknowledged %d, kept %d, doubled %d, lost %d", kind, t.Acknowledged, t.Kept,
			t.Doubled, t.Lost)
	}
	return fmt.Sprintf("acknowledged %d, kept %d, doubled %d, lost %d, open %d; %d frames, %d resumes",
		v.Acknowledged, v.Kept, v.Doubled, v.Lost, v.Open, v.Frames, v.Resumed) + kinds
}

// turn is what history says of one.
type turn struct {
	Number  int    `json:"turn_number"`
	Message string `json:"message_id"`
	Input   string `json:"user_input"`
	State   string `json:"state"`
	Created string `json:"created_at"`

	Response  string
	Reasoning struct {
		Narrative  string // of the only step
		Narratives []struct{ Narrative string }
		Decisions  []struct {
			Approval   string
			Parameters json.RawMessage
		} `json:"tool_decisions"`
	}
}

// Judge reads everything back and compares. Nothing may be sent meanwhile.
func (l *Ledger) Judge(ctx context.Context, readers []*Reader, reference map[string]*Reader) *Verdict {
	v := &Verdict{Problems: slices.Clone(l.refused), Kinds: map[string]Tally{}}
	for kind, judge := range map[string]func(context.Context, *Verdict){
		"messages": l.judgeMessages, "jobs": l.judgeJobs, "decisions": l.judgeDecisions,
	} {
		was := *v
		judge(ctx, v)
		v.Kinds[kind] = Tally{v.Acknowledged - was.Acknowledged, v.Kept - was.Kept, v.Doubled - was.Doubled,
			v.Lost - was.Lost}
	}
	l.judgeTold(ctx, v)
	for _, r := range readers {
		v.Frames += len(r.frames)
		v.Resumed += r.Resumed
		l.judgeReader(v, r, reference[r.User])
	}
	return v
}

// judgeMessages looks for each message in the histories of all threads, page by page as a client reads
// them.
func (l *Ledger) judgeMessages(ctx context.Context, v *Verdict) {
	there := map[string][]turn{} // by content
	for thread, user := range l.threads {
		turns, err := l.history(ctx, user, thread)
		if err != nil {
			v.problem("history of thread %s: %v", thread, err)
		}
		for i, t := range turns {
			if t.Number != i+1 {
				v.problem("thread %s: turn %d stands at place %d", thread, t.Number, i+1)
			}
			if t.State == "processing" || t.State == "queued" {
				v.Open++
				v.problem("thread %s: turn %d is %s", thread, t.Number, t.State)
			}
			there[t.Input] = append(there[t.Input], t)
		}
	}
	for _, m := range l.sent {
		found := there[m.Content]
		if len(found) > 1 {
			v.Doubled += len(found) - 1
			v.problem("message %q stands %d times", m.Content, len(found))
		}
		if m.ID == "" {
			continue
		}
		v.Acknowledged++
		switch {
		case len(found) == 0:
			v.Lost++
			v.problem("message %q is lost: it was turn %d", m.Content, m.Turn)
		case found[0].Number != m.Turn || found[0].Message != m.ID:
			v.problem("message %q was turn %d (%s) and is turn %d (%s)", m.Content, m.Turn, m.ID, found[0].Number,
				found[0].Message)
		default:
			v.Kept++
		}
	}
}

// history returns all turns of a thread, page by page.
func (l *Ledger) history(ctx context.Context, user, thread string) (turns []turn, err error) {
	before := ""
	for {
		var page struct {
			Turns   []turn
			HasMore bool   `json:"has_more"`
			Oldest  string `json:"oldest_timestamp"`
		}
		path := "/api/chat/history?limit=50&thread_id=" + thread
		if before != "" {
			path += "&before=" + url.QueryEscape(before)
		}
		if err := l.call(ctx, l.Tokens[user], http.MethodGet, path, nil, &page); err != nil {
			return nil, err
		}
		turns = append(page.Turns, turns...)
		if !page.HasMore {
			return turns, nil
		}
		before = page.Oldest
	}
}

// judgeJobs reads the events of each job and compares the worker's own with what it posted.
func (l *Ledger) judgeJobs(ctx context.Context, v *Verdict) {
	for _, j := range l.jobs {
		var events []string
		after := ""
		for more := true; more; {
			var page struct {
				Events []struct {
					ID   uint64
					Data struct{ Message string }
				}
				HasMore bool `json:"has_more"`
			}
			path := "/api/jobs/" + j.ID + "/events" + after
			if err := l.call(ctx, l.Tokens[j.User], http.MethodGet, path, nil, &page); err != nil {
				v.problem("job %s: %v", j.ID, err)
				break
			}
			for _, e := range page.Events {
				events = append(events, e.Data.Message)
				after = fmt.Sprint("?after=", e.ID)
			}
			more = page.HasMore
		}
		l.judgePosts(v, j, slices.DeleteFunc(events, func(key string) bool { return key == "" }))
	}
}

// judgePosts compares the posts of a job with those that are there. The order counts only of a job that
// was not cut off by the end of the load, since its last post may stand there unacknowledged.
func (l *Ledger) judgePosts(v *Verdict, j job, there []string) {
	v.Acknowledged++ // the job itself
	v.Kept++
	var want []string
	for _, p := range j.Posts {
		if !p.Acknowledged {
			continue
		}
		v.Acknowledged++
		want = append(want, p.Key)
		switch n := count(there, p.Key); n {
		case 0:
			v.Lost++
			v.problem("post %s of job %s is lost", p.Key, j.ID)
		case 1:
			v.Kept++
		default:
			v.Doubled += n - 1
			v.problem("post %s of job %s stands %d times", p.Key, j.ID, n)
		}
	}
	if j.Ended && !slices.Equal(want, there) {
		v.problem("the posts of job %s are %v, and were %v", j.ID, there, want)
	}
}

func count(list []string, s string) (n int) {
	for _, one := range list {
		if one == s {
			n++
		}
	}
	return n
}

// judgeReader compares what a reader received with what one that was never cut off received. It names the
// first difference only: everything behind a missing frame differs.
func (l *Ledger) judgeReader(v *Verdict, r, whole *Reader) {
	if r.failed != "" {
		v.problem("a reader of %s could not resume: %s", r.User, r.failed)
	}
	if whole == nil {
		return
	}
	for i := range max(len(r.frames), len(whole.frames)) {
		switch {
		case i >= len(r.frames):
			v.problem("a reader of %s has %d frames of %d", r.User, len(r.frames), len(whole.frames))
		case i >= len(whole.frames):
			v.problem("a reader of %s has %d frames, and there are %d", r.User, len(r.frames), len(whole.frames))
		case r.frames[i] != whole.frames[i]:
			v.problem("frame %d of a reader of %s is %q, and should be %q", i, r.User, r.frames[i], whole.frames[i])
		default:
			continue
		}
		return
	}
}
