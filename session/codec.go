package session

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"sync"
	"time"

	"candor/safety"
	"candor/session/journal"
)

// This file encodes values of this package for a journal and reads them back to the byte: texts,
// and the difference between an empty list and none, included. A struct is its fields that are
// not zero, each with its name, so that fields can be added; one that this version does not know makes
// the whole record unreadable. It is the only file that may call [safety.Restore].

// errRecord means that a record is not one that this version can read.
var errRecord = errors.New("unreadable record")

var (
	textType = reflect.TypeFor[safety.Text]()
	jsonType = reflect.TypeFor[safety.JSON]()
	timeType = reflect.TypeFor[time.Time]()
)

// encode appends a value to buf. Its type has no maps, interfaces, functions or unexported fields.
func encode(buf []byte, v reflect.Value) []byte {
	switch v.Type() {
	case textType:
		return appendString(buf, v.Interface().(safety.Text).String())
	case jsonType:
		value := v.Interface().(safety.JSON)
		if v.IsZero() {
			return appendString(buf, "")
		}
		return appendString(buf, string(value.Raw()))
	case timeType:
		return appendTime(buf, v.Interface().(time.Time))
	}
	switch v.Kind() {
	case reflect.String:
		return appendString(buf, v.String())
	case reflect.Bool:
		if v.Bool() {
			return append(buf, 1)
		}
		return append(buf, 0)
	case reflect.Int, reflect.Int64:
		return binary.AppendVarint(buf, v.Int())
	case reflect.Uint64:
		return binary.AppendUvarint(buf, v.Uint())
	case reflect.Float64:
		return binary.BigEndian.AppendUint64(buf, math.Float64bits(v.Float()))
	case reflect.Pointer:
		if v.IsNil() {
			return append(buf, 0)
		}
		return encode(append(buf, 1), v.Elem())
	case reflect.Slice:
		return encodeSlice(buf, v)
	default:
		return encodeStruct(buf, v)
	}
}

// encodeSlice appends a list: one more than its length, so that 0 stands for none, and its elements.
func encodeSlice(buf []byte, v reflect.Value) []byte {
	if v.IsNil() {
		return append(buf, 0)
	}
	buf = binary.AppendUvarint(buf, uint64(v.Len())+1)
	for i := range v.Len() {
		buf = encode(buf, v.Index(i))
	}
	return buf
}

// encodeStruct appends a struct: how many of its fields are not zero, and each of those as its name
// and its value, in the order in which they are declared.
func encodeStruct(buf []byte, v reflect.Value) []byte {
	fields := fieldsOf(v.Type())
	n := 0
	for i := range fields.names {
		if !v.Field(i).IsZero() {
			n++
		}
	}
	buf = binary.AppendUvarint(buf, uint64(n))
	for i, name := range fields.names {
		if field := v.Field(i); !field.IsZero() {
			buf = encode(appendString(buf, name), field)
		}
	}
	return buf
}

// appendString appends a text: its length in bytes, and the bytes.
func appendString(buf []byte, s string) []byte {
	return append(binary.AppendUvarint(buf, uint64(len(s))), s...)
}

// appendTime appends a time of the log, which is one of UTC in whole microseconds, or zero.
func appendTime(buf []byte, t time.Time) []byte {
	if t.IsZero() {
		return append(buf, 0)
	}
	return binary.AppendVarint(append(buf, 1), t.UnixMicro())
}

// structFields are the fields of a struct type, by their position and their name.
type structFields struct {
	names []string
	index map[string]int
}

// byType has the fields of each struct type that was met.
var byType sync.Map // of reflect.Type to structFields

// fieldsOf returns the fields of a struct type. They are looked up once for each type, since reflection
// over names is what costs.
func fieldsOf(t reflect.Type) structFields {
	if f, ok := byType.Load(t); ok {
		return f.(structFields)
	}
	f := structFields{index: map[string]int{}}
	for i := range t.NumField() {
		name := t.Field(i).Name
		f.names = append(f.names, name)
		f.index[name] = i
	}
	byType.Store(t, f)
	return f
}

