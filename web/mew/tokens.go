package mew

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"sync"
)

// tokenTable tells whose a token is. It keeps hashes only. The zero value is empty and ready
// to use. Its lock is a leaf: nothing else is locked while it is held.
type tokenTable struct {
	mu     sync.Mutex
	owners map[[sha256.Size]byte]tokenOwner
}

type tokenOwner struct {
	space       *space
	participant string
}

// add lets a token speak for a participant.
func (t *tokenTable) add(token string, sp *space, participant string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.owners == nil {
		t.owners = map[[sha256.Size]byte]tokenOwner{}
	}
	t.owners[sha256.Sum256([]byte(token))] = tokenOwner{sp, participant}
}

// lookup returns whose a token is. A guess is compared by its hash, so the time that it takes
// tells nothing.
func (t *tokenTable) lookup(token string) (owner tokenOwner, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	owner, ok = t.owners[sha256.Sum256([]byte(token))]
	return owner, ok && token != ""
}

// remove forgets the tokens of a participant, or of a whole space if it is "".
func (t *tokenTable) remove(sp *space, participant string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for hash, owner := range t.owners {
		if owner.space == sp && (participant == "" || owner.participant == participant) {
			delete(t.owners, hash)
		}
	}
}

// newToken returns a token that nobody can guess and that looks like no word.
func newToken() string {
	var random [24]byte
	_, _ = rand.Read(random[:]) // it never fails
	return base64.RawURLEncoding.EncodeToString(random[:])
}
