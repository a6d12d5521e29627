package openwop_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// madeBody is a body with a large value at a pointer.
type madeBody struct {
	Template             m
	At                   string
	String, Nested, Keys int
}

// reply is what came back.
type reply struct {
	method   string
	aborted  bool // the case ended the request before
	status   int
	header   http.Header
	body     []byte
	json     any // nil if the body is no JSON
	isJSON   bool
	frames   []frame
	comments int
	closed   bool // the host closed the stream
}

// succeeded says whether the request did.
func (r reply) succeeded() bool { return !r.aborted && r.status >= 200 && r.status < 300 }

// at returns what the body has at a pointer.
func (r reply) at(pointer string) (any, bool) {
	if !r.isJSON {
		return nil, false
	}
	return valueAt(r.json, pointer)
}

// text returns the text that the body has at a pointer.
func (r reply) text(pointer string) (string, bool) {
	v, _ := r.at(pointer)
	s, ok := v.(string)
	return s, ok
}

// bytes returns the body, whose large value is in the place of a word in the template.
func (b madeBody) bytes() []byte {
	const word = "@@HERE@@"
	names := strings.Split(b.At, "/")[1:]
	filled := any(word)
	for i := len(names) - 1; i >= 0; i-- {
		around, _ := valueAt(b.Template, strings.Join(append([]string{""}, names[:i]...), "/"))
		around.(m)[names[i]] = filled
		filled = around
	}
	raw, _ := json.Marshal(filled)
	value := `"` + strings.Repeat("a", b.String) + `"`
	switch {
	case b.Nested > 0:
		value = strings.Repeat("[", b.Nested) + strings.Repeat("]", b.Nested)
	case b.Keys > 0:
		members := make([]string, b.Keys)
		for i := range members {
			members[i] = fmt.Sprintf(`"k%d":%d`, i, i)
		}
		value = "{" + strings.Join(members, ",") + "}"
	}
	return bytes.Replace(raw, []byte(`"`+word+`"`), []byte(value), 1)
}

// request returns a step's request.
func (p *player) request(st step, vars *variables) (*http.Request, error) {
	path, err := vars.text(st.Path)
	if err != nil {
		return nil, err
	}
	if at, err := url.Parse(path); err == nil && at.Host != "" {
		path = at.RequestURI()
	}
	body, isJSON, err := st.bytes(vars)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequest(st.Method, p.base, bytes.NewReader(body)) //nolint:noctx // receive adds it
	if err != nil {
		return nil, err
	}
	r.URL.Opaque = path // as it is, whatever it escapes
	r.Header = http.Header{"User-Agent": nil, "Authorization": {"Bearer ${token}"}}
	if p.version == 2 {
		r.Header.Set("OpenWOP-Version", "2")
	}
	if isJSON {
		r.Header.Set("Content-Type", "application/json")
	}
	return r, setHeaders(r.Header, st.Headers, vars)
}

// setHeaders adds the headers of a step to those that it has unless it names them.
func setHeaders(header http.Header, named map[string]*string, vars *variables) error {
	for name, value := range named {
		header.Del(name)
		if value != nil {
			header.Set(name, *value)
		}
	}
	for name, values := range header {
		for i := range values {
			var err error
			if values[i], err = vars.text(values[i]); err != nil {
				return fmt.Errorf("header %s: %w", name, err)
			}
		}
	}
	return nil
}

// bytes returns the body of a step, and whether to say that it is JSON.
func (st step) bytes(vars *variables) (body []byte, isJSON bool, err error) {
	switch {
	case st.Body != nil:
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(st.Body))
		if err != nil {
			return nil, false, err
		}
		if value, err = vars.put(value); err != nil {
			return nil, false, err
		}
		body, err = json.Marshal(value)
		return body, true, err
	case st.BodyGen != nil:
		return st.BodyGen.bytes(), true, nil
	case st.RawBody != nil:
		text, err := vars.text(*st.RawBody)
		return []byte(text), false, err
	case st.RawBodyBase64 != nil:
		body, err = base64.StdEncoding.DecodeString(*st.RawBodyBase64)
	}
	return body, false, err
}

// receive sends a request and returns the answer; begun, if it is not nil, is called at its beginning.
func (p *player) receive(ctx context.Context, r *http.Request, st step, begun func()) (reply, error) {
	limit := patience
	if st.AbortAfterMs > 0 {
		limit = time.Duration(st.AbortAfterMs) * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	response, err := p.transport.RoundTrip(r.WithContext(ctx))
	if err != nil {
		mayAbort, _ := valueAt(st.Expect, "/mayAbort")
		if st.AbortAfterMs > 0 || mayAbort == true {
			return reply{aborted: true}, nil
		}
		return reply{}, fmt.Errorf("no answer: %w", err)
	}
	defer response.Body.Close()
	if begun != nil {
		begun()
	}
	a := reply{method: st.Method, status: response.StatusCode, header: response.Header}
	if a.streams() {
		err = p.follow(ctx, st, response.Body, &a)
		return a, err
	}
	if a.body, err = io.ReadAll(response.Body); err != nil {
		if st.AbortAfterMs > 0 {
			return reply{aborted: true}, nil
		}
		return a, fmt.Errorf("the body was cut off: %w", err)
	}
	a.json, err = jsonschema.UnmarshalJSON(bytes.NewReader(a.body))
	a.isJSON = err == nil && utf8.Valid(a.body)
	return a, nil
}

// stubborn is a connection whose writes never fail: a host may answer a large body, and close the
// connection, before it has read it all. If there is no answer, reading fails.
type stubborn struct{ net.Conn }

// Write implements net.Conn.
func (c stubborn) Write(p []byte) (int, error) {
	_, _ = c.Conn.Write(p)
	return len(p), nil
}

// dialStubbornly dials a host.
func dialStubbornly(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return stubborn{c}, nil
}
