package otlp

import "encoding/json"

// fromJSON decodes a body into v, unless it has too many elements. It counts them first, since the decoder allocates
// for each before anybody could count.
func fromJSON(body []byte, v any) error {
	if elements(body) > maxElements {
		return errMany
	}
	if json.Unmarshal(body, v) != nil {
		return ErrBody
	}
	return nil
}

// elements counts the commas and the opening braces and brackets outside of strings: at least as many as there are
// members and elements.
func elements(body []byte) (n int) {
	// A quote within a string is escaped, and outside of strings JSON has no backslash: what is no JSON is counted
	// wrongly, and refused by the decoder anyway.
	quoted := false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ',' || c == '{' || c == '['):
			n++
		}
	}
	return n
}

// jsonSpans decodes an ExportTraceServiceRequest.
func jsonSpans(body []byte) ([]Span, error) {
	var in jsonTraces
	if err := fromJSON(body, &in); err != nil {
		return nil, err
	}
	return itemsOf(jsonRequest[jsonSpan](in), (*jsonSpan).span)
}

// jsonRecords decodes an ExportLogsServiceRequest.
func jsonRecords(body []byte) ([]Record, error) {
	var in jsonLogs
	if err := fromJSON(body, &in); err != nil {
		return nil, err
	}
	return itemsOf(jsonRequest[jsonRecord](in), (*jsonRecord).record)
}

// itemsOf returns what made makes of the items of a request, each with its resource and the name of its scope.
func itemsOf[I, T any](in jsonRequest[I], made func(*I, Attributes, string) (T, error)) (all []T, err error) {
	for _, res := range in.Resources {
		if res == nil {
			return nil, ErrBody
		}
		resource, err := attributes(res.Resource.Attributes, 0)
		if err != nil {
			return nil, err
		}
		for _, scope := range res.Scopes {
			if scope == nil {
				return nil, ErrBody
			}
			for _, one := range scope.Items {
				item, err := made(one, resource, scope.Scope.Name)
				if err != nil {
					return nil, err
				}
				all = append(all, item)
			}
		}
	}
	return all, nil
}

// span returns a span of a body. Ids are hex already, and of small letters.
func (j *jsonSpan) span(resource Attributes, scope string) (s Span, err error) {
	if j == nil {
		return s, ErrBody
	}
	s = Span{
		Trace: string(j.Trace), ID: string(j.ID), Parent: string(j.Parent), Name: j.Name,
		Remote: j.Flags&hasRemote != 0 && j.Flags&isRemote != 0,
		Start:  instant(uint64(j.Start)), End: instant(uint64(j.End)),
		Failed: j.Status.Code == errorCode, Message: j.Status.Message,
		Resource: resource, Scope: scope,
	}
	if s.Attrs, err = attributes(j.Attributes, 0); err != nil {
		return s, err
	}
	for _, e := range j.Events {
		if e == nil {
			return s, ErrBody
		}
		attrs, err := attributes(e.Attributes, 0)
		if err != nil {
			return s, err
		}
		s.Events = append(s.Events, Event{Name: e.Name, Attrs: attrs})
	}
	return s, nil
}

// record returns a record of a body.
func (j *jsonRecord) record(resource Attributes, scope string) (r Record, err error) {
	if j == nil {
		return r, ErrBody
	}
	r = Record{Trace: string(j.Trace), Span: string(j.Span), Name: j.Name, At: instant(uint64(j.At)),
		Resource: resource, Scope: scope}
	if r.At.IsZero() {
		r.At = instant(uint64(j.Seen))
	}
	if r.Body, err = j.Body.value(0); err != nil {
		return r, err
	}
	r.Attrs, err = attributes(j.Attributes, 0)
	return r, err
}

// attributes returns those of a list.
func attributes(list []*jsonPair, depth int) (Attributes, error) {
	all := Attributes{}
	for _, p := range list {
		if p == nil {
			return nil, ErrBody
		}
		v, err := p.Value.value(depth)
		if err != nil {
			return nil, err
		}
		all[p.Key] = v
	}
	return all, nil
}

// value returns a value of a body, nil for one that is empty.
func (j *jsonValue) value(depth int) (any, error) {
	switch {
	case depth > maxDepth:
		return nil, ErrBody
	case j == nil:
		return nil, nil
	case j.String != nil:
		return *j.String, nil
	case j.Bool != nil:
		return *j.Bool, nil
	case j.Int != nil:
		return int64(*j.Int), nil
	case j.Double != nil:
		return float64(*j.Double), nil
	case j.List != nil:
		list := []any{}
		for _, one := range j.List.Values {
			v, err := one.value(depth + 1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	case j.Object != nil:
		all, err := attributes(j.Object.Values, depth+1)
		return map[string]any(all), err
	case j.Bytes != nil:
		return j.Bytes, nil
	}
	return nil, nil
}
