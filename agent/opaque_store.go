package agent

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"candor/session"
)

// The bounds of the opaque reasoning that is held, in bytes. What does not fit any more is
// dropped, and its provider then answers without it, at some cost in quality.
const (
	maxUserOpaque = 16 << 20 // of a user's threads
	maxOpaque     = 64 << 20 // of all users' threads
)

// itemCost is the overhead counted for each item in addition to its bytes, so that many
// small items are bounded too.
const itemCost = 256

// opaqueStore holds opaque reasoning outside of the log, which contains only cleaned
// text. The items are never shown, logged or cleaned. A user who exceeds maxUserOpaque loses
// the items of the own thread that was written to least recently. Where all users together
// exceed maxOpaque, the one who holds the most does, so nobody displaces the items of a user
// who holds less. The zero value is ready to use, and safe for concurrent use.
type opaqueStore struct {
	mu      sync.Mutex
	threads map[string]*opaqueThread
	users   map[string]int // bytes of each user's threads; never zero
	bytes   int            // of all threads
	clock   uint64         // counts writes
}

// opaqueThread holds the items of one thread, all of one provider.
type opaqueThread struct {
	user      string
	provider  string
	items     map[string][]Opaque // by stepKey
	bytes     int
	lastWrite uint64
}

// stepKey identifies a step within a thread, by its turn and its first call. A turn has at
// most one step of the lead agent without calls, the one that answers; its call is empty.
func stepKey(turn int, call string) string { return strconv.Itoa(turn) + "/" + call }

// put stores a step's items, which must not be empty. Items of a different provider in
// the same thread are dropped: no provider may receive what another one wrote.
func (s *opaqueStore) put(user, thread string, turn int, call string, items []Opaque) {
	s.mu.Lock()
	defer s.mu.Unlock()
	th := s.threads[thread]
	if th == nil || th.provider != items[0].Provider {
		s.drop(thread)
		th = &opaqueThread{user: user, provider: items[0].Provider, items: map[string][]Opaque{}}
		if s.threads == nil {
			s.threads, s.users = map[string]*opaqueThread{}, map[string]int{}
		}
		s.threads[thread] = th
	}
	key := stepKey(turn, call)
	s.charge(th, costOfItems(items)-costOfItems(th.items[key]))
	th.items[key] = items
	s.clock++
	th.lastWrite = s.clock
	for s.users[user] > maxUserOpaque {
		s.drop(s.oldest(user))
	}
	for s.bytes > maxOpaque {
		s.drop(s.oldest(s.largest()))
	}
}

// costOfItems returns the bytes counted for items.
func costOfItems(items []Opaque) (bytes int) {
	for _, o := range items {
		bytes += len(o.Data) + itemCost
	}
	return bytes
}

// charge adds bytes to a thread's and its user's. The caller holds mu.
func (s *opaqueStore) charge(th *opaqueThread, bytes int) {
	th.bytes += bytes
	s.bytes += bytes
	if s.users[th.user] += bytes; s.users[th.user] == 0 {
		delete(s.users, th.user)
	}
}

// restore stores a step's items, unless the step has items already or the thread has
// continued with another provider.
func (s *opaqueStore) restore(user, thread string, turn int, call string, items []Opaque) {
	s.mu.Lock()
	th := s.threads[thread]
	known := th != nil && (th.provider != items[0].Provider || th.items[stepKey(turn, call)] != nil)
	s.mu.Unlock()
	if !known {
		s.put(user, thread, turn, call, items)
	}
}

// drop forgets a thread. The caller holds mu.
func (s *opaqueStore) drop(thread string) {
	if th := s.threads[thread]; th != nil {
		s.charge(th, -th.bytes)
		delete(s.threads, thread)
	}
}

// forget drops a thread's items.
func (s *opaqueStore) forget(thread string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(thread)
}

// oldest returns the user's thread that was written to least recently. The caller holds mu.
func (s *opaqueStore) oldest(user string) (thread string) {
	lastWrite := s.clock + 1
	for id, th := range s.threads {
		if th.user == user && th.lastWrite < lastWrite {
			thread, lastWrite = id, th.lastWrite
		}
	}
	return thread
}

// largest returns the user whose threads hold the most. The caller holds mu.
func (s *opaqueStore) largest() (user string) {
	most := 0
	for one, bytes := range s.users {
		if bytes > most || bytes == most && one < user {
			user, most = one, bytes
		}
	}
	return user
}

// get returns a step's items, or nil if there are none.
func (s *opaqueStore) get(thread string, turn int, call string) []Opaque {
	s.mu.Lock()
	defer s.mu.Unlock()
	if th := s.threads[thread]; th != nil {
		return th.items[stepKey(turn, call)]
	}
	return nil
}

