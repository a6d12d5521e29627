package jobs

import (
	"crypto/sha256"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"candor/session"
	"candor/web/problem"
)

// registry maps jobs to their current runs, as far as this process has seen them. The zero value is
// empty and ready to use.
type registry struct {
	mu   sync.Mutex // acquired after a run's mutex, never before it
	runs map[string]*run
}

// run is one run of a job, from when it is opened or restarted until it ends. It
// knows which worker is the current one, and holds the raw prompts, of which the
// session's log has only a cleaned copy.
type run struct {
	user   string
	number int // from 1 in the job

	mu        sync.Mutex // held while a worker's request is checked and carried out
	prompt    string
	followUps []followUp // not yet fetched by the worker, in the user's own words
	prompts   promptLog
	fetched   int        // number of the latest follow-up that a worker has
	before    int        // follow-ups that another process may have sent
	spent     int        // of maxRunCost
	calls     callTable  // our ids for the worker's calls
	ended     bool       // the token can only repeat posts that were accepted
	revoked   bool       // the token can do nothing
	worker    workerName // the current worker
	replaced  []workerName

	release func() // gives back what the session is charged for the prompt

	seen atomic.Int64 // when a worker was last served, in Unix microseconds; 0 for never
}

// workerName is the hash of the name in a [WorkerHeader]. The name itself is not
// kept. The zero value is a worker without a name.
type workerName [sha256.Size]byte

func hashWorkerName(header string) (n workerName) {
	if header != "" {
		n = sha256.Sum256([]byte(header))
	}
	return n
}

// Bounds of a run.
const (
	// maxFollowUps is how many prompts wait for a worker that does not fetch them.
	maxFollowUps = 20
	// maxReplaced is how many workers of a run are remembered as replaced. A worker
	// forgotten could take the run over again; it would have to outlive this many
	// successors without once asking whether it is still the current one.
	maxReplaced = 128
	// maxRunCost bounds what one run may make us hold: the bytes its worker posts,
	// postCost for each event, and callCost for each decision, which may be a call's first.
	maxRunCost = 128 << 20
	postCost   = 512
	callCost   = 256
	// followUpCost is what a session is charged for a prompt that waits, besides its bytes.
	followUpCost = 512
)

// open begins a run of a job. release gives back what the session is charged for the prompt.
func (g *registry) open(id, user string, number int, prompt string, release func()) *run {
	r := &run{user: user, number: number, prompt: prompt, release: release}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.runs == nil {
		g.runs = map[string]*run{}
	}
	g.runs[id] = r
	return r
}

// reopen opens another run of a job that has ended. begin makes the job's log accept
// posts again, and returns the job. The old run is locked while begin runs, and its token is revoked if
// begin succeeds. Whoever reads the job from then on does not find the old run's worker.
func (g *registry) reopen(id, user string, begin func() (session.Job, error)) (j session.Job, err error) {
	if old := g.current(id); old != nil {
		old.mu.Lock()
		defer old.mu.Unlock()
		seen := old.seen.Swap(0)
		defer func() {
			if err != nil {
				old.seen.Store(seen)
			}
			old.revoked = old.revoked || err == nil
		}()
	}
	if j, err = begin(); err != nil {
		return j, err
	}
	// The raw prompt was dropped with the old run. The log has a cleaned copy.
	g.open(id, user, j.Run, j.Prompt.String(), nil)
	return j, nil
}

// revoke ends the job's run and makes its token invalid.
func (g *registry) revoke(id string) {
	if r := g.current(id); r != nil {
		g.drop(id, r)
	}
}

// drop makes the token of a run invalid and forgets the run. A run that began meanwhile
// stays as it is.
func (g *registry) drop(id string, r *run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.revoked = true
	r.forget()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.runs[id] == r {
		delete(g.runs, id)
	}
}

// prune drops the user's jobs for which exists returns false. An evicted session takes
// its jobs with it, so the registry never holds more jobs of a user than a session may
// have.
func (g *registry) prune(user string, exists func(id string) bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for id, r := range g.runs {
		if r.user == user && !exists(id) {
			delete(g.runs, id)
		}
	}
}

// current returns the job's current run, nil if it has none.
func (g *registry) current(id string) *run {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.runs[id]
}

// isOver reports whether the run accepts nothing new.
func (r *run) isOver() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended || r.revoked
}

// claim makes a worker the current one and returns the raw prompt. A worker that
// was replaced stays replaced, however late its request arrives. A worker without a
// name replaces nobody.
func (r *run) claim(by workerName) (prompt string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.revoked || r.ended:
		return "", problem.Unauthorized
	case by == workerName{} || by == r.worker:
		r.markSeen()
		return r.prompt, nil
	case slices.Contains(r.replaced, by):
		return "", workerReplaced
	}
	if r.worker != (workerName{}) {
		r.replaced = append(r.replaced[max(0, len(r.replaced)+1-maxReplaced):], r.worker)
	}
	r.worker = by
	r.markSeen()
	return r.prompt, nil
}

// markSeen notes that a worker has just been served.
func (r *run) markSeen() { r.seen.Store(time.Now().UnixMicro()) }

// lastSeen returns when a worker was last served, nil if none was in this run.
func (r *run) lastSeen() *time.Time {
	at := r.seen.Load()
	if at == 0 {
		return nil
	}
	return new(time.UnixMicro(at).UTC())
}

// serve calls do, which may be nil, for the worker named by. It fails if the run's
// token was revoked or another worker has replaced this one. No other worker can
// replace it until do returns.
func (r *run) serve(by workerName, do func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.revoked:
		return problem.Unauthorized
	case by != workerName{} && r.worker != workerName{} && by != r.worker:
		return workerReplaced
	}
	r.markSeen()
	if do == nil {
		return nil
	}
	return do()
}

// finish ends the run. Its token can still repeat its last posts, whose answers may
// have been lost. The caller is within serve.
func (r *run) finish() {
	r.ended = true
	r.forget()
}

// forget drops what only an open run needs, and gives back what it was charged. The caller
// holds mu.
func (r *run) forget() {
	giveBack(r.release)
	for _, f := range r.followUps {
		giveBack(f.release)
	}
	r.prompt, r.followUps, r.replaced, r.calls, r.prompts = "", nil, nil, callTable{}, promptLog{}
}
