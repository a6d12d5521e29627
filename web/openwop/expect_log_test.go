package openwop_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// eventsCheck is what the events of an answer have to be.
type eventsCheck struct {
	SequencesIncreasing, PairedTools                bool
	SequencesFrom, LastSequence, AllAfter, MaxCount *int64
	First, Last                                     *string
	LastIn, Subsequence, Includes, Excludes         []string
	ExactlyOneOf, By, IgnorePayloadKeys             []string
	Count, MaxCountOf                               map[string]int
	Each                                            map[string][]m
	ValuesOf                                        *valuesCheck
	Deltas                                          *deltasCheck
	EqualTo, SubsetOf, ContainsAllOf                string
	TailOf                                          *tailCheck
}

// valuesCheck is what events of a type have at a pointer.
type valuesCheck struct {
	Type, Pointer string
	Equals        []any
}

// tailCheck is what comes after a sequence in saved events.
type tailCheck struct {
	Var   string
	After int64
}

// check returns what is wrong with the events of an answer.
func (x eventsCheck) check(a reply, vars *variables, v int) error {
	events, err := a.events()
	if err != nil {
		return err
	}
	types, sequences := typesIn(events), sequencesOf(events)
	has := func(name string) bool { return slices.Contains(types, name) }
	lacks := func(name string) bool { return !has(name) }
	tooEarly := func(n int64) bool { return n <= or(x.AllAfter, 0) }
	err = firstBroken(fmt.Sprint(sequences, types),
		rule{x.SequencesIncreasing && !increase(sequences), "sequences do not increase", true},
		rule{differs(x.SequencesFrom, firstOf(sequences)), "another first sequence", or(x.SequencesFrom, 0)},
		rule{differs(x.First, last(types[:min(1, len(types))], "")), "another first", or(x.First, "")},
		rule{differs(x.Last, last(types, "")), "another last", or(x.Last, "")},
		rule{x.LastIn != nil && !slices.Contains(x.LastIn, last(types, "")), "another last", x.LastIn},
		rule{differs(x.LastSequence, last(sequences, -1)), "another last sequence", or(x.LastSequence, 0)},
		rule{!inOrder(x.Subsequence, types), "not in this order", x.Subsequence},
		rule{slices.ContainsFunc(x.Includes, lacks), "one is missing", x.Includes},
		rule{slices.ContainsFunc(x.Excludes, has), "one must not be there", x.Excludes},
		rule{x.MaxCount != nil && int64(len(events)) > or(x.MaxCount, 0), "too many", or(x.MaxCount, 0)},
		rule{x.ExactlyOneOf != nil && count(types, x.ExactlyOneOf...) != 1, "not exactly one", x.ExactlyOneOf},
		rule{x.AllAfter != nil && slices.ContainsFunc(sequences, tooEarly), "one is too early", or(x.AllAfter, 0)})
	if err != nil {
		return err
	}
	return x.checkContents(events, vars, v)
}

// checkContents returns what is wrong with what the events say.
func (x eventsCheck) checkContents(events []m, vars *variables, v int) error {
	types := typesIn(events)
	for name, n := range x.Count {
		if count(types, name) != n {
			return fmt.Errorf("%d %s, wanted %d: %v", count(types, name), name, n, types)
		}
	}
	for name, n := range x.MaxCountOf {
		if count(types, name) > n {
			return fmt.Errorf("%d %s, at most %d: %v", count(types, name), name, n, types)
		}
	}
	for _, e := range events {
		for _, c := range x.Each[typeOf(e)] {
			if err := checkValue(e, true, c); err != nil {
				return fmt.Errorf("%s: %w", typeOf(e), err)
			}
		}
	}
	if x.ValuesOf != nil {
		if err := x.ValuesOf.check(events); err != nil {
			return err
		}
	}
	if x.PairedTools {
		if err := checkTools(events, v); err != nil {
			return err
		}
	}
	if x.Deltas != nil {
		if err := x.Deltas.check(events, v); err != nil {
			return err
		}
	}
	return x.checkSaved(events, vars)
}

// check returns what is wrong with the values.
func (x valuesCheck) check(events []m) error {
	have := []any{}
	for _, e := range events {
		if v, _ := valueAt(e, x.Pointer); typeOf(e) == x.Type {
			have = append(have, v)
		}
	}
	return firstBroken(have, rule{!same(have, x.Equals), x.Type + x.Pointer, x.Equals})
}

// checkSaved compares the events with saved ones.
func (x eventsCheck) checkSaved(events []m, vars *variables) error {
	name, after := x.EqualTo+x.SubsetOf+x.ContainsAllOf, int64(-1)
	if x.TailOf != nil {
		name, after = x.TailOf.Var, x.TailOf.After
	}
	if name == "" {
		return nil
	}
	saved, err := vars.need(name)
	if err != nil {
		return err
	}
	have, want := []any{}, []any{}
	for _, e := range events {
		have = append(have, x.compared(e))
	}
	for _, e := range saved.([]any) {
		if n, _ := number(e.(m)["sequence"]); x.TailOf == nil || int64(n) > after {
			want = append(want, x.compared(e.(m)))
		}
	}
	foreign := func(e any) bool { return !among(want, e) }
	missing := func(e any) bool { return !among(have, e) }
	return firstBroken(have,
		rule{x.EqualTo != "" && !same(have, want), "not the saved events", want},
		rule{x.TailOf != nil && !same(have, want), "not the rest of the saved events", want},
		rule{x.SubsetOf != "" && slices.ContainsFunc(have, foreign), "one is not among the saved events", want},
		rule{x.ContainsAllOf != "" && slices.ContainsFunc(want, missing), "a saved event is missing", want})
}

// compared returns what of an event is compared.
func (x eventsCheck) compared(e m) any {
	e = maps.Clone(e)
	if payload, ok := e["payload"].(m); ok {
		payload = maps.Clone(payload)
		for _, ignored := range x.IgnorePayloadKeys {
			if key, prefix, _ := strings.Cut(ignored, "@"); strings.HasPrefix(typeOf(e), prefix) {
				delete(payload, key)
			}
		}
		e["payload"] = payload
	}
	if len(x.By) == 0 {
		return e
	}
	members := m{}
	for _, name := range x.By {
		members[name] = e[name]
	}
	return members
}

// plain returns events as JSON values.
func plain(events []m) []any {
	list := make([]any, len(events))
	for i, e := range events {
		list[i] = e
	}
	return list
}

// typeOf returns an event's type.
func typeOf(event any) string {
	name, _ := valueAt(event, "/type")
	text, _ := name.(string)
	return text
}

// typesIn returns those of events.
func typesIn(events []m) []string {
	types := make([]string, len(events))
	for i, e := range events {
		types[i] = typeOf(e)
	}
	return types
}

// sequencesOf returns those of events.
func sequencesOf(events []m) []int64 {
	sequences := make([]int64, len(events))
	for i, e := range events {
		n, _ := number(e["sequence"])
		sequences[i] = int64(n)
	}
	return sequences
}

// firstOf returns the first of a list of sequences, -1 if it is empty.
func firstOf(list []int64) int64 {
	if len(list) == 0 {
		return -1
	}
	return list[0]
}

// count returns how many of the types are among the names.
func count(types []string, names ...string) int {
	n := 0
	for _, name := range types {
		if slices.Contains(names, name) {
			n++
		}
	}
	return n
}
