package sse

import (
	"net/http"
	"time"
)

// Writer writes a stream for a handler that makes the frames itself and sends each as soon as
// it exists. After a write has failed it does nothing. It is not safe for concurrent use.
type Writer struct {
	w       http.ResponseWriter
	rc      *http.ResponseController
	timeout time.Duration
	max     int // bytes of an event; 0 for any number
	failed  bool
}

// Open sends the headers of the stream that answers r, whose client may not read for timeout. From then on
// errors can only be sent as events. Events that are longer than r wants are cut; see [Wanted].
func Open(w http.ResponseWriter, r *http.Request, timeout time.Duration) *Writer {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	out := &Writer{w: w, rc: http.NewResponseController(w), timeout: timeout, max: maxEvent(r)}
	_ = out.rc.SetReadDeadline(time.Time{}) // the server's deadline for requests, which a stream outlives
	w.WriteHeader(http.StatusOK)
	out.flush()
	return out
}

// Write writes and flushes p, within the timeout.
func (o *Writer) Write(p []byte) {
	if o.failed || len(p) == 0 {
		return
	}
	// It fails only for a writer without a connection, such as a test recorder.
	_ = o.rc.SetWriteDeadline(time.Now().Add(o.timeout))
	if _, err := o.w.Write(Fit(p, o.max)); err != nil {
		o.failed = true
		return
	}
	o.flush()
}

// Max returns the most bytes that the client takes of an event; 0 for any number.
func (o *Writer) Max() int { return o.max }

// Failed reports whether a write has failed: the client has gone, or did not read.
func (o *Writer) Failed() bool { return o.failed }

func (o *Writer) flush() {
	if err := o.rc.Flush(); err != nil {
		o.failed = true
	}
}
