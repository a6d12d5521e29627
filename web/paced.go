package web

import (
	"net/http"
	"time"
)

// pacedWriter writes an answer that is made as it leaves. What is made of it counts as its user's
// share of the processors; the time in which its client reads does not.
type pacedWriter struct {
	http.ResponseWriter
	share *answerShare // nil if the answer has none
	begun bool         // a part of the answer has left
}

// newPacedWriter returns a writer of the answer to r.
func newPacedWriter(w http.ResponseWriter, r *http.Request) *pacedWriter {
	share, _ := r.Context().Value(shareKey{}).(*answerShare)
	return &pacedWriter{ResponseWriter: w, share: share}
}

// Write implements io.Writer.
func (p *pacedWriter) Write(b []byte) (n int, err error) {
	p.begun = true
	if p.share == nil {
		return p.ResponseWriter.Write(b)
	}
	p.share.end()
	if n, err = p.ResponseWriter.Write(b); err != nil {
		return n, err
	}
	p.share.mu.Lock()
	p.share.begun, p.share.ended = false, false
	p.share.mu.Unlock()
	return n, p.share.begin()
}

// breakOff ends an answer that failed. If a part of it has left, the client notices: the answer
// has no end as HTTP gives it to those that are whole. Else an error may take its place.
func (p *pacedWriter) breakOff() {
	if !p.begun {
		p.Header().Del("Content-Disposition")
		return
	}
	_ = http.NewResponseController(p.ResponseWriter).SetWriteDeadline(time.Unix(1, 0)) // a recorder has no connection
}
