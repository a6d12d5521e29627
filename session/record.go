package session

import (
	"encoding/binary"
	"fmt"
	"reflect"

	"candor/session/journal"
)

// bodies has one body of each kind. The name of its type is the kind's name in a journal, for
// good.
var bodies = []Body{
	ThreadOpened{}, TurnQueued{}, TurnStarted{}, Narrated{}, ToolCalled{}, ToolReturned{}, ApprovalAsked{},
	ApprovalAnswered{}, Handoff{}, StepWaits{}, StepEnded{}, TurnCompleted{}, TurnFailed{}, TurnInterrupted{},
	Answered{}, Noted{}, Sighted{}, Spoken{}, NodeStarted{}, NodeEnded{}, DecisionRated{}, Dropped{}, Erased{},
	JobOpened{}, JobPrompted{}, JobMessage{}, JobToolUse{}, JobToolResult{}, JobReasoned{}, JobReported{},
	JobEnded{}, JobCancelled{}, JobRestarted{},
}

// kinds are the types of bodies by the names of their kinds.
var kinds = func() map[string]reflect.Type {
	all := map[string]reflect.Type{}
	for _, b := range bodies {
		t := reflect.TypeOf(b)
		all[t.Name()] = t
	}
	return all
}()

// encodeEvents returns the record of events that were appended together. Their numbers and their
// session are not in it: the journal knows both.
func encodeEvents(events []Event) []byte {
	buf := binary.AppendUvarint(nil, uint64(len(events)))
	for _, e := range events {
		body := reflect.ValueOf(e.Body)
		buf = appendTime(buf, e.At)
		buf = encode(buf, reflect.ValueOf(e.Ref))
		buf = appendString(buf, e.Key)
		buf = binary.AppendVarint(buf, int64(e.Ignored))
		buf = encode(appendString(buf, body.Type().Name()), body)
	}
	return buf
}

// decodeEvents reads back the events of a batch of a session, none if it was erased. It fails with
// a *journal.Damage that names the place if the record is of an unknown kind or cannot be read.
func decodeEvents(session string, b journal.Batch) ([]Event, error) {
	if b.Erased {
		return nil, nil
	}
	d := &decoder{in: string(b.Payload)}
	n := d.uvarint()
	if d.err == nil && n != b.Last-b.First+1 {
		d.fail("it has %d events", n)
	}
	events := make([]Event, 0, min(n, uint64(len(d.in))))
	for seq := b.First; seq <= b.Last && d.err == nil; seq++ {
		events = append(events, d.event(session, seq))
	}
	if d.err == nil && d.in != "" {
		d.fail("%d bytes follow it", len(d.in))
	}
	if d.err != nil {
		return nil, &journal.Damage{
			Session: session, First: b.First, Last: b.Last, Reason: d.err.Error(), Found: b.Payload,
		}
	}
	return events, nil
}

// event reads one event with the number seq. What the journal knows of it, its number and its
// session, is not in the record.
func (d *decoder) event(session string, seq uint64) Event {
	e := Event{Seq: seq, Session: session, At: d.time()}
	d.value(reflect.ValueOf(&e.Ref).Elem())
	e.Key, e.Ignored = d.string(), int(d.varint())
	name := d.string()
	kind, ok := kinds[name]
	if !ok {
		d.fail("an event is of the unknown kind %s", fmt.Sprintf("%.40q", name))
		return e
	}
	body := reflect.New(kind).Elem()
	d.value(body)
	e.Body = body.Interface().(Body)
	return e
}
