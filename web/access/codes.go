package access

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"slices"
	"sync"
	"time"
)

// CodeLife is how long a login code is valid.
const CodeLife = 10 * time.Minute

// maxCodes is how many codes of one user may be open. A further one replaces the oldest.
const maxCodes = 8

// Codes are login codes: each logs one browser in, once and within [CodeLife]. A code stands
// in a link instead of a token, because browsers keep links in their history. Codes keeps
// hashes only. The zero value has no code and is ready to use. It is safe for concurrent use.
type Codes struct {
	mu   sync.Mutex
	open map[string][]openCode // by user, the oldest first
}

// openCode is a code that nobody has used yet.
type openCode struct {
	hash    [sha256.Size]byte
	by      Signer
	expires time.Time
}

// New returns a code for a login of the user, to be signed with by.
func (c *Codes) New(user string, by Signer, now time.Time) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open = map[string][]openCode{}
	}
	code := rand.Text()
	mine := append(c.open[user], openCode{sha256.Sum256([]byte(code)), by, now.Add(CodeLife)})
	c.open[user] = mine[max(0, len(mine)-maxCodes):]
	return code
}

// Take uses up a code and returns whose login it begins. ok is false for a code that never
// was, was used, or has expired: the answer is the same for all three.
func (c *Codes) Take(code string, now time.Time) (user string, by Signer, ok bool) {
	hash := sha256.Sum256([]byte(code))
	c.mu.Lock()
	defer c.mu.Unlock()
	for owner, codes := range c.open {
		for i, one := range codes {
			if subtle.ConstantTimeCompare(hash[:], one.hash[:]) == 1 {
				c.open[owner] = slices.Delete(codes, i, i+1)
				return owner, one.by, now.Before(one.expires)
			}
		}
	}
	return "", Signer{}, false
}
