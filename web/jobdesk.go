package web

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"sync"
)

// jobDesk knows which worker may speak for which open job, and holds the raw words
// that the worker is to work on: a job's log holds them cleaned. It keeps hashes of
// tokens only.
type jobDesk struct {
	mu   sync.Mutex
	jobs map[string]*deskJob
}

// deskJob is an open job.
type deskJob struct {
	user      string
	hash      [sha256.Size]byte
	prompt    string
	followUps []followUp
	spent     int  // of maxJobCost
	ended     bool // its token is good for nothing but repeating what was taken
}

// followUp is a further prompt. Done says that none comes after it.
type followUp struct {
	Content string `json:"content"`
	Done    bool   `json:"done"`
}

// maxFollowUps is how many prompts wait for a worker that does not fetch them.
const maxFollowUps = 20

// maxJobCost bounds what one run of a job may make us hold: the bytes its worker
// posts, and eventCost for each event.
const (
	maxJobCost = 128 << 20
	eventCost  = 512
)

// spend takes what a post costs from its run's budget, if there is that much left.
func (d *jobDesk) spend(id string, cost int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	j := d.jobs[id]
	if j == nil || j.spent+cost > maxJobCost {
		return false
	}
	j.spent += cost
	return true
}

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

// finish leaves the job's token just enough to repeat its last post, whose answer
// may have been lost on the way.
func (d *jobDesk) finish(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if j := d.jobs[id]; j != nil {
		j.ended, j.prompt, j.followUps = true, "", nil
	}
}

// close makes the job's token worthless.
func (d *jobDesk) close(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.jobs, id)
}

// admit is whose job it is if the token speaks for it, and whether the job has ended.
// A job that is not there costs the same comparison as one that is.
func (d *jobDesk) admit(id, token string) (user string, ended, ok bool) {
	hash := sha256.Sum256([]byte(token))
	d.mu.Lock()
	defer d.mu.Unlock()
	j := d.jobs[id]
	if j == nil {
		j = &deskJob{}
	}
	same := subtle.ConstantTimeCompare(hash[:], j.hash[:]) == 1
	return j.user, j.ended, same && j.user != ""
}

// prompt is the job's raw prompt.
func (d *jobDesk) prompt(id string) (string, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if j := d.jobs[id]; j != nil {
		return j.prompt, true
	}
	return "", false
}

// add queues a follow-up; it is refused when too many wait.
func (d *jobDesk) add(id string, f followUp) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	j := d.jobs[id]
	if j == nil || len(j.followUps) >= maxFollowUps {
		return false
	}
	j.followUps = append(j.followUps, f)
	return true
}

// next takes the follow-up that has waited longest.
func (d *jobDesk) next(id string) (followUp, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	j := d.jobs[id]
	if j == nil || len(j.followUps) == 0 {
		return followUp{}, false
	}
	f := j.followUps[0]
	j.followUps = j.followUps[1:]
	return f, true
}
