package openapitest

import (
	"bytes"
	"mime"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// Watch returns a handler that answers as server does, and fails the test for each answer that
// differs from the server's document. The server has to be done with its requests when the test ends.
func Watch(t testing.TB, server http.Handler) http.Handler {
	t.Helper()
	c, err := contractOf(server)
	require.NoError(t, err)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen := &recorder{ResponseWriter: w, t: t, contract: c,
			answer: answer{method: r.Method, path: r.URL.Path, status: http.StatusOK}}
		server.ServeHTTP(seen, r)
		seen.end()
	})
}

// Check fails the test if the answer to a request differs from the server's document. It is for tests
// that call a handler themselves.
func Check(t testing.TB, server http.Handler, r *http.Request, status int, header http.Header, body []byte) {
	t.Helper()
	c, err := contractOf(server)
	require.NoError(t, err)
	seen := &recorder{t: t, contract: c, answer: answer{method: r.Method, path: r.URL.Path, status: status}}
	seen.kind = kindOf(header)
	seen.keep(body)
	seen.end()
}

// recorder passes an answer on, and keeps of it what is checked: all of a JSON answer, and of a stream
// the event that has not ended. Everything that a handler may ask of its connection, such as deadlines
// and a socket of its own, it reaches through Unwrap.
type recorder struct {
	http.ResponseWriter
	t        testing.TB
	contract *contract
	answer
	begun bool
}

// Unwrap is for http.ResponseController.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (w *recorder) WriteHeader(status int) {
	if !w.begun && status >= http.StatusOK {
		w.begun, w.status, w.kind = true, status, kindOf(w.Header())
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *recorder) Write(p []byte) (int, error) {
	if !w.begun {
		w.begun, w.kind = true, kindOf(w.Header())
	}
	n, err := w.ResponseWriter.Write(p)
	w.keep(p[:n])
	return n, err
}

// Flush implements http.Flusher.
func (w *recorder) Flush() {
	_ = http.NewResponseController(w.ResponseWriter).Flush() // of a writer that may not have it
}

// kindOf returns the media type of an answer.
func kindOf(h http.Header) string {
	kind, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return kind
}

// keep takes in a part of an answer, and checks the events that end in it.
func (w *recorder) keep(p []byte) {
	switch w.kind {
	case "application/json":
		w.body = append(w.body, p...)
	case "text/event-stream":
		w.body = append(w.body, p...)
		for {
			block, rest, ended := bytes.Cut(w.body, []byte("\n\n"))
			if !ended {
				return
			}
			w.body = rest
			w.checkEvent(block)
		}
	}
}

// checkEvent checks a block of a stream.
func (w *recorder) checkEvent(block []byte) {
	a := w.answer
	a.body = nil
	for line := range bytes.Lines(block) {
		name, value, _ := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "event":
			a.event = string(value)
		case "data":
			a.body = append(a.body, value...)
		}
	}
	if a.event != "" && a.body != nil {
		w.report(a)
	}
}

// end checks an answer that is complete. One that broke off is not.
func (w *recorder) end() {
	if w.kind == "application/json" && len(w.body) > 0 {
		w.report(w.answer)
	}
}

// report fails the test if an answer differs from the document.
func (w *recorder) report(a answer) {
	if err := w.contract.check(a); err != nil {
		w.t.Errorf("an answer differs from the OpenAPI document: %v\n%s", err, compact(a.body))
	}
}
