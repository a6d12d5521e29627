package otlp

import (
	"encoding/hex"
	"math"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// reader decodes one protobuf body. Its messages are decoded in depth, each by the function for its kind. It counts
// them all, since an empty message takes two bytes of a body and a hundred times that in memory.
type reader struct{ count int }

// field is a field of a message: its number and its value, whichever of the two its type has.
type field struct {
	num   protowire.Number
	value uint64
	raw   []byte
}

// fields calls each with the fields of a message. It fails for what is no protobuf, and if each does.
func (r *reader) fields(b []byte, each func(field) error) error {
	if r.count++; r.count > maxElements {
		return errMany
	}
	for len(b) > 0 {
		num, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return ErrBody
		}
		b = b[n:]
		f := field{num: num}
		switch kind {
		case protowire.VarintType:
			f.value, n = protowire.ConsumeVarint(b)
		case protowire.Fixed64Type:
			f.value, n = protowire.ConsumeFixed64(b)
		case protowire.Fixed32Type:
			var v uint32
			v, n = protowire.ConsumeFixed32(b)
			f.value = uint64(v)
		case protowire.BytesType:
			f.raw, n = protowire.ConsumeBytes(b)
		default:
			return ErrBody // groups, which OTLP never had
		}
		if n < 0 {
			return ErrBody
		}
		b = b[n:]
		if err := each(f); err != nil {
			return err
		}
	}
	return nil
}

// wireTraces decodes an ExportTraceServiceRequest.
func wireTraces(body []byte) (all []Span, err error) {
	r := &reader{}
	err = r.groups(body, func(raw []byte, resource Attributes, scope string) error {
		s, err := r.span(raw)
		s.Resource, s.Scope = resource, scope
		all = append(all, s)
		return err
	})
	return all, err
}

// wireLogs decodes an ExportLogsServiceRequest.
func wireLogs(body []byte) (all []Record, err error) {
	r := &reader{}
	err = r.groups(body, func(raw []byte, resource Attributes, scope string) error {
		one, err := r.record(raw)
		one.Resource, one.Scope = resource, scope
		all = append(all, one)
		return err
	})
	return all, err
}

// groups calls item with each span or record, and with its resource and scope. The two kinds of request have the
// same numbers so far: 1 the resources with their items, in which 1 is the resource and 2 the scopes with their
// items, in which again 1 is the scope and 2 the items. A resource may stand behind its items.
func (r *reader) groups(body []byte, item func(raw []byte, resource Attributes, scope string) error) error {
	return r.fields(body, func(f field) error {
		if f.num != 1 {
			return nil
		}
		// Two passes, because nothing says that the resource stands first.
		resource, scope := Attributes{}, ""
		if err := r.pairs(f.raw, func(f field) error { return r.attribute(f, 1, resource) }); err != nil {
			return err
		}
		return r.fields(f.raw, func(f field) error {
			if f.num != 2 {
				return nil
			}
			scope = "" // each list of items has its own, or none
			err := r.pairs(f.raw, func(f field) error {
				if f.num == 1 {
					scope = text(f.raw)
				}
				return nil
			})
			if err != nil {
				return err
			}
			return r.fields(f.raw, func(f field) error {
				if f.num != 2 {
					return nil
				}
				return item(f.raw, resource, scope)
			})
		})
	})
}

// pairs calls each with the fields of the messages of number 1 in a message: of a resource, a scope, or a list.
func (r *reader) pairs(b []byte, each func(field) error) error {
	return r.fields(b, func(f field) error {
		if f.num != 1 {
			return nil
		}
		return r.fields(f.raw, each)
	})
}

// span decodes a span. The numbers of its fields are 1 trace_id, 2 span_id, 4 parent_span_id, 5 name, 7 and 8 the
// times of its start and end, 9 attributes, 11 events, 15 status and 16 flags. Not read are 3 trace_state, 6 kind,
// 13 links, and the counts of what the exporter dropped.
func (r *reader) span(b []byte) (s Span, err error) {
	s.Attrs = Attributes{}
	err = r.fields(b, func(f field) error {
		switch f.num {
		case 1:
			s.Trace = hex.EncodeToString(f.raw)
		case 2:
			s.ID = hex.EncodeToString(f.raw)
		case 4:
			s.Parent = hex.EncodeToString(f.raw)
		case 5:
			s.Name = text(f.raw)
		case 7:
			s.Start = instant(f.value)
		case 8:
			s.End = instant(f.value)
		case 9:
			return r.attribute(f, 9, s.Attrs)
		case 11:
			return r.event(f.raw, &s)
		case 15:
			return r.status(f.raw, &s)
		case 16:
			s.Remote = f.value&hasRemote != 0 && f.value&isRemote != 0
		}
		return nil
	})
	return s, err
}

