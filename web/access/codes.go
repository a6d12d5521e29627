package access

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"
	"sync"
	"time"
)

// CodeLife is how long a login code is valid.
const CodeLife = 10 * time.Minute

// maxUsed is how many used codes of a user are remembered until they expire. Beyond it no further
// code of the user works.
const maxUsed = 1000

// codePurpose separates what signs a code from the other values that a signer makes.
const codePurpose = "candor login code\x00"

// Codes are login codes: each logs one browser in, within [CodeLife], and once in each process. A
// code stands in a link instead of a token, because browsers keep links in their history. It is
// signed with the token that it logs in for and with the key of the deployment, so that any process
// that has both takes it, and none has to keep it. Codes keeps only which codes were used. It is
// safe for concurrent use.
type Codes struct {
	key  []byte
	mu   sync.Mutex
	used map[string]map[codeID]time.Time // by user, when each expires
}

// codeID is the random part of a code.
type codeID [16]byte

// codeMAC is a code's signature.
type codeMAC [16]byte

// codeParts is what a code says: its id, when it expires in Unix seconds, and its signature.
type codeParts struct {
	id      codeID
	expires uint64
	mac     codeMAC
}

// codeSize is the length of a code's parts together, in bytes.
const codeSize = len(codeID{}) + 8 + len(codeMAC{})

// NewCodes returns codes that are signed with the key of a deployment. Without a key it takes a random one.
func NewCodes(key []byte) *Codes {
	if len(key) == 0 {
		key = make([]byte, sha256.Size)
		_, _ = rand.Read(key) // never fails
	}
	return &Codes{key: key, used: map[string]map[codeID]time.Time{}}
}

// New returns a code for a login of the user whose token by is made of, and when it expires.
func (c *Codes) New(by Signer, now time.Time) (code string, expires time.Time) {
	expires = now.Add(CodeLife).Truncate(time.Second)
	p := codeParts{expires: uint64(expires.Unix())}
	_, _ = rand.Read(p.id[:]) // never fails
	p.mac = c.sign(by, p)
	return base64.RawURLEncoding.EncodeToString(append(p.signed(), p.mac[:]...)), expires
}

// signed returns the part of a code that is signed.
func (p codeParts) signed() []byte { return binary.BigEndian.AppendUint64(p.id[:], p.expires) }

// sign returns the signature of a code.
func (c *Codes) sign(by Signer, p codeParts) (sum codeMAC) {
	mac := hmac.New(sha256.New, c.key)
	mac.Write([]byte(codePurpose))
	mac.Write(by[:])
	mac.Write(p.signed())
	copy(sum[:], mac.Sum(nil))
	return sum
}

// Take uses up a code and returns whose login it begins, of those who have a token without a level.
// ok is false for a code that never was, was used, or has expired: the answer is the same for all three.
func (c *Codes) Take(code string, tokens *Tokens, now time.Time) (user string, by Signer, ok bool) {
	p, ok := parseCode(code)
	if !ok {
		return "", Signer{}, false
	}
	signed := false
	for _, e := range tokens.entries {
		s := Signer(e.hash)
		mac := c.sign(s, p)
		if hmac.Equal(mac[:], p.mac[:]) && e.Reasoning == "" {
			user, by, signed = e.User, s, true
		}
	}
	expires := time.Unix(int64(p.expires), 0)
	if !signed || !now.Before(expires) || !c.use(user, p.id, expires, now) {
		return "", Signer{}, false
	}
	return user, by, true
}

// parseCode reads what New wrote.
func parseCode(code string) (p codeParts, ok bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(code[:min(len(code), 2*codeSize)])
	if err != nil || len(raw) != codeSize || strings.ContainsAny(code, "\r\n") { // base64 skips line ends
		return p, false
	}
	n := copy(p.id[:], raw)
	p.expires = binary.BigEndian.Uint64(raw[n:])
	copy(p.mac[:], raw[n+8:])
	return p, true
}

// use notes that a code was used. It reports false if it was before, or if so many were that it
// could not be told any more.
func (c *Codes) use(user string, id codeID, expires, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	mine := c.used[user]
	if mine == nil {
		mine = map[codeID]time.Time{}
		c.used[user] = mine
	}
	for id, end := range mine {
		if !now.Before(end) {
			delete(mine, id)
		}
	}
	if _, known := mine[id]; known || len(mine) >= maxUsed {
		return false
	}
	mine[id] = expires
	return true
}
