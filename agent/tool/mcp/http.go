package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	maxMessage    = 16 << 20 // bytes of a body that is not a stream; the SDK bounds streams
	maxRedirects  = 5
	probeTimeout  = 5 * time.Second
	streamTimeout = 3 * time.Second // for a server to answer a request for its notifications
)

// httpServer is a server that is reached over HTTP. As an http.RoundTripper it adds the
// configured headers and notices when the server is gone: the SDK alone would try to
// resume a broken stream for a while, and its calls would wait.
type httpServer struct {
	endpoint   *url.URL
	headers    map[string]string
	base       *http.Transport
	lost       func(error)
	lastStatus atomic.Int64 // status of the last response if it was an error, else 0

	ctx    context.Context // parent of all requests
	cancel context.CancelFunc
	mu     sync.Mutex
	probe  chan struct{} // closed when the running probe ends; nil if none runs
}

// openHTTP prepares a connection to a server of kind http. It sends nothing yet.
func openHTTP(e Endpoint, lost func(error)) (*connection, error) {
	u, err := url.Parse(e.URL)
	if err != nil {
		return nil, failf("its URL cannot be read")
	}
	// Unlike the tool http_get this uses the proxy: the operator chose the URL.
	base := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, IdleConnTimeout: time.Minute}
	r := &httpServer{endpoint: u, headers: e.Headers, base: base, lost: lost}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	return &connection{
		transport: &sdk.StreamableClientTransport{
			Endpoint:   e.URL,
			HTTPClient: &http.Client{Transport: r, CheckRedirect: r.checkRedirect},
		},
		explain: r.explain, abort: r.cancel, release: r.release,
	}, nil
}

// checkRedirect refuses redirects to other origins, which must not see headers and
// arguments.
func (r *httpServer) checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return failf("it redirects more than %d times", maxRedirects)
	}
	if !r.sameOrigin(req.URL) {
		return failf("it redirects to another origin; configure that one's URL")
	}
	return nil
}

// sameOrigin reports whether a URL has the endpoint's scheme, host and port.
func (r *httpServer) sameOrigin(u *url.URL) bool {
	return u.Scheme == r.endpoint.Scheme && strings.EqualFold(u.Host, r.endpoint.Host)
}

// RoundTrip implements http.RoundTripper. It adds the configured headers. The request also
// ends with the connection: nothing else ends the SDK's own requests for streams.
func (r *httpServer) RoundTrip(req *http.Request) (*http.Response, error) {
	// The context must live until the body is closed, so its cancel function goes with the
	// body.
	ctx, cancel := context.WithCancel(req.Context())
	unhook := context.AfterFunc(r.ctx, cancel)
	end := func() { unhook(); cancel() }
	req = req.Clone(ctx)
	if r.sameOrigin(req.URL) {
		for name, value := range r.headers {
			req.Header.Set(name, value)
		}
	}
	nameTask(req)
	resp, err := r.send(req, cancel)
	if err != nil {
		if ctx.Err() == nil {
			r.startProbe()
		}
		end()
		return nil, err
	}
	r.lastStatus.Store(0)
	if resp.StatusCode >= http.StatusBadRequest {
		r.lastStatus.Store(int64(resp.StatusCode))
	}
	// The SDK bounds the events of a stream itself.
	body := &watchedBody{ReadCloser: resp.Body, ctx: ctx, end: end, broken: r.startProbe, left: -1}
	next := mendEvents(body)
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		body.left = maxMessage
		next = mendWhole(body)
	}
	// What is mended may have another length.
	resp.Body, resp.ContentLength = &mendedBody{Closer: body, next: next}, -1
	return resp, nil
}

// send sends a request. A GET asks for a stream of notifications, which a server need not
// have. If the server does not answer in time we act as if it had none, because opening
// the session would otherwise wait for its first notification.
func (r *httpServer) send(req *http.Request, cancel func()) (*http.Response, error) {
	if req.Method != http.MethodGet {
		return r.base.RoundTrip(req)
	}
	timeout := time.AfterFunc(streamTimeout, cancel)
	resp, err := r.base.RoundTrip(req)
	if timeout.Stop() || r.ctx.Err() != nil {
		return resp, err
	}
	if err == nil {
		resp.Body.Close()
	}
	return &http.Response{
		Status: "405 Method Not Allowed", StatusCode: http.StatusMethodNotAllowed,
		Proto: req.Proto, ProtoMajor: req.ProtoMajor, ProtoMinor: req.ProtoMinor,
		Header: http.Header{}, Body: http.NoBody, Request: req,
	}, nil
}

