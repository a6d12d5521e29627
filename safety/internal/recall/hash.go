package recall

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"strings"

	"candor/safety/internal/lex"
)

// digest is half of the SHA-256 of the key and a form.
type digest [16]byte

// keyring has the keys of the hashes.
type keyring struct {
	first, firstFactor, last, lastFactor uint64
	prefix                               [32]byte
}

var (
	// secretKeys are the random keys of the process.
	secretKeys = func() *keyring {
		var random [64]byte
		_, _ = rand.Read(random[:]) // never returns an error
		return newKeyring(random)
	}()
	// publicKeys serve the sets of one text, so that the same text gives the same output in
	// the same pieces. The text is beside such a set anyway.
	publicKeys = newKeyring(sha512.Sum512([]byte("values that one text names")))
)

func newKeyring(random [64]byte) *keyring {
	k := &keyring{prefix: [32]byte(random[32:])}
	k.first = binary.LittleEndian.Uint64(random[0:])
	k.firstFactor = binary.LittleEndian.Uint64(random[8:]) | 1
	k.last = binary.LittleEndian.Uint64(random[16:])
	k.lastFactor = binary.LittleEndian.Uint64(random[24:]) | 1
	return k
}

// headOf returns sixteen bits that depend on the first eight bytes of a form. They are too
// few to compute the bytes from them, even with the keys.
func (k *keyring) headOf(first uint64) uint16 { return mix(first^k.first, k.firstFactor) }

// tailOf returns the same for the last eight bytes of a form.
func (k *keyring) tailOf(last uint64) uint16 { return mix(last^k.last, k.lastFactor) }

// mix returns the upper sixteen bits of a product, on which all bits of x have an effect.
func mix(x, factor uint64) uint16 { return uint16(x * factor >> 48) }

// digestOf returns the digest of a form of at most MaxForm bytes.
func (k *keyring) digestOf(s string) digest {
	var buf [len(k.prefix) + MaxForm]byte
	n := copy(buf[:], k.prefix[:])
	n += copy(buf[n:], s)
	sum := sha256.Sum256(buf[:n])
	return digest(sum[:len(digest{})])
}

// formOf returns what a set keeps of a form of the entry.
func (k *keyring) formOf(s string, e *entry, kind Kind) form {
	return form{
		head: k.headOf(lex.Load8(s, 0)), tail: k.tailOf(lex.Load8(s, len(s)-MinForm)), size: uint16(len(s)),
		digest: k.digestOf(s), owner: e, kind: kind,
		spaced: strings.ContainsAny(s, " \t\n") || lex.ASCIIEnd(s, 0) < len(s),
	}
}
