package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"candor/web/envelope"
)

// maxAnswer bounds an answer that is read, in bytes.
const maxAnswer = 64 << 20

// answerTime bounds how long a server may take to begin its answer.
const answerTime = 30 * time.Second

// How often a request that came too fast is sent, and the longest pause before it is sent again.
const (
	maxTries     = 3
	longestPause = 10 * time.Second
)

// Client makes requests to one server on behalf of one user. It is safe for
// concurrent use.
type Client struct {
	base, token string
	http        *http.Client
}

// Dial connects to a server that is not on the network, such as one in the same
// process.
type Dial func(ctx context.Context) (net.Conn, error)

// New returns a client for the server at an http or https URL such as
// http://127.0.0.1:8080. It checks the URL and the token and connects only when it
// is used.
func New(server, token string) (*Client, error) { return NewOver(server, token, nil) }

// NewOver is New for a server that dial connects to; nil is the network.
func NewOver(server, token string, dial Dial) (*Client, error) {
	t := &http.Transport{
		Proxy: http.ProxyFromEnvironment, ResponseHeaderTimeout: answerTime, TLSHandshakeTimeout: 10 * time.Second,
		IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true, MaxResponseHeaderBytes: 1 << 20,
		DialContext: (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
	}
	if dial != nil {
		t.Proxy = nil
		t.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) }
	}
	return NewVia(server, token, t)
}

// NewVia is New for a server that a transport brings requests to.
func NewVia(server, token string, transport http.RoundTripper) (*Client, error) {
	u, err := url.Parse(server)
	switch {
	case err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https"):
		return nil, errors.New("the server must be a URL such as http://127.0.0.1:8080")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the server's URL must not have a user, query or fragment")
	case token == "":
		return nil, errors.New("the token is missing")
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, errors.New("the token has invalid characters")
	}
	return &Client{
		base: strings.TrimSuffix(u.String(), "/"), token: token,
		http: &http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// closed returns a client whose requests go in envelopes, for those that a program makes by itself: it cannot know who
// listens at the address while the server is away.
func (c *Client) closed() *Client {
	h := *c.http
	through := cmp.Or(h.Transport, http.DefaultTransport)
	h.Transport = envelope.Transport{Through: through, Server: c.base, Token: c.token}
	return &Client{base: c.base, token: c.token, http: &h}
}

// Close closes idle connections. Requests under way are not affected.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Error is a refusal by the server. Message says what was wrong and what to do, in
// the server's words; Code is stable and meant for programs.
type Error struct {
	Status  int            `json:"-"`
	Code    string         `json:"error"` // such as no_thread
	Message string         `json:"message"`
	Details map[string]any `json:"details"`

	RetryAfter time.Duration `json:"-"` // after which the request may succeed; 0 if the server does not say
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// Is reports whether err is a refusal by the server with this code.
func Is(err error, code string) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Code == code
}

// Unreachable is the error for a server that does not answer, or not as a Candor
// server does.
type Unreachable struct {
	Server string // its host
	Err    error
}

// Error implements error.
func (e *Unreachable) Error() string {
	if errors.Is(e.Err, http.ErrSchemeMismatch) {
		return fmt.Sprintf("no answer from %s by https: it speaks http, so that its address begins with http://",
			e.Server)
	}
	return fmt.Sprintf("no answer from %s: %v. Is it running? candor serve starts it", e.Server, e.Err)
}

// Unwrap returns the cause.
func (e *Unreachable) Unwrap() error { return e.Err }

// errNotCandor is why an answer that cannot be read counts as none.
var errNotCandor = errors.New("its response is not that of a Candor server")

// call sends body as JSON, no body for nil, and decodes the answer into out.
func (c *Client) call(ctx context.Context, method, path string, body, out any) error {
	resp, err := c.open(ctx, method, path, body, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return c.unreachable(ctx, err)
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return c.unreachable(ctx, errNotCandor)
	}
	return nil
}

// open sends a request, whose body is sent as JSON unless it is bytes, and returns the answer if it is a success; the
// caller closes its body. Otherwise the error is an *Error or an *Unreachable, or that of ctx. A request
// that came too fast is sent again when the server says so, up to maxTries times.
func (c *Client) open(ctx context.Context, method, path string, body any, header http.Header) (*http.Response, error) {
	raw, isRaw := body.([]byte)
	if body != nil && !isRaw {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	for try := 1; ; try++ {
		resp, err := c.openOnce(ctx, method, path, raw, header)
		e, refused := errors.AsType[*Error](err)
		if !refused || e.Code != "too_fast" && e.Code != "too_many_requests" || try == maxTries {
			return resp, err
		}
		select {
		case <-time.After(min(max(e.RetryAfter, time.Second), longestPause)):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// openOnce sends a request once. A body is JSON unless header says otherwise, or nil.
func (c *Client) openOnce(
	ctx context.Context, method, path string, body []byte, header http.Header,
) (*http.Response, error) {
	var content io.Reader
	if body != nil {
		content = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, content)
	if err != nil {
		return nil, err
	}
	for key, values := range header {
		req.Header[key] = values
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	if body != nil && req.Header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.unreachable(ctx, err)
	}
	if resp.StatusCode >= 200 && resp.StatusCode < 300 {
		return resp, nil
	}
	defer resp.Body.Close()
	return nil, c.refusal(ctx, resp)
}

// refusal turns an answer that is no success into an error.
func (c *Client) refusal(ctx context.Context, resp *http.Response) error {
	raw, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	e := &Error{Status: resp.StatusCode}
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
		e.RetryAfter = time.Duration(min(max(seconds, 0), 3600)) * time.Second
	}
	if json.Unmarshal(raw, e) != nil || e.Code == "" || e.Message == "" {
		return c.unreachable(ctx, fmt.Errorf("it answers with status %d, unlike a Candor server", resp.StatusCode))
	}
	if e.Code == "no_route" {
		// The server does not say where it has nothing, which most often is an address with a wrong path.
		at := url.URL{Scheme: resp.Request.URL.Scheme, Host: resp.Request.URL.Host, Path: resp.Request.URL.Path}
		e.Message = fmt.Sprintf("There is nothing at %s: is %s the server's whole address?", at.String(), c.base)
	}
	return e
}

// unreachable wraps the cause of a missing answer. If ctx has ended it returns that
// error instead, because the server is not to blame. The URL is left out: its query
// may hold what the user wrote.
func (c *Client) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	host := "the server"
	if u, parseErr := url.Parse(c.base); parseErr == nil {
		host = u.Host
	}
	return &Unreachable{Server: host, Err: err}
}