// watchedBody is a response body that reports when it breaks off, and whose size may be
// bounded.
type watchedBody struct {
	io.ReadCloser
	ctx    context.Context
	end    func() // releases ctx
	broken func() // called when reading fails before the end
	left   int64  // bytes that may still be read; negative means no bound
}

// Read implements io.Reader.
func (w *watchedBody) Read(b []byte) (int, error) {
	if w.left == 0 {
		return 0, failf("it sent a message of more than %d bytes", maxMessage)
	}
	if w.left > 0 {
		b = b[:min(int64(len(b)), w.left)]
	}
	n, err := w.ReadCloser.Read(b)
	if w.left > 0 {
		w.left -= int64(n)
	}
	if err != nil && err != io.EOF && w.ctx.Err() == nil && !errors.Is(err, http.ErrBodyReadAfterClose) {
		w.broken()
	}
	return n, err
}

// Close implements io.Closer.
func (w *watchedBody) Close() error {
	defer w.end()
	return w.ReadCloser.Close()
}

// mendedBody is a response body whose messages are mended.
type mendedBody struct {
	io.Closer
	next func() (piece []byte, err error) // returns what comes next; err is for after it
	rest []byte
	err  error
}

// Read implements io.Reader.
func (m *mendedBody) Read(b []byte) (int, error) {
	for len(m.rest) == 0 && m.err == nil {
		m.rest, m.err = m.next()
	}
	n := copy(b, m.rest)
	if m.rest = m.rest[n:]; len(m.rest) > 0 {
		return n, nil
	}
	return n, m.err
}

// mendWhole reads a body that is one message.
func mendWhole(body io.Reader) func() ([]byte, error) {
	return func() ([]byte, error) {
		whole, err := io.ReadAll(body)
		if err != nil {
			return nil, err
		}
		if mended := mend(whole); mended != nil {
			whole = mended
		}
		return whole, io.EOF
	}
}

// mendEvents reads a stream of events by lines, and mends the messages among them. A line that is too long to be a
// message is left to the SDK, which bounds it.
func mendEvents(body io.Reader) func() ([]byte, error) {
	lines := bufio.NewReader(body)
	long := false
	return func() ([]byte, error) {
		var line []byte
		for {
			piece, err := lines.ReadSlice('\n')
			line = append(line, piece...)
			if err == bufio.ErrBufferFull && len(line) <= maxMessage {
				continue
			}
			if err == bufio.ErrBufferFull {
				long = true
				return line, nil
			}
			data, ok := bytes.CutPrefix(line, []byte("data:"))
			if ok && !long && err == nil {
				line = []byte(":\n") // a comment
				if mended := mend(bytes.TrimSpace(data)); mended != nil {
					line = append(append([]byte("data: "), mended...), '\n')
				}
			}
			long = false
			return line, err
		}
	}
}

// startProbe finds out in the background whether the server is still there, and calls lost
// if it is not. Only one probe runs at a time.
func (r *httpServer) startProbe() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.probe != nil || r.ctx.Err() != nil {
		return
	}
	over := make(chan struct{})
	r.probe = over
	go func() {
		defer close(over)
		err := r.ping()
		if err != nil && r.ctx.Err() == nil {
			r.lost(err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.probe = nil
	}()
}

// ping sends a request to which any response is good.
func (r *httpServer) ping() error {
	ctx, stop := context.WithTimeout(r.ctx, probeTimeout)
	defer stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodOptions, r.endpoint.String(), nil)
	if err != nil {
		return err
	}
	resp, err := r.base.RoundTrip(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// explain returns the HTTP status of the last response as the cause of err, if that was an
// error status and err is not a network error.
func (r *httpServer) explain(err error) error {
	status := int(r.lastStatus.Load())
	var network *net.OpError
	if status == 0 || errors.As(err, &network) {
		return err
	}
	return failf("it answered with HTTP status %d %s", status, http.StatusText(status))
}

// release stops the probe, waits for it, and closes idle connections.
func (r *httpServer) release() {
	r.cancel()
	r.mu.Lock()
	probe := r.probe
	r.mu.Unlock()
	if probe != nil {
		<-probe
	}
	r.base.CloseIdleConnections()
}
