package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
)

// The bounds of the data read from a provider, in bytes. The longest answers of
// today's models are about a tenth of MaxAnswer, including the framing of the
// stream.
const (
	MaxAnswer  = 64 << 20
	MaxLine    = 32 << 20
	MaxRefusal = 1 << 20
)

// userAgent names this program to providers. It has no version, which would only
// tell them how to treat one release unlike another.
const userAgent = "candor"

// ErrTooLarge is the error of reading on after MaxAnswer bytes of an answer.
var ErrTooLarge = errors.New("the provider's answer is larger than 64 MiB")

// StatusError is an HTTP status that is no success. Body holds at most MaxRefusal
// bytes of what the server sent with it and may contain the key, so Error leaves it
// out.
type StatusError struct {
	Status int
	Header http.Header
	Body   []byte
}

// Error implements error.
func (e *StatusError) Error() string {
	if e.Redirect() {
		return "the provider sends us elsewhere: its base URL is not the right one"
	}
	return http.StatusText(e.Status)
}

// Redirect reports whether the server pointed to another address.
func (e *StatusError) Redirect() bool { return e.Status < http.StatusBadRequest }

// Client sends requests to one provider. It is safe for concurrent use.
type Client struct {
	base   *url.URL
	header http.Header
	http   *http.Client
}

// NewClient returns a client whose paths are relative to base, with or without a
// slash at its end. Each request carries header, which the client does not change.
// A nil transport means http.DefaultTransport.
func NewClient(base *url.URL, header http.Header, transport http.RoundTripper) *Client {
	root := *base
	if root.Path != "" && !strings.HasSuffix(root.Path, "/") {
		root.Path += "/"
	}
	return &Client{
		base:   &root,
		header: header,
		http: &http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// Get requests a path such as "models". The caller closes the body of the response.
// The errors are those of Post.
func (c *Client) Get(ctx context.Context, path string) (*http.Response, error) {
	return c.send(ctx, http.MethodGet, path, nil)
}

// Post sends a JSON body to a path such as "chat/completions". The caller closes the
// body of the response, which fails with ErrTooLarge after MaxAnswer bytes. A status
// of 300 or above is a *StatusError; any other error is a failed connection or the
// end of ctx.
func (c *Client) Post(ctx context.Context, path string, body []byte) (*http.Response, error) {
	return c.send(ctx, http.MethodPost, path, body)
}

// Stream posts a JSON body and yields the events of the answer in their order. The
// request is sent when the iteration starts, and the connection is released when it
// ends. An error, of Post or of Events, is the last thing yielded. JSON in the place of a stream is an event for each
// of its values, or for each element of a list; what is neither is a *NoAnswerError.
func (c *Client) Stream(ctx context.Context, path string, body []byte) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		resp, err := c.Post(ctx, path, body)
		if err != nil {
			yield(Event{}, err)
			return
		}
		defer resp.Body.Close()
		answer(resp)(yield)
	}
}

func (c *Client) send(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	address, err := c.base.Parse(path)
	if err != nil {
		return nil, fmt.Errorf("the path %q: %w", path, err)
	}
	req, err := http.NewRequestWithContext(ctx, method, address.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, values := range c.header {
		req.Header[name] = values
	}
	req.Header.Set("Accept", "application/json") // even for streams: what servers have always been sent
	req.Header.Set("User-Agent", userAgent)
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= http.StatusMultipleChoices {
		defer resp.Body.Close()
		part, _ := io.ReadAll(io.LimitReader(resp.Body, MaxRefusal)) // a part may say enough
		return nil, &StatusError{Status: resp.StatusCode, Header: resp.Header, Body: part}
	}
	resp.Body = &boundedBody{ReadCloser: resp.Body, left: MaxAnswer}
	return resp, nil
}

// boundedBody fails with ErrTooLarge once left bytes were read.
type boundedBody struct {
	io.ReadCloser
	left int
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, ErrTooLarge
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
