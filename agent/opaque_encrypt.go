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

	"candor/session"
)

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
