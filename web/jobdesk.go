package web

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"slices"
	"sync"
)

// jobDesk knows which token speaks for which open job. It keeps hashes of tokens
// only.
type jobDesk struct {
	mu   sync.Mutex // taken behind a deskJob's, never before it
	jobs map[string]*deskJob
}

// deskJob is what the desk has of one run of a job: which of its workers is heard,
// and the raw words that it is to work on, which a job's log holds cleaned.
type deskJob struct {
	user string
	hash [sha256.Size]byte

	mu        sync.Mutex // a worker's request is judged and carried out under it
	prompt    string
	followUps []followUp
	prompted  int  // follow-ups that there were in the run
	spent     int  // of maxJobCost
	ended     bool // its token is good for nothing but repeating what was taken
	gone      bool // its token is good for nothing
	worker    workerName
	retired   []workerName // whom others took over from, oldest first
}

// workerName is the hash of what a worker calls itself: its own text is not kept.
// The zero value is nobody.
type workerName [sha256.Size]byte

func nameWorker(said string) (n workerName) {
	if said != "" {
		n = sha256.Sum256([]byte(said))
	}
	return n
}

// followUp is a further prompt. Done says that none comes after it.
type followUp struct {
	Content string `json:"content"`
	Done    bool   `json:"done"`
	Number  int    `json:"number,omitempty"` // from 1 in the run; shown to a worker that acknowledges
}

// Bounds of a run.
const (
	// maxFollowUps is how many prompts wait for a worker that does not fetch them.
	maxFollowUps = 20
	// maxRetired is how many workers of a run are remembered as replaced. A worker
	// forgotten could take the run over again; it would have to live through so
	// many that came after it without asking once whether it is still heard.
	maxRetired = 128
	// maxJobCost bounds what one run of a job may make us hold: the bytes its worker
	// posts, and eventCost for each event.
	maxJobCost = 128 << 20
	eventCost  = 512
)

// open lets a new token speak for a job, and no older one, and returns it.
func (d *jobDesk) open(id, user, prompt string) (token string) {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // never fails
	token = hex.EncodeToString(raw)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.jobs == nil {
		d.jobs = map[string]*deskJob{}
	}
	d.jobs[id] = &deskJob{user: user, hash: sha256.Sum256([]byte(token)), prompt: prompt}
	return token
}

// reopen is open for a job that has ended. begin makes the job's log take posts
// again, and no old token gets one in between.
func (d *jobDesk) reopen(id, user string, begin func() (prompt string, err error)) (token string, err error) {
	if old := d.job(id); old != nil {
		old.mu.Lock()
		defer old.mu.Unlock()
		defer func() { old.gone = old.gone || err == nil }()
	}
	prompt, err := begin()
	if err != nil {
		return "", err
	}
	return d.open(id, user, prompt), nil
}

// close makes the job's token worthless.
func (d *jobDesk) close(id string) {
	j := d.job(id)
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.gone = true
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.jobs[id] == j {
		delete(d.jobs, id)
	}
}

// forget drops the user's jobs that their session does not have: an evicted session
// takes its jobs with it, so a desk never has more of a user than one session may.
func (d *jobDesk) forget(user string, has func(id string) bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for id, j := range d.jobs {
		if j.user == user && !has(id) {
			delete(d.jobs, id)
		}
	}
}

// job is what the desk has of a job, nil if it has nothing.
func (d *jobDesk) job(id string) *deskJob {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.jobs[id]
}

// admit gives the job if the token speaks for it, else nil. A job that is not there
// costs the same comparison as one that is.
func (d *jobDesk) admit(id, token string) *deskJob {
	hash := sha256.Sum256([]byte(token))
	j := d.job(id)
	if j == nil {
		j = &deskJob{}
	}
	if subtle.ConstantTimeCompare(hash[:], j.hash[:]) != 1 || j.user == "" {
		return nil
	}
	return j
}

// over reports whether the job takes nothing new.
func (j *deskJob) over() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.ended || j.gone
}

// claim makes a worker that the run has not seen the one that is heard, and gives
// the raw prompt. One that another has taken over from stays out, whenever its
// request arrives. A worker without a name changes nothing.
func (j *deskJob) claim(by workerName) (prompt string, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case j.gone || j.ended:
		return "", unauthorized
	case by == workerName{} || by == j.worker:
		return j.prompt, nil
	case slices.Contains(j.retired, by):
		return "", replaced
	}
	if j.worker != (workerName{}) {
		j.retired = append(j.retired[max(0, len(j.retired)+1-maxRetired):], j.worker)
	}
	j.worker = by
	return j.prompt, nil
}

// serve does what a worker asks for, unless another has taken over: from the look at
// its name to the end of do, no other worker can. do may be nil.
func (j *deskJob) serve(by workerName, do func() error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case j.gone:
		return unauthorized
	case by != workerName{} && j.worker != workerName{} && by != j.worker:
		return replaced
	case do == nil:
		return nil
	}
	return do()
}

// finish leaves the job's token just enough to repeat its last post, whose answer
// may have been lost on the way. The caller is within serve.
func (j *deskJob) finish() {
	j.ended, j.prompt, j.followUps, j.retired = true, "", nil, nil
}

// add queues a follow-up behind keep, which puts it into the log: a worker can fetch
// only what the log has.
func (j *deskJob) add(f followUp, keep func() error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case j.ended || j.gone:
		return jobEnded
	case len(j.followUps) >= maxFollowUps:
		return jobBusy
	}
	if err := keep(); err != nil {
		return err
	}
	j.prompted++
	f.Number = j.prompted
	j.followUps = append(j.followUps, f)
	return nil
}

// next takes the follow-up that has waited longest. The caller is within serve.
func (j *deskJob) next() (followUp, bool) {
	if len(j.followUps) == 0 {
		return followUp{}, false
	}
	f := j.followUps[0]
	j.followUps, f.Number = j.followUps[1:], 0
	return f, true
}

// behind shows the follow-up after the one with a number, and lets go of those up to
// it: the worker has them. The caller is within serve.
func (j *deskJob) behind(number int) (followUp, bool) {
	for len(j.followUps) > 0 && j.followUps[0].Number <= number {
		j.followUps = j.followUps[1:]
	}
	if len(j.followUps) == 0 {
		return followUp{}, false
	}
	return j.followUps[0], true
}
