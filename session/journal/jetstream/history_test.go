package jetstream

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fate is what an append said of itself.
type fate int

const (
	acknowledged fate = iota
	unknown
	refused
)

// history is what several processes did to one session's log: appends of one event each, by a mark
// that no other has, and reads.
type history struct {
	mu    sync.Mutex
	last  uint64 // number of the last event that was acknowledged
	said  map[string]attempt
	reads []reading
}

type attempt struct {
	number uint64
	fate   fate
}

// reading is what a read of the log from its beginning gave.
type reading struct {
	atLeast uint64   // number of the last event that was acknowledged when it began
	marks   []string // of the events from the first on
}

func newHistory() *history { return &history{said: map[string]attempt{}} }

// appended notes an append.
func (h *history) appended(mark string, number uint64, f fate) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.said[mark] = attempt{number, f}
	if f == acknowledged {
		h.last = max(h.last, number)
	}
}

// end returns the number of the last event that was acknowledged.
func (h *history) end() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.last
}

// read notes a read that began when end had returned atLeast.
func (h *history) read(atLeast uint64, marks []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.reads = append(h.reads, reading{atLeast, marks})
}

// verdict is what a history shows beside the log in the end.
type verdict struct {
	acknowledged, kept int // appends, events
	lost, doubled      int // acknowledged and not there; there twice, or a number given twice
	unasked            int // refused, and there all the same
	stale, torn        int // reads without what was acknowledged before; reads that are no beginning of the log
	resolved           int // unknown, and there
}

// judge compares a history with the log in the end.
func (h *history) judge(log []string) (v verdict) {
	h.mu.Lock()
	defer h.mu.Unlock()
	v.kept = len(log)
	seen := map[string]bool{}
	for _, mark := range log {
		if seen[mark] {
			v.doubled++
		}
		seen[mark] = true
	}
	given := map[uint64]bool{}
	for mark, a := range h.said {
		there := a.number <= uint64(len(log)) && log[a.number-1] == mark
		switch {
		case a.fate == acknowledged:
			v.acknowledged++
			if !there {
				v.lost++
			}
			if given[a.number] {
				v.doubled++
			}
			given[a.number] = true
		case a.fate == refused && seen[mark]:
			v.unasked++
		case a.fate == unknown && there:
			v.resolved++
		}
	}
	v.stale, v.torn = h.judgeReads(log)
	return v
}

// judgeReads counts the reads without what was acknowledged before they began, and those that are no
// beginning of the log in the end.
func (h *history) judgeReads(log []string) (stale, torn int) {
	for _, r := range h.reads {
		if uint64(len(r.marks)) < r.atLeast {
			stale++
		}
		if len(r.marks) > len(log) || !slices.Equal(r.marks, log[:len(r.marks)]) {
			torn++
		}
	}
	return stale, torn
}

func (v verdict) String() string {
	return fmt.Sprintf("acknowledged %d, kept %d, lost %d, doubled %d, kept though refused %d, "+
		"stale reads %d, torn reads %d, unknown and kept %d",
		v.acknowledged, v.kept, v.lost, v.doubled, v.unasked, v.stale, v.torn, v.resolved)
}

// requireSound fails if the history shows that a promise was broken. A read by a server that was cut off may
// be stale.
func (v verdict) requireSound(t *testing.T) {
	t.Helper()
	require.Zero(t, [4]int{v.lost, v.doubled, v.unasked, v.torn}, "%s", v)
}

func TestAHistoryShowsWhatWasBroken(t *testing.T) {
	for _, c := range []struct {
		name string
		log  []string
		want verdict
	}{
		{"nothing", []string{"a", "b", "d"}, verdict{acknowledged: 2, kept: 3, resolved: 1}},
		{"an unknown append that was not kept", []string{"a", "b"}, verdict{acknowledged: 2, kept: 2}},
		{"an acknowledged append is lost", []string{"a"}, verdict{acknowledged: 2, kept: 1, lost: 1, torn: 1}},
		{"another stands in its place", []string{"a", "x"}, verdict{acknowledged: 2, kept: 2, lost: 1, torn: 1}},
		{"one is there twice", []string{"a", "b", "a"}, verdict{acknowledged: 2, kept: 3, doubled: 1}},
		{"one was refused", []string{"a", "b", "c"}, verdict{acknowledged: 2, kept: 3, unasked: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHistory()
			h.appended("a", 1, acknowledged)
			h.appended("b", 2, acknowledged)
			h.appended("c", 3, refused)
			h.appended("d", 3, unknown)
			h.read(1, []string{"a"})
			h.read(2, []string{"a", "b"})
			assert.Equal(t, c.want, h.judge(c.log))
		})
	}
	h := newHistory()
	h.appended("a", 1, acknowledged)
	h.appended("b", 1, acknowledged)
	h.read(1, nil)
	assert.Equal(t, verdict{acknowledged: 2, kept: 1, lost: 1, doubled: 1, stale: 1}, h.judge([]string{"a"}))
}