// decoder reads a record from the beginning of in. Its first error stays, and what it returns
// afterwards is zero.
type decoder struct {
	in  string
	err error
}

// fail notes why the record cannot be read, unless something was wrong before, and ends it.
func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("%w: %s", errRecord, fmt.Sprintf(format, args...))
	}
	d.in = ""
}

// take returns the next n bytes. A record that has fewer fails.
func (d *decoder) take(n uint64) string {
	if n > uint64(len(d.in)) {
		d.fail("it is cut short")
		return ""
	}
	s := d.in[:n]
	d.in = d.in[n:]
	return s
}

// uvarint reads a number as [binary.AppendUvarint] wrote it. One of more than ten bytes fails, so that
// a record cannot make the decoder read on.
func (d *decoder) uvarint() (n uint64) {
	for shift := 0; shift < 64; shift += 7 {
		b := d.take(1)
		if b == "" {
			return 0
		}
		n |= uint64(b[0]&0x7f) << shift
		if b[0] < 0x80 {
			return n
		}
	}
	d.fail("a number is too long")
	return 0
}

// varint reads a number as [binary.AppendVarint] wrote it: the sign is in the lowest bit.
func (d *decoder) varint() int64 {
	n := d.uvarint()
	return int64(n>>1) ^ -int64(n&1)
}

// string reads a text as appendString wrote it.
func (d *decoder) string() string { return d.take(d.uvarint()) }

// flag reads one byte, which is 1 for true.
func (d *decoder) flag() bool { return d.take(1) == "\x01" }

// time reads a time as appendTime wrote it.
func (d *decoder) time() time.Time {
	if !d.flag() {
		return time.Time{}
	}
	return time.UnixMicro(d.varint()).UTC()
}

// value reads what encode wrote for a value of v's type, and sets v.
func (d *decoder) value(v reflect.Value) {
	switch v.Type() {
	case textType:
		v.Set(reflect.ValueOf(safety.Restore[safety.Text](d.string())))
		return
	case jsonType:
		if raw := d.string(); raw != "" {
			v.Set(reflect.ValueOf(safety.Restore[safety.JSON](raw)))
		}
		return
	case timeType:
		v.Set(reflect.ValueOf(d.time()))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(d.string())
	case reflect.Bool:
		v.SetBool(d.flag())
	case reflect.Int, reflect.Int64:
		v.SetInt(d.varint())
	case reflect.Uint64:
		v.SetUint(d.uvarint())
	case reflect.Float64:
		if raw := d.take(8); raw != "" {
			v.SetFloat(math.Float64frombits(binary.BigEndian.Uint64([]byte(raw))))
		}
	case reflect.Pointer:
		if d.flag() {
			v.Set(reflect.New(v.Type().Elem()))
			d.value(v.Elem())
		}
	case reflect.Slice:
		d.slice(v)
	default:
		d.structure(v)
	}
}

// slice reads a list. Every element has at least one byte, so a length that the record cannot hold
// makes no memory.
func (d *decoder) slice(v reflect.Value) {
	n := d.uvarint()
	if n == 0 {
		return
	}
	if n-1 > uint64(len(d.in)) {
		d.fail("a list is cut short")
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), int(n-1), int(n-1)))
	for i := range v.Len() {
		d.value(v.Index(i))
	}
}

// structure reads the fields of a struct, which stand by their names. A name that the type does not
// have fails: this version would lose what stands there.
func (d *decoder) structure(v reflect.Value) {
	of := fieldsOf(v.Type())
	for n := d.uvarint(); n > 0 && d.err == nil; n-- {
		name := d.string()
		at, ok := of.index[name]
		if !ok {
			d.fail("%s has no field %q", v.Type().Name(), name)
			return
		}
		d.value(v.Field(at))
	}
}

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
