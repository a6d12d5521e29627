package mcp

import (
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
	maxMessage   = 16 << 20 // bytes of a body that is no stream; the SDK bounds those
	maxRedirects = 5
	probing      = 5 * time.Second
	streamStart  = 3 * time.Second // for a server to say whether it has a stream of notices
)

// remote is a server that is reached over HTTP. As a round tripper it adds the
// configured headers, and notices that the server is gone: the SDK would go on
// resuming a broken stream for a while, and the calls in it would wait.
type remote struct {
	endpoint *url.URL
	headers  map[string]string
	base     *http.Transport
	lost     func(error)
	refusal  atomic.Int64 // the status of the last answer if it was an error

	ctx    context.Context // of all requests
	cancel context.CancelFunc
	mu     sync.Mutex
	probe  chan struct{} // closed once the probe that runs is over; nil if none does
}

// openHTTP is the way to a server of kind http.
func openHTTP(e Endpoint, lost func(error)) (*line, error) {
	u, err := url.Parse(e.URL)
	if err != nil {
		return nil, failf("its URL cannot be read")
	}
	base := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, IdleConnTimeout: time.Minute}
	r := &remote{endpoint: u, headers: e.Headers, base: base, lost: lost}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	return &line{
		transport: &sdk.StreamableClientTransport{
			Endpoint:   e.URL,
			HTTPClient: &http.Client{Transport: r, CheckRedirect: r.checkRedirect},
		},
		why: r.why, hangUp: r.cancel, free: r.free,
	}, nil
}

// checkRedirect keeps headers and arguments from other servers.
func (r *remote) checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return failf("it redirects more than %d times", maxRedirects)
	}
	if !r.owns(req.URL) {
		return failf("it redirects to another origin; configure that one's URL")
	}
	return nil
}

func (r *remote) owns(u *url.URL) bool {
	return u.Scheme == r.endpoint.Scheme && strings.EqualFold(u.Host, r.endpoint.Host)
}

// RoundTrip sends a request with the configured headers. It ends with the line,
// too: the SDK's own requests for streams end with nothing else.
func (r *remote) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	unhook := context.AfterFunc(r.ctx, cancel)
	end := func() { unhook(); cancel() }
	req = req.Clone(ctx)
	if r.owns(req.URL) {
		for name, value := range r.headers {
			req.Header.Set(name, value)
		}
	}
	resp, err := r.send(req, cancel)
	if err != nil {
		if ctx.Err() == nil {
			r.suspect()
		}
		end()
		return nil, err
	}
	r.refusal.Store(0)
	if resp.StatusCode >= http.StatusBadRequest {
		r.refusal.Store(int64(resp.StatusCode))
	}
	body := &watched{ReadCloser: resp.Body, ctx: ctx, end: end, broken: r.suspect, left: -1}
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		body.left = maxMessage
	}
	resp.Body = body
	return resp, nil
}

// send sends a request. A GET asks for a stream of notices, which a server need
// not have; one that does not say so soon has none, or opening the session would
// wait for its first notice.
func (r *remote) send(req *http.Request, cancel func()) (*http.Response, error) {
	if req.Method != http.MethodGet {
		return r.base.RoundTrip(req)
	}
	late := time.AfterFunc(streamStart, cancel)
	resp, err := r.base.RoundTrip(req)
	if late.Stop() || r.ctx.Err() != nil {
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

// watched is a body that tells when it breaks off, and has a bound.
type watched struct {
	io.ReadCloser
	ctx    context.Context
	end    func() // of ctx
	broken func()
	left   int64 // negative for no bound
}

func (w *watched) Read(b []byte) (int, error) {
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

func (w *watched) Close() error {
	defer w.end()
	return w.ReadCloser.Close()
}

// suspect finds out whether the server is still there. One probe at a time.
func (r *remote) suspect() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.probe != nil || r.ctx.Err() != nil {
		return
	}
	over := make(chan struct{})
	r.probe = over
	go func() {
		defer close(over)
		err := r.reach()
		if err != nil && r.ctx.Err() == nil {
			r.lost(err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.probe = nil
	}()
}

// reach asks for any answer at all.
func (r *remote) reach() error {
	ctx, stop := context.WithTimeout(r.ctx, probing)
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

// why is the status of a refusal, unless nothing answered at all.
func (r *remote) why(err error) error {
	status := int(r.refusal.Load())
	var network *net.OpError
	if status == 0 || errors.As(err, &network) {
		return err
	}
	return failf("it answered with HTTP status %d %s", status, http.StatusText(status))
}

// free stops the probe, waits for it, and lets go of idle connections.
func (r *remote) free() {
	r.cancel()
	r.mu.Lock()
	probe := r.probe
	r.mu.Unlock()
	if probe != nil {
		<-probe
	}
	r.base.CloseIdleConnections()
}
