package agent

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
)

// MaxEncryptedReasoning is how long a sealed text may be, in bytes: it rides on every later
// request of whoever carries it. What does not fit stays with us alone.
const MaxEncryptedReasoning = 256 << 10

// ErrEncryptedReasoning says that a sealed text is not one of ours, or not of this place.
var ErrEncryptedReasoning = errors.New("the sealed reasoning is not one that was given out for this call")

// sealer turns opaque reasoning into text that says nothing to whoever carries it,
// and back. Some of it is a model's raw thoughts, so it is encrypted and not only
// encoded. The keys live as long as the process, as the threads do.
type sealer struct {
	aead  cipher.AEAD
	nonce []byte // the key that nonces are derived with
}

func newSealer() sealer {
	var keys [64]byte
	_, _ = rand.Read(keys[:]) // never fails
	block, err := aes.NewCipher(keys[:32])
	if err != nil {
		return sealer{}
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return sealer{}
	}
	return sealer{aead: aead, nonce: keys[32:]}
}

// seal is always the same for the same items at the same place, so a replay is.
func (s sealer) seal(place string, items []Opaque) string {
	plain, err := json.Marshal(items)
	if s.aead == nil || err != nil {
		return ""
	}
	mac := hmac.New(sha256.New, s.nonce)
	fmt.Fprintf(mac, "%d:%s", len(place), place)
	mac.Write(plain)
	nonce := mac.Sum(nil)[:s.aead.NonceSize()]
	return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nonce, nonce, plain, []byte(place)))
}

func (s sealer) open(place, sealed string) (items []Opaque, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(sealed)
	if s.aead == nil || err != nil || len(raw) < s.aead.NonceSize() {
		return nil, ErrEncryptedReasoning
	}
	n := s.aead.NonceSize()
	plain, err := s.aead.Open(nil, raw[:n], raw[n:], []byte(place))
	if err != nil || json.Unmarshal(plain, &items) != nil || len(items) == 0 {
		return nil, ErrEncryptedReasoning
	}
	return items, nil
}

// Sealed is what the provider wants back with the step that begins with a call, for
// the user's client to carry: it can neither read it nor use it elsewhere. It is
// empty when there is none, or more than MaxEncryptedReasoning.
func (c *Chat) EncryptedReasoning(user, thread string, turn int, call string) string {
	items := c.opaque.get(thread, turn, call)
	if len(items) == 0 {
		return ""
	}
	sealed := c.sealer.seal(errand(user, thread, turn, call), items)
	if len(sealed) > MaxEncryptedReasoning {
		return ""
	}
	return sealed
}

// Unseal takes back what Sealed gave for the same call, for when we no longer hold
// it. It fails with ErrEncryptedReasoning, and then nothing has changed.
func (c *Chat) RestoreReasoning(user, thread string, turn int, call, sealed string) error {
	if len(sealed) > MaxEncryptedReasoning {
		return ErrEncryptedReasoning
	}
	items, err := c.sealer.open(errand(user, thread, turn, call), sealed)
	if err != nil {
		return err
	}
	c.opaque.restore(thread, turn, call, items)
	return nil
}
