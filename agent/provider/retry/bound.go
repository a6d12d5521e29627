package retry

import (
	"errors"
	"io"
	"net/http"
)

const (
	// maxAnswer is how many bytes of one answer are read. The longest answers of
	// today's models are about a tenth of it, with the wrapping of a stream.
	maxAnswer  = 64 << 20
	maxRefusal = 1 << 20 // bytes
)

var (
	errAnswerTooLarge = errors.New("the provider's answer is larger than 64 MiB")
	errElsewhere      = errors.New("the provider sends us elsewhere: its base URL is not the right one")
)

// refusal is an HTTP status that is no answer, on its way through an SDK. They
// understand some shapes of it only.
type refusal struct{ problem Problem }

func (r *refusal) Error() string { return http.StatusText(r.problem.Status) }

// Bound is a middleware for the SDKs. It fails on a refusal, on a redirect, which
// Client did not follow, and on an answer where it gets larger than 64 MiB. Its
// errors are for Explain.
func Bound(req *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	resp, err := next(req)
	if err != nil {
		return resp, err
	}
	switch {
	case resp.StatusCode >= http.StatusBadRequest:
		body, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal)) // a part may say enough
		_ = resp.Body.Close()
		return nil, &refusal{Read(resp.StatusCode, resp.Header, body)}
	case resp.StatusCode >= http.StatusMultipleChoices:
		_ = resp.Body.Close()
		return nil, errElsewhere
	}
	resp.Body = &bounded{ReadCloser: resp.Body, left: maxAnswer}
	return resp, nil
}

type bounded struct {
	io.ReadCloser
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errAnswerTooLarge
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// Client is a client for providers: it follows no redirect, which would take the
// key to another place. A nil base means http.DefaultTransport.
func Client(base http.RoundTripper) *http.Client {
	return &http.Client{
		Transport:     base,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
