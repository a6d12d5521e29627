package worker

import (
	"fmt"
	"sync"

	"candor/agent"
	"candor/safety"
)

// journal is where all agents of a run write their events: each one is added to the
// history and given to the uploader, in the same order. It is safe for concurrent use.
type journal struct {
	uploader *uploader
	seen     *safety.SeenSecrets // what the run's prompts and texts have named

	mu      sync.Mutex // guards the fields below and the order of events
	history history
	calls   int               // number of the job's latest call
	numbers map[string]int    // the job's numbers of the turn's calls, by the turn's ids
	callers map[string]string // the job's ids of the calls that began the turn's agents
	groups  int               // parallel groups of this turn that were logged before it resumed
	failure string            // why the turn failed
	used    tally             // what answers took that no event has said yet
}

// write records an event. The caller holds mu.
func (j *journal) write(e Event) error {
	j.history.add(e)
	return j.uploader.add(e)
}

// post records an event that comes from no turn.
func (j *journal) post(e Event) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.write(e)
}

// jobCallID returns the id under which a call of the turn is posted. The agent loop
// numbers calls from 1 in each turn, the job numbers them throughout. The caller holds
// mu.
func (j *journal) jobCallID(turnCallID string) string {
	n, ok := j.numbers[turnCallID]
	if !ok {
		j.calls++
		n = j.calls
		j.numbers[turnCallID] = n
	}
	return fmt.Sprintf("call_%d", n)
}

// beginTurn prepares for a turn and returns the conversation up to and including its
// prompt. The messages belong to the caller.
func (j *journal) beginTurn(prompt string) []agent.Message {
	j.mu.Lock()
	defer j.mu.Unlock()
	h := &j.history
	j.numbers, j.callers, j.failure, j.groups, j.calls = map[string]int{}, map[string]string{}, "", h.groups, h.calls
	h.prompts = append(h.prompts[:h.turns], prompt)
	h.addPrompt()
	return append([]agent.Message(nil), h.messages...)
}
