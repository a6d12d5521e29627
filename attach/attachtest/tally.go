package attachtest

import (
	"testing"

	"candor/attach"
)

// Tally counts what was said of a session's calls: by the model that asked for them, or by a channel that told of them.
type Tally struct {
	Calls, Texts, Thoughts, Sealed int
	Groups                         int // answers with several calls
	Results, Times                 int // of calls
}

// TallyOf counts what sightings tell, each call once.
func TallyOf(list []attach.Sighting) (n Tally) {
	called, returned, timed := map[string]bool{}, map[string]bool{}, map[string]bool{}
	groups := map[string]map[string]bool{}
	for _, s := range list {
		switch {
		case s.Called != nil:
			called[s.Call] = true
			if s.Group != "" && groups[s.Group] == nil {
				groups[s.Group] = map[string]bool{}
			}
			if s.Group != "" {
				groups[s.Group][s.Call] = true
			}
		case s.Batched != nil && len(s.Batched.Calls) > 1:
			groups[s.Batched.Calls[0]] = map[string]bool{s.Batched.Calls[0]: true, s.Batched.Calls[1]: true}
		case s.Returned != nil:
			returned[s.Call] = true
			if s.Returned.Took > 0 {
				timed[s.Call] = true
			}
		case s.Sealed != nil:
			n.Sealed++
		case s.Said != nil && s.Said.Summary:
			n.Thoughts++
		case s.Said != nil && s.Said.Text != "":
			n.Texts++
		}
	}
	for _, calls := range groups {
		if len(calls) > 1 {
			n.Groups++
		}
	}
	n.Calls, n.Results, n.Times = len(called), len(returned), len(timed)
	return n
}

// Add counts an answer that a model sent. A thought that is "-" is sealed.
func (n *Tally) Add(calls int, text string, thoughts ...string) {
	n.Calls += calls
	if text != "" {
		n.Texts++
	}
	for _, t := range thoughts {
		switch t {
		case "":
		case "-":
			n.Sealed++
		default:
			n.Thoughts++
		}
	}
	if calls > 1 {
		n.Groups++
	}
}

// LogTally logs one row of a table: what the model of a program sent, and what each channel told of it.
func LogTally(t *testing.T, who string, n Tally) {
	t.Helper()
	t.Logf("| %s | %d | %d | %d | %d | %d | %d | %d |", who, n.Calls, n.Texts, n.Thoughts, n.Sealed, n.Groups,
		n.Results, n.Times)
}
