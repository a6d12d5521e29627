package recall

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"

	"candor/safety/internal/lex"
)

// digest is half of the SHA-256 of the key and a form.
type digest [16]byte

// keys are the random keys of the process, for all its sets.
var keys = func() (k struct {
	first, firstFactor, last, lastFactor uint64
	prefix                               [32]byte
}) {
	var random [32]byte
	_, _ = rand.Read(random[:]) // never returns an error
	k.first = binary.LittleEndian.Uint64(random[0:])
	k.firstFactor = binary.LittleEndian.Uint64(random[8:]) | 1
	k.last = binary.LittleEndian.Uint64(random[16:])
	k.lastFactor = binary.LittleEndian.Uint64(random[24:]) | 1
	_, _ = rand.Read(k.prefix[:])
	return k
}()

// headOf returns sixteen bits that depend on the first eight bytes of a form. They are too
// few to compute the bytes from them, even with the keys.
func headOf(first uint64) uint16 { return mix(first^keys.first, keys.firstFactor) }

// tailOf returns the same for the last eight bytes of a form.
func tailOf(last uint64) uint16 { return mix(last^keys.last, keys.lastFactor) }

// mix returns the upper sixteen bits of a product, on which all bits of x have an effect.
func mix(x, factor uint64) uint16 { return uint16(x * factor >> 48) }

// digestOf returns the digest of a form of at most MaxForm bytes.
func digestOf(s string) digest {
	var buf [len(keys.prefix) + MaxForm]byte
	n := copy(buf[:], keys.prefix[:])
	n += copy(buf[n:], s)
	sum := sha256.Sum256(buf[:n])
	return digest(sum[:len(digest{})])
}

// formOf returns what a set keeps of a form of the entry.
func formOf(s string, e *entry) form {
	return form{
		head: headOf(lex.Load8(s, 0)), tail: tailOf(lex.Load8(s, len(s)-MinForm)), size: uint16(len(s)),
		digest: digestOf(s), owner: e,
	}
}
