package sse

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"slices"
	"sync"

	r3labs "github.com/r3labs/sse/v2"
)

// Encode returns the frame of an event, as it is sent. The frame is what the library r3labs/sse
// writes for the event, but that the id is the last line of the block, and missing if there is none.
// A message without a name or data has no frame.
func Encode(m Message) []byte {
	if m.Name == "" || len(m.Data) == 0 {
		return nil
	}
	parts, id := molds(), ""
	if m.ID.Session != "" {
		id = m.ID.String()
	}
	size := len(m.Data) + len(m.Name) + len(id) + len(parts.data) + len(parts.name) + len(parts.id) + len(parts.end)
	frame := make([]byte, 0, size)
	frame = append(append(frame, parts.data...), m.Data...)
	frame = append(append(frame, parts.name...), m.Name...)
	if id == "" {
		return append(frame, parts.anonymous...)
	}
	frame = append(append(frame, parts.id...), id...)
	return append(frame, parts.end...)
}

// mold is a frame of the library that was taken apart: what stands before the data, the name and
// the id of an event and behind the id, and what follows the name of an event without an id.
type mold struct{ data, name, id, end, anonymous []byte }

// molds returns the mold of all frames. The library makes it once, from an event of which the parts
// are found again; so it says how an event is framed, but no event waits in its queues.
var molds = sync.OnceValue(func() (m mold) {
	const data, name, id = "DATA", "NAME", "ID"
	named := fromLibrary(&r3labs.Event{ID: []byte(id), Event: []byte(name), Data: []byte(data)})
	m.data, named, _ = bytes.Cut(named, []byte(data))
	m.name, named, _ = bytes.Cut(named, []byte(name))
	m.id, m.end, _ = bytes.Cut(named, []byte(id))
	_, m.anonymous, _ = bytes.Cut(fromLibrary(&r3labs.Event{Event: []byte(name), Data: []byte(data)}), []byte(name))
	return m
})

// fromLibrary returns the frame that the library writes for an event, its id moved to the end. It
// runs the library's handler for the one event, and returns when nothing of it is left running.
func fromLibrary(e *r3labs.Event) []byte {
	library := r3labs.New()
	library.AutoReplay = false
	left := make(chan struct{})
	library.OnUnsubscribe = func(string, *r3labs.Subscriber) { close(left) }
	library.CreateStream("one")
	ctx, cancel := context.WithCancel(context.Background())
	request := &http.Request{URL: &url.URL{RawQuery: "stream=one"}, Header: http.Header{}}
	w := &frameWriter{header: http.Header{}, subscribed: sync.OnceFunc(func() {
		library.Publish("one", e)
		library.Publish("one", &r3labs.Event{}) // ends the handler
	})}
	library.ServeHTTP(w, request.WithContext(ctx))

	// The order matters: the library leaks a goroutine if it is closed first.
	cancel()
	<-left
	library.Close()
	return w.frame()
}

// frameWriter is the response that the library writes a frame to, a line at a time.
type frameWriter struct {
	header     http.Header
	subscribed func() // called once the library takes events
	lines      [][]byte
}

// Header implements http.ResponseWriter.
func (w *frameWriter) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *frameWriter) WriteHeader(int) {}

// Write implements http.ResponseWriter. It never fails.
func (w *frameWriter) Write(line []byte) (int, error) {
	w.lines = append(w.lines, bytes.Clone(line))
	return len(line), nil
}

// Flush implements http.Flusher. The library calls it before the first event as well.
func (w *frameWriter) Flush() { w.subscribed() }

// frame returns the lines with the id moved before the blank one, or left out if it is empty.
func (w *frameWriter) frame() []byte {
	isID := func(line []byte) bool { return bytes.HasPrefix(line, []byte("id: ")) }
	at := slices.IndexFunc(w.lines, isID)
	id := w.lines[at]
	lines := slices.DeleteFunc(w.lines, isID)
	if len(id) > len("id: \n") {
		lines = slices.Insert(lines, len(lines)-1, id)
	}
	return bytes.Join(lines, nil)
}
