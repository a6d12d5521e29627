package session

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"candor/safety"
)

// The prefixes of the groups of texts that hooks report without saying which answer of the model they are part of. A
// message comes piece by piece, each at its own index, and its last piece may come once the calls behind it have begun.
// A text without a name is whole before the calls.
const (
	SaidMessage = "message"
	SaidUnnamed = "words"
)

// loose reports whether a fact is a text, or a piece of one, that no hook gives to an answer of the model.
func (x *sightedFact) loose() bool {
	return x.Said != nil && x.channel == FromHooks && x.Call == "" &&
		(strings.HasPrefix(x.Group, SaidMessage+"_") || strings.HasPrefix(x.Group, SaidUnnamed+"_"))
}

// hookedFact is what hooks report that says which text belongs to which call: a text begins, a call begins, or the
// calls of an answer are listed, which ends the answer.
type hookedFact struct {
	at    time.Time
	order int // of what happens at one time
	sub   string
	text  string   // its group
	calls []string // the call, or those of the answer
}

// callsOfTexts returns the first call behind each loose text, by the text's node. A text belongs to the next call of
// its agent that begins. One whose first piece comes while calls of an answer without a text are in progress
// belongs to the first of these: a program shows a line when it has ended.
func (all sightings) callsOfTexts() map[string]string {
	var list []hookedFact
	began := map[string]int{}
	for _, s := range all {
		h := hookedFact{at: s.At, sub: s.Sub}
		name := ""
		switch {
		case s.loose():
			h.text, name = s.Group, s.groupNode()
		case s.channel == FromHooks && s.Called != nil:
			h.order, h.calls, name = 1, []string{s.Call}, callNode(s.Call)
		case s.channel == FromHooks && s.Batched != nil:
			h.order, h.calls = 2, s.Batched.Calls
		default:
			continue
		}
		if i, known := began[name]; known && name != "" {
			list[i].at = earlier(list[i].at, h.at)
			continue
		}
		began[name] = len(list)
		list = append(list, h)
	}
	slices.SortStableFunc(list, func(a, b hookedFact) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.order, b.order))
	})
	agents, of := map[string]*talker{}, map[string]string{}
	for _, h := range list {
		k := agents[h.sub]
		if k == nil {
			k = &talker{}
			agents[h.sub] = k
		}
		k.hear(h, of)
	}
	return of
}

// talker is an agent of which hooks report, between two of them.
type talker struct {
	waiting []string // nodes of texts that belong to the next call
	calls   []string // of the answer that is in progress
	told    bool     // that answer has a text
}

// hear adds the calls of texts to of.
func (k *talker) hear(h hookedFact, of map[string]string) {
	switch {
	case h.text != "":
		node := (&sightedFact{Sighting{Sub: h.sub, Group: h.text}, FromHooks}).groupNode()
		if len(k.calls) > 0 && !k.told && strings.HasPrefix(h.text, SaidMessage+"_") {
			of[node], k.told = k.calls[0], true
			return
		}
		k.waiting = append(k.waiting, node)
	case h.order == 2:
		k.calls = nil
	default:
		if len(k.calls) == 0 {
			k.told = false
		}
		k.calls = append(k.calls, h.calls...)
		for _, node := range k.waiting {
			of[node], k.told = h.calls[0], true
		}
		k.waiting = nil
	}
}

// wholeTexts returns texts with the pieces of each loose one made one, in the order in which it has them.
func wholeTexts(texts []sightedFact) (whole []sightedFact) {
	at := map[string]int{}
	for _, s := range texts { // the pieces of a text stand by their index, as facts do
		i, known := at[s.groupNode()]
		switch {
		case !s.loose():
			whole = append(whole, s)
		case !known:
			at[s.groupNode()] = len(whole)
			s.Index = 0
			whole = append(whole, s)
		default:
			w := &whole[i]
			said := *w.Said
			said.Text, said.Blocked = safety.JoinPieces(said.Text, s.Said.Text), said.Blocked || s.Said.Blocked
			w.Said, w.At = &said, earlier(w.At, s.At)
		}
	}
	for i := range whole {
		if whole[i].loose() {
			said := *whole[i].Said
			text := said.Text.String()
			end := len(strings.TrimRight(text, " \t\r\n"))
			said.Text = said.Text.Part(min(end, len(text)-len(strings.TrimLeft(text, " \t\r\n"))), end)
			whole[i].Said = &said
		}
	}
	return whole
}

// SaidBefore returns what the turn with a key has of the message that a fact is a piece of, ahead of that piece.
func (s *Session) SaidBefore(threadID, key string, fact Sighting) (before safety.Text, err error) {
	number, known, err := s.sightedTurn(threadID, key, key)
	if err != nil || !known || number == 0 {
		return before, err
	}
	f, err := s.folded(threadID, number)
	if err != nil {
		return before, err
	}
	var pieces []safety.Text
	for _, one := range f.head.facts {
		if one.loose() && one.Sub == fact.Sub && one.Group == fact.Group && one.Index < fact.Index {
			pieces = append(pieces, one.Said.Text)
		}
	}
	return safety.JoinPieces(pieces...), nil
}
