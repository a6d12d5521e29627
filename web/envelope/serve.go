package envelope

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"time"
)

// maxBody bounds an envelope, in bytes: the largest body that is carried, and its head.
const maxBody = 4<<20 + 64<<10

// maxAge bounds how far the clock of whoever sends an envelope may be from the server's.
const maxAge = 5 * time.Minute

// carried are the beginnings of paths that are served. To repeat a request to them changes nothing.
var carried = []string{"/api/hooks/", "/api/attached"}

// now is the clock.
var now = time.Now

// The answers to envelopes that are not served.
const (
	stale = `{"error":"stale_envelope","message":"The clocks of this machine and of the server differ by more than ` +
		`five minutes: set them.","details":{}}`
	notCarried = `{"error":"no_route","message":"No envelope goes to this path.","details":{}}`
)

// Serve opens an envelope, has next serve what is in it as a request with the token, and writes the answer in an
// envelope. It returns false, and has read and written nothing, if token knows no token of the envelope's name, or
// the envelope cannot be opened with it.
func Serve(w http.ResponseWriter, r *http.Request, token func(name string) (string, bool), next http.Handler) bool {
	secret, known := token(nameIn(r))
	if !known {
		return false
	}
	sealed, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return false
	}
	h, body, err := open("request", secret, sealed, nil)
	if err != nil {
		return false
	}
	a := &answer{ResponseWriter: w, header: http.Header{}, status: http.StatusOK}
	inner, err := http.NewRequestWithContext(r.Context(), h.Method, h.Path, bytes.NewReader(body))
	switch age := now().Sub(time.Unix(h.At, 0)); {
	case age > maxAge || age < -maxAge:
		a.refuse(http.StatusConflict, stale)
	case err != nil || !isCarried(inner.URL.Path):
		a.refuse(http.StatusNotFound, notCarried)
	default:
		if h.Header != nil {
			inner.Header = h.Header
		}
		inner.Header.Set("Authorization", "Bearer "+secret)
		inner.Host, inner.RemoteAddr, inner.RequestURI = r.Host, r.RemoteAddr, inner.URL.RequestURI()
		next.ServeHTTP(a, inner)
	}
	raw, err := seal("answer", secret, head{Status: a.status, Header: a.header}, a.body.Bytes(), sealed[:nonceBytes])
	if err != nil {
		return false
	}
	w.Header().Set("Content-Type", mediaType)
	_, _ = w.Write(raw)
	return true
}

// isCarried reports whether requests for a path are served.
func isCarried(path string) bool {
	for _, beginning := range carried {
		if strings.HasPrefix(path, beginning) {
			return true
		}
	}
	return false
}

// answer holds an answer until it is whole. Deadlines are those of the connection below.
type answer struct {
	http.ResponseWriter
	header http.Header
	status int
	begun  bool
	body   bytes.Buffer
}

// Unwrap returns the writer below, for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) {
	if !a.begun && status >= http.StatusOK {
		a.begun, a.status = true, status
	}
}

// Write implements http.ResponseWriter.
func (a *answer) Write(p []byte) (int, error) {
	a.begun = true
	return a.body.Write(p)
}

// refuse answers with a problem.
func (a *answer) refuse(status int, problem string) {
	a.WriteHeader(status)
	a.header.Set("Content-Type", "application/json")
	a.body.WriteString(problem)
}