// MaxEncryptedReasoning bounds an encrypted text, in bytes: a client sends it with every
// later request. Longer reasoning stays on the server only.
const MaxEncryptedReasoning = 256 << 10

// ErrEncryptedReasoning says that a text was not encrypted with our key for this call.
var ErrEncryptedReasoning = errors.New("the encrypted reasoning is not what was given out for this call")

// encrypter encrypts opaque reasoning, so that a client can carry it but neither read
// it nor use it for another call, and decrypts it. Some of it is a model's raw
// thoughts, so it is encrypted and not only signed.
type encrypter struct {
	aead     cipher.AEAD // nil if the cipher is unavailable; then nothing is encrypted
	nonceKey []byte
}

// newEncrypter returns an encrypter with keys that follow from key.
func newEncrypter(key []byte) encrypter {
	keys, err := hkdf.Key(sha256.New, key, nil, "candor opaque reasoning", 64)
	if err != nil {
		return encrypter{}
	}
	block, err := aes.NewCipher(keys[:32])
	if err != nil {
		return encrypter{}
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return encrypter{}
	}
	return encrypter{aead: aead, nonceKey: keys[32:]}
}

// EncryptWith makes c encrypt reasoning with a key, before the first turn, and returns c. Each Chat with the
// same key restores what another gave out. Without it the key is random and ends with c.
func (c *Chat) EncryptWith(key []byte) *Chat {
	c.encrypter = newEncrypter(key)
	return c
}

// encrypt binds the items to a call. It is deterministic, so that a replayed stream
// equals the first one: the nonce is a MAC of the plain text and the call's key.
func (e encrypter) encrypt(key string, items []Opaque) string {
	plain, err := json.Marshal(items)
	if e.aead == nil || err != nil {
		return ""
	}
	mac := hmac.New(sha256.New, e.nonceKey)
	fmt.Fprintf(mac, "%d:%s", len(key), key)
	mac.Write(plain)
	nonce := mac.Sum(nil)[:e.aead.NonceSize()]
	return base64.RawURLEncoding.EncodeToString(e.aead.Seal(nonce, nonce, plain, []byte(key)))
}

// decrypt returns the items that encrypt bound to the same call, or
// ErrEncryptedReasoning.
func (e encrypter) decrypt(key, encrypted string) (items []Opaque, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(encrypted)
	if e.aead == nil || err != nil || len(raw) < e.aead.NonceSize() {
		return nil, ErrEncryptedReasoning
	}
	n := e.aead.NonceSize()
	plain, err := e.aead.Open(nil, raw[:n], raw[n:], []byte(key))
	if err != nil || json.Unmarshal(plain, &items) != nil || len(items) == 0 {
		return nil, ErrEncryptedReasoning
	}
	return items, nil
}

// EncryptedReasoning returns the opaque reasoning of the step that begins with call, for
// the user's client to carry. An empty call means the step that answered. The text is the
// same each time. It is empty if there is no reasoning, or more than
// MaxEncryptedReasoning bytes of it.
func (c *Chat) EncryptedReasoning(user, thread string, turn int, call string) string {
	items := c.opaque.get(thread, turn, call)
	if len(items) == 0 {
		return ""
	}
	encrypted := c.encrypter.encrypt(callKey(user, thread, turn, call), items)
	if len(encrypted) > MaxEncryptedReasoning {
		return ""
	}
	return encrypted
}

// RestoreReasoning restores the reasoning that EncryptedReasoning returned for the same
// call, in case the server no longer holds it. If it fails, with ErrEncryptedReasoning,
// it changes nothing.
func (c *Chat) RestoreReasoning(user, thread string, turn int, call, encrypted string) error {
	if len(encrypted) > MaxEncryptedReasoning {
		return ErrEncryptedReasoning
	}
	items, err := c.encrypter.decrypt(callKey(user, thread, turn, call), encrypted)
	if err != nil {
		return err
	}
	c.opaque.restore(user, thread, turn, call, items)
	return nil
}

// Sealed is how much reasoning of an answer only its provider can read.
type Sealed = session.Sealed

// Opaque reasoning never reaches the log: it may be a model's raw thoughts. That there was reasoning nobody
// but the provider can read does, with its kind and its size, since a step without a word of
// reasoning would else look as if its model had not thought at all. Raw thoughts that came as text are not
// sealed.

// sealed returns what is recorded of a response's sealed reasoning.
func sealed(resp Response) session.Sealed {
	s := resp.Sealed
	if s.Known() {
		s.Tokens = max(0, resp.Usage.Reasoning)
	}
	return s
}
