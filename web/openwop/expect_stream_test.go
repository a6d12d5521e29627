package openwop_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"candor/web/openwop"
)

// sseCheck is what a stream has to be.
type sseCheck struct {
	Events, Only, Not                                []string
	IDsStrictlyIncreasing, IDIsSequence, EventIsType bool
	DataSchema                                       string
	FirstID, FirstIDAfter                            *json.Number
	MinCount, MinComments                            int
	MaxCount                                         *int
	Closes                                           *bool
	BatchesAllowed                                   bool
}

// check returns what is wrong with a stream.
func (x sseCheck) check(p *player, a reply, v int) error {
	names := a.names()
	ids, numbered := a.ids()
	n, first, after := len(a.frames), firstOf(ids), integer(x.FirstIDAfter)
	needsIDs := x.IDsStrictlyIncreasing || x.FirstID != nil || x.FirstIDAfter != nil
	foreign := func(name string) bool { return !slices.Contains(x.Only, name) }
	refused := func(name string) bool { return slices.Contains(x.Not, name) }
	err := firstBroken(fmt.Sprint(ids, names, " closed: ", a.closed),
		rule{!a.streams(), "no stream", "text/event-stream"},
		rule{!inOrder(x.Events, names), "not in this order", x.Events},
		rule{x.Only != nil && slices.ContainsFunc(names, foreign), "other frames", x.Only},
		rule{slices.ContainsFunc(names, refused), "frames that must not be there", x.Not},
		rule{differs(x.Closes, a.closed), "whether the host closed the stream", or(x.Closes, false)},
		rule{needsIDs && !numbered, "ids that are no sequences", "numbers"},
		rule{x.IDsStrictlyIncreasing && !increase(ids), "ids do not increase", true},
		rule{x.FirstID != nil && first != integer(x.FirstID), "another first id", integer(x.FirstID)},
		rule{x.FirstIDAfter != nil && n > 0 && first <= after, "a first id too early", after},
		rule{n < x.MinCount, "too few frames", x.MinCount},
		rule{n > or(x.MaxCount, n), "too many frames", or(x.MaxCount, n)},
		rule{a.comments < x.MinComments, "too few comments", x.MinComments})
	if err != nil {
		return err
	}
	return x.checkFrames(p, a, v)
}

// checkFrames returns what is wrong with the frames one by one.
func (x sseCheck) checkFrames(p *player, a reply, v int) error {
	if !x.IDIsSequence && !x.EventIsType && x.DataSchema == "" {
		return nil
	}
	for _, f := range a.frames {
		if err := x.checkFrame(p, f, v); err != nil {
			return fmt.Errorf("frame %s: %w: %.300s", f.id, err, f.data)
		}
	}
	return nil
}

// checkFrame returns what is wrong with one frame.
func (x sseCheck) checkFrame(p *player, f frame, v int) error {
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(f.data))
	if err != nil {
		return err
	}
	list := []any{value}
	if all, ok := value.([]any); ok && x.BatchesAllowed {
		list = all
	}
	for _, member := range list {
		event, _ := member.(m)
		if x.DataSchema != "" {
			raw, _ := json.Marshal(member)
			if err := p.schemas.check(openwop.Version(v), x.DataSchema, raw); err != nil {
				return err
			}
		}
		sequence := event["sequence"]
		err := firstBroken(f.id+" "+f.event,
			rule{x.IDIsSequence && fmt.Sprint(sequence) != f.id, "the id is not the sequence", sequence},
			rule{x.EventIsType && event["type"] != f.event, "the name is not the type", event["type"]})
		if err != nil {
			return err
		}
	}
	return nil
}

// ids returns those of the frames, and whether all are numbers.
func (r *reply) ids() (ids []int64, numbered bool) {
	numbered = true
	for _, f := range r.frames {
		id, err := strconv.ParseInt(f.id, 10, 64)
		numbered = numbered && err == nil
		ids = append(ids, id)
	}
	return ids, numbered
}

// integer returns a number's value, -1 if there is none.
func integer(n *json.Number) int64 {
	i, err := or(n, "-1").Int64()
	if err != nil {
		return -1
	}
	return i
}

// increase says whether each is greater than the one before.
func increase(list []int64) bool {
	for i := 1; i < len(list); i++ {
		if list[i] <= list[i-1] {
			return false
		}
	}
	return true
}

// inOrder says whether have has all of want in this order, with others between them.
func inOrder(want, have []string) bool {
	for _, w := range want {
		i := slices.Index(have, w)
		if i < 0 {
			return false
		}
		have = have[i+1:]
	}
	return true
}