// event decodes an event of a span: 2 name, 3 attributes. Its time is not read.
func (r *reader) event(b []byte, s *Span) error {
	e := Event{Attrs: Attributes{}}
	err := r.fields(b, func(f field) error {
		if f.num == 2 {
			e.Name = text(f.raw)
		}
		return r.attribute(f, 3, e.Attrs)
	})
	s.Events = append(s.Events, e)
	return err
}

// status decodes the status of a span: 2 message, 3 code.
func (r *reader) status(b []byte, s *Span) error {
	return r.fields(b, func(f field) error {
		switch f.num {
		case 2:
			s.Message = text(f.raw)
		case 3:
			s.Failed = f.value == errorCode
		}
		return nil
	})
}

// record decodes a log record: 1 time, 5 body, 6 attributes, 9 trace, 10 span, 11 the time at which it was seen, which
// stands in for its own, 12 the event's name. Its severity, and the span within which it was written, are not read.
func (r *reader) record(b []byte) (one Record, err error) {
	one.Attrs = Attributes{}
	var at, seen uint64
	err = r.fields(b, func(f field) (err error) {
		switch f.num {
		case 1:
			at = f.value
		case 5:
			one.Body, err = r.value(f.raw, 0)
		case 6:
			return r.attribute(f, 6, one.Attrs)
		case 9:
			one.Trace = hex.EncodeToString(f.raw)
		case 10:
			one.Span = hex.EncodeToString(f.raw)
		case 11:
			seen = f.value
		case 12:
			one.Name = text(f.raw)
		}
		return err
	})
	if one.At = instant(at); one.At.IsZero() {
		one.At = instant(seen)
	}
	return one, err
}

// attribute adds the attribute that a field is, if it has the number of one.
func (r *reader) attribute(f field, num protowire.Number, to Attributes) error {
	if f.num != num {
		return nil
	}
	key, value, err := r.keyValue(f.raw, 0)
	to[key] = value
	return err
}

// keyValue decodes a key with its value: 1 key, 2 value. Of a key that comes twice the last value holds.
func (r *reader) keyValue(b []byte, depth int) (key string, value any, err error) {
	err = r.fields(b, func(f field) (err error) {
		switch f.num {
		case 1:
			key = text(f.raw)
		case 2:
			value, err = r.value(f.raw, depth)
		}
		return err
	})
	return key, value, err
}

// value decodes a value, which is one of: 1 string, 2 bool, 3 int, 4 double, 5 list, 6 object, 7 bytes. A message with
// none of them is nil, and of several the last one holds, as everywhere in protobuf.
func (r *reader) value(b []byte, depth int) (v any, err error) {
	if depth > maxDepth {
		return nil, ErrBody
	}
	err = r.fields(b, func(f field) (err error) {
		switch f.num {
		case 1:
			v = text(f.raw)
		case 2:
			v = f.value != 0
		case 3:
			v = int64(f.value)
		case 4:
			v = math.Float64frombits(f.value)
		case 5:
			v, err = r.list(f.raw, depth+1)
		case 6:
			v, err = r.object(f.raw, depth+1)
		case 7:
			v = append([]byte{}, f.raw...)
		}
		return err
	})
	return v, err
}

// list decodes the values of a list.
func (r *reader) list(b []byte, depth int) (list []any, err error) {
	list = []any{}
	err = r.fields(b, func(f field) error {
		if f.num != 1 {
			return nil
		}
		v, err := r.value(f.raw, depth)
		list = append(list, v)
		return err
	})
	return list, err
}

// object decodes a list of keys with values.
func (r *reader) object(b []byte, depth int) (map[string]any, error) {
	all := map[string]any{}
	err := r.fields(b, func(f field) error {
		if f.num != 1 {
			return nil
		}
		key, value, err := r.keyValue(f.raw, depth)
		all[key] = value
		return err
	})
	return all, err
}

// text returns a string of a body. Protobuf allows only UTF-8 in it, but not everybody checks.
func text(raw []byte) string {
	if utf8.Valid(raw) {
		return string(raw)
	}
	return string([]rune(string(raw)))
}
