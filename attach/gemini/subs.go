package gemini

import (
	"encoding/json"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"candor/attach"
	"candor/attach/rows"
)

// maxSubs bounds the sub-agents of a session whose files are read, and maxFolder the name of the project's folder.
const (
	maxSubs   = 1000
	maxFolder = 4096
)

// spawned gives the beginning and the end of the sub-agent that a call began, if it began one, and what its file tells.
func (r *Reader) spawned(s attach.Sighting, c *call, output string) {
	if c.Agent == "" {
		return
	}
	if !rows.IsID(c.Agent) || !fs.ValidPath(c.Agent) || path.Base(c.Agent) != c.Agent {
		r.report.Malformed++
		return
	}
	var args struct {
		Name string `json:"agent_name"`
	}
	_ = json.Unmarshal(c.Args, &args) // without a name it is a sub-agent all the same
	// The call's own place is that of its caller; what is told of the sub-agent has its id as well.
	kind, _ := rows.Shorten(args.Name)
	s.Sub, s.Spawned = c.Agent, &attach.Spawned{Kind: kind}
	r.give(s)
	// The end of the call is not known if others ran beside it; that of the sub-agent is.
	if at := r.readSub(c.Agent); s.At.IsZero() {
		s.At = at
	}
	if s.At.IsZero() {
		s.At = rows.Time(c.Time)
	}
	text, cut := rows.Shorten(answerOf(output))
	r.countCut(cut)
	s.Call, s.Spawned, s.Ended = "", nil, &attach.Ended{Answer: text}
	r.give(s)
}

// answerOf returns what a sub-agent answered, without what the program puts before it.
func answerOf(output string) string {
	if _, text, ok := strings.Cut(output, "\nResult:\n"); ok {
		return text
	}
	return output
}

// readSub reads the file of a sub-agent, once. Its rows belong to the turn of the call; that the file is missing is
// counted. It returns when
// the sub-agent was heard last.
func (r *Reader) readSub(id string) (ended time.Time) {
	if r.project == nil || r.subs[id] || len(r.subs) >= maxSubs {
		return ended
	}
	if r.subs == nil {
		r.subs = map[string]bool{}
	}
	r.subs[id] = true
	in, err := r.project.Open(path.Join("chats", r.session, id+".jsonl"))
	if err != nil {
		r.report.Skip("sub-agent without a file")
		return ended
	}
	defer in.Close()
	// Sub-agents of sub-agents have their files beside it, and none is read twice.
	sub := &Reader{program: r.program, project: r.project, session: r.session, turn: r.turn, sub: id, subs: r.subs,
		names: r.names}
	for s, err := range sub.Read(in) {
		if err != nil {
			r.report.Malformed++
			break
		}
		if r.over {
			break
		}
		r.over = !r.yield(s, nil)
	}
	r.report.Add(sub.report)
	return sub.open.At
}

// folder returns the folder in which the agent works, or "".
func (r *Reader) folder() string {
	if r.project == nil {
		return ""
	}
	in, err := r.project.Open(".project_root")
	if err != nil {
		return ""
	}
	defer in.Close()
	raw, err := io.ReadAll(io.LimitReader(in, maxFolder))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(raw), "\uFFFD"))
}
