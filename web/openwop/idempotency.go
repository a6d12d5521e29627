package openwop

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"sync"
	"time"

	"candor/web/problem"
)

// How many answers are kept for clients that send a request again.
const (
	maxUserKeys = 256
	maxKeys     = 4096
	keyLife     = 24 * time.Hour
	maxKey      = 255 // bytes of a key
)

// keyHeader is by what a client marks a request as the one that it has sent before.
const keyHeader = "Idempotency-Key"

// replayHeader tells that an answer is that to an earlier request.
const replayHeader = "OpenWOP-Idempotent-Replay"

var errOtherBody = problem.New(http.StatusConflict, "idempotency_key_mismatch",
	"This key was used for a request with another body. Use a new key for a new request.")

// changed is the answer to a request that changes something.
type changed struct {
	status int
	body   any
}

// keptAnswer is an answer as it was sent, or a promise of it while its request is under way.
type keptAnswer struct {
	key    [sha256.Size]byte
	body   [sha256.Size]byte // of the request, and its query
	at     time.Time
	status int // 0 while the request is under way
	answer []byte
}

// keyStore keeps answers by the keys of their requests. Its zero value is empty. It is safe for
// concurrent use.
type keyStore struct {
	mu     sync.Mutex
	byUser map[string][]*keptAnswer // oldest first
	count  int
}

// begin returns the answer to the request with this key, or nil and promises one. It fails if the
// key was used for another body, or its request is under way.
func (k *keyStore) begin(user string, key, body [sha256.Size]byte, now time.Time) (
	have, promise *keptAnswer, err error,
) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.expire(user, now)
	for _, e := range k.byUser[user] {
		switch {
		case e.key != key:
		case e.body != body:
			return nil, nil, errOtherBody
		case e.status == 0:
			return nil, nil, problem.New(http.StatusConflict, "idempotency_in_flight",
				"The request with this key is in progress. Send it again a little later.")
		default:
			return e, nil, nil
		}
	}
	promise = &keptAnswer{key: key, body: body, at: now}
	k.makeRoom(user)
	if k.byUser == nil {
		k.byUser = map[string][]*keptAnswer{}
	}
	k.byUser[user] = append(k.byUser[user], promise)
	k.count++
	return nil, promise, nil
}

// keep fulfils a promise.
func (k *keyStore) keep(promise *keptAnswer, status int, answer []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	promise.status, promise.answer = status, answer
}

// forget takes a promise back, so that its key may be used again.
func (k *keyStore) forget(user string, promise *keptAnswer) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i, e := range k.byUser[user] {
		if e == promise {
			k.remove(user, i)
			return
		}
	}
}

// expire removes a user's answers that have been kept for long enough. The caller holds mu.
func (k *keyStore) expire(user string, now time.Time) {
	for len(k.byUser[user]) > 0 && now.Sub(k.byUser[user][0].at) >= keyLife {
		k.remove(user, 0)
	}
}

// makeRoom removes the oldest answer of the user, or of the user who has the most, until one more
// may be kept. A promise stays, since its request could run twice. The caller holds mu.
func (k *keyStore) makeRoom(user string) {
	if len(k.byUser[user]) >= maxUserKeys {
		k.removeOldest(user)
	}
	if k.count < maxKeys {
		return
	}
	most := user
	for u, list := range k.byUser {
		if len(list) > len(k.byUser[most]) || len(list) == len(k.byUser[most]) && u < most {
			most = u
		}
	}
	k.removeOldest(most)
}

// removeOldest removes the oldest answer of a user. The caller holds mu.
func (k *keyStore) removeOldest(user string) {
	for i, e := range k.byUser[user] {
		if e.status != 0 {
			k.remove(user, i)
			return
		}
	}
}

// remove removes one answer of a user. The caller holds mu.
func (k *keyStore) remove(user string, i int) {
	list := k.byUser[user]
	copy(list[i:], list[i+1:])
	list[len(list)-1] = nil
	k.byUser[user] = list[:len(list)-1]
	if len(k.byUser[user]) == 0 {
		delete(k.byUser, user)
	}
	k.count--
}

// once makes a route from what changes something: a request with the key of an earlier one gets
// the answer to that one, and changes nothing.
//
// Errors: idempotency_key_invalid, idempotency_key_mismatch, idempotency_in_flight.
func (s *Server) once(
	change func(in *incoming, body []byte) (changed, error),
) func(http.ResponseWriter, *incoming) error {
	return func(w http.ResponseWriter, in *incoming) error {
		body, err := in.read()
		if err != nil {
			return err
		}
		key := in.Header.Get(keyHeader)
		if len(in.Header.Values(keyHeader)) == 0 {
			out, err := change(in, body)
			if err != nil {
				return err
			}
			return problem.WriteJSON(w, in.Request, out.status, out.body)
		}
		if key == "" || len(key) > maxKey {
			return problem.New(http.StatusBadRequest, "idempotency_key_invalid",
				"Idempotency-Key must have 1 to 255 characters.")
		}
		return s.keyed(w, in, key, body, change)
	}
}

// keyed answers a request with a key.
func (s *Server) keyed(
	w http.ResponseWriter, in *incoming, key string, body []byte, change func(*incoming, []byte) (changed, error),
) error {
	user := in.who.User
	name := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s", in.Method, in.URL.EscapedPath(), key))
	request := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s", in.URL.RawQuery, body))
	have, promise, err := s.keys.begin(user, name, request, time.Now())
	if err != nil {
		return err
	}
	if have != nil {
		w.Header().Set(replayHeader, "true")
		return sendEncoded(w, have.status, have.answer)
	}
	in.key, in.asks = "openwop/"+hex.EncodeToString(name[:]), hex.EncodeToString(request[:16])
	defer func() { // also if change panics
		if promise != nil {
			s.keys.forget(user, promise)
		}
	}()
	out, err := change(in, body)
	if p, refused := finalProblem(err); refused {
		out = changed{p.Status, p}
	} else if err != nil {
		return err
	}
	if in.repeated {
		w.Header().Set(replayHeader, "true")
	}
	answer := append(jsonOf(out.body), '\n')
	s.keys.keep(promise, out.status, answer)
	promise = nil
	return sendEncoded(w, out.status, answer)
}

// finalProblem returns the problem of an error that the same request would always get.
func finalProblem(err error) (p *problem.Problem, ok bool) {
	p, ok = err.(*problem.Problem)
	if !ok || p.Code == errNotEnded.Code || p.Code == errNoInterrupt.Code {
		return nil, false // both change with time
	}
	switch p.Status {
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests:
		return nil, false
	}
	return p, p.Status < http.StatusInternalServerError
}

// read returns the body of a request that changes something, nil if there is none.
func (in *incoming) read() ([]byte, error) {
	if in.ContentLength == 0 {
		return nil, nil
	}
	return problem.ReadBody(in.Request)
}

// sendEncoded writes an answer that is encoded already.
func sendEncoded(w http.ResponseWriter, status int, answer []byte) error {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(answer) // fails if the client has gone
	return nil
}
