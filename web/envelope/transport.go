package envelope

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// maxAnswer bounds an answer, in bytes.
const maxAnswer = 64 << 20

// Transport sends requests in envelopes. Through brings them to the server at the URL Server.
type Transport struct {
	Through       http.RoundTripper
	Server, Token string
}

// RoundTrip implements http.RoundTripper. An answer that did not come in an envelope says nothing but its status.
func (t Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		body, err = io.ReadAll(r.Body)
		if _ = r.Body.Close(); err != nil {
			return nil, err
		}
	}
	header := r.Header.Clone()
	header.Del("Authorization")
	path := strings.TrimPrefix(r.URL.String(), t.Server)
	sealed, err := seal("request", t.Token,
		head{At: now().Unix(), Method: r.Method, Path: path, Header: header}, body, nil)
	if err != nil {
		return nil, err
	}
	post, err := http.NewRequestWithContext(r.Context(), http.MethodPost, t.Server+Path, bytes.NewReader(sealed))
	if err != nil {
		return nil, err
	}
	post.Header.Set("Authorization", scheme+NameOf(t.Token))
	post.Header.Set("Content-Type", mediaType)
	resp, err := t.Through.RoundTrip(post)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	switch {
	case err != nil:
		return nil, err
	case resp.StatusCode == http.StatusUnauthorized:
		// These words are ours, since nobody knows whose the answer is.
		return answered(r, head{Status: resp.StatusCode},
			[]byte(`{"error":"unauthorized","message":"The server does not know this token."}`)), nil
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("it answers with status %d, unlike a Candor server of this version", resp.StatusCode)
	}
	h, body, err := open("answer", t.Token, raw, sealed[:nonceBytes])
	if err != nil {
		return nil, fmt.Errorf("its response is not that of a Candor server: %w", err)
	}
	return answered(r, h, body), nil
}

// answered returns the response to a request.
func answered(r *http.Request, h head, body []byte) *http.Response {
	if h.Header == nil {
		h.Header = http.Header{}
	}
	return &http.Response{
		StatusCode: h.Status, Status: http.StatusText(h.Status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h.Header, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: r,
	}
}
