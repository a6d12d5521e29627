package envelope

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Path is where envelopes are posted.
const Path = "/api/envelope"

// scheme begins the Authorization header of an envelope, and mediaType is that of its body.
const (
	scheme    = "Envelope "
	mediaType = "application/octet-stream"
)

// nonceBytes is how long the nonce is with which a body begins.
const nonceBytes = 12

// head is the line in front of the body that is carried. A request has all members but Status.
type head struct {
	At     int64       `json:"at,omitempty"` // in seconds since 1970
	Method string      `json:"method,omitempty"`
	Path   string      `json:"path,omitempty"`
	Status int         `json:"status,omitempty"`
	Header http.Header `json:"header"`
}

// errClosed is the error for what nobody who knows the token has made, or not for this request.
var errClosed = errors.New("it is not from one who knows the token")

// derived returns the value that is derived from a token for a purpose.
func derived(purpose, token string) [sha256.Size]byte {
	return sha256.Sum256([]byte("candor envelope " + purpose + "\x00" + token))
}

// NameOf returns the name of a token in envelopes, which says nothing of the token.
func NameOf(token string) string {
	sum := derived("name", token)
	return hex.EncodeToString(sum[:8])
}

// cipherOf returns what encrypts requests or answers.
func cipherOf(purpose, token string) (cipher.AEAD, error) {
	key := derived(purpose, token)
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// seal returns the body of an envelope.
func seal(purpose, token string, h head, body, additional []byte) ([]byte, error) {
	line, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	gcm, err := cipherOf(purpose, token)
	if err != nil {
		return nil, err
	}
	return gcm.Seal(nil, nil, append(append(line, '\n'), body...), additional), nil
}

// open returns what the body of an envelope carries.
func open(purpose, token string, sealed, additional []byte) (h head, body []byte, err error) {
	gcm, err := cipherOf(purpose, token)
	if err != nil {
		return h, nil, err
	}
	plain, err := gcm.Open(nil, nil, sealed, additional)
	if err != nil {
		return h, nil, errClosed
	}
	line, body, _ := bytes.Cut(plain, []byte("\n"))
	if err := json.Unmarshal(line, &h); err != nil {
		return h, nil, fmt.Errorf("%w: %w", errClosed, err)
	}
	return h, body, nil
}

// nameIn returns the token's name in an Authorization header, "" if it has none.
func nameIn(r *http.Request) string {
	name, ok := strings.CutPrefix(r.Header.Get("Authorization"), scheme)
	if !ok {
		return ""
	}
	return strings.TrimSpace(name)
}

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
