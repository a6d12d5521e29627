package apptest

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Client calls the API of a server, in this process or in another, as the users ann and bob,
// whose tokens are those of [TokenOf].
type Client struct {
	T      testing.TB
	URL    string       // http and the address, without a slash at the end
	Caller *http.Client // sends the requests
}

// Reply is an answer of the API, its body read and closed. Any status is a reply; the
// test asserts the one it expects.
type Reply struct {
	T      testing.TB
	Status int
	Header http.Header
	Body   string
}

// JSON returns the body, which has to be a JSON object.
func (r Reply) JSON() M {
	r.T.Helper()
	return Decode(r.T, []byte(r.Body))
}

// Do sends one request with the user's token and returns the answer; edit changes the
// request first. A POST is JSON.
func (c *Client) Do(user, method, path, body string, edit ...func(*http.Request)) Reply {
	c.T.Helper()
	resp, err := c.Caller.Do(c.Request(c.T.Context(), user, method, path, body, edit...))
	require.NoError(c.T, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(c.T, err)
	return Reply{c.T, resp.StatusCode, resp.Header, string(raw)}
}

// Get is Do with GET.
func (c *Client) Get(user, path string, edit ...func(*http.Request)) Reply {
	c.T.Helper()
	return c.Do(user, http.MethodGet, path, "", edit...)
}

// Post is Do with POST.
func (c *Client) Post(user, path, body string, edit ...func(*http.Request)) Reply {
	c.T.Helper()
	return c.Do(user, http.MethodPost, path, body, edit...)
}

// Request makes a request of the user's without sending it.
func (c *Client) Request(
	ctx context.Context, user, method, path, body string, edit ...func(*http.Request),
) *http.Request {
	c.T.Helper()
	req, err := http.NewRequestWithContext(ctx, method, c.URL+path, strings.NewReader(body))
	require.NoError(c.T, err)
	req.Header.Set("Authorization", "Bearer "+TokenOf(user))
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, e := range edit {
		e(req)
	}
	return req
}

// Header sets a header of a request.
func Header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

// WithToken replaces the token of a request.
func WithToken(token string) func(*http.Request) { return Header("Authorization", "Bearer "+token) }

// WithoutToken removes the token from a request.
func WithoutToken(r *http.Request) { r.Header.Del("Authorization") }
