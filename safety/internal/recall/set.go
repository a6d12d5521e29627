package recall

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"candor/safety/internal/lex"
)

const (
	// MinForm and MaxForm bound the length of a form, in bytes. A shorter value would match
	// ordinary words.
	MinForm, MaxForm = 8, 1100
	// MaxValues is how many values a set holds. The least recently used one goes first.
	MaxValues = 256
	// maxAlike is how many forms with the same hash of their first eight bytes a set holds.
	maxAlike = 32
	// startShift leaves the upper ten bits of a head.
	startShift = 6
)

// Value is a secret to find again.
type Value struct {
	Forms  []string // how it may appear in a text; those of an unfit length are left out
	Joined []string // how it may appear in a text whose joints were removed
	Since  int      // the offset in the source from which on it counts; see [Set.Next]
}

// Kind says of what kind of text a form is.
type Kind uint8

const (
	Plain  Kind = iota // a text as it is, or decoded
	Joined             // a text whose joints were removed, so that its pieces meet
)

// Set is a set of values that can be found and not read. Its zero value is empty and ready
// to use. It must not be copied after its first use.
type Set struct {
	current atomic.Pointer[index]
	clock   atomic.Uint64 // counts uses; the source of entry.used
	version atomic.Uint64
	keys    *keyring // nil for the keys of the process

	mu      sync.Mutex // guards entries and changes of index
	entries []*entry
}

// entry is what a set keeps of one value.
type entry struct {
	used  atomic.Uint64 // when it was found or added last
	since int
	forms []form
}

// form is what a set keeps of one form of a value.
type form struct {
	head, tail, size uint16
	kind             Kind
	spaced           bool // holds spaces, or characters at which a word may end
	digest           digest
	owner            *entry
}

// index is the table that Next reads. It is not changed once it is published.
type index struct {
	heads   [1 << 16 / 64]uint64 // bit h is set if a form has the head h
	forms   []form               // by head; the longest of equal heads first
	keys    *keyring
	starts  [1 << 10]uint16 // where forms begins with heads of the same upper ten bits
	longest int             // length of the longest form
}

// ForText returns an empty set for the values that one text names. Its keys are not secret.
func ForText() *Set { return &Set{keys: publicKeys} }

// Version counts the changes of the set. A caller that sees it unchanged has seen all
// values.
func (s *Set) Version() uint64 { return s.version.Load() }

// Empty reports whether the set holds no value.
func (s *Set) Empty() bool { return s == nil || s.current.Load() == nil }

// Add enters values, and reports whether one of them was new. A value that the set has
// already counts as used. It indexes once for all values, so a caller adds together what
// it has.
func (s *Set) Add(values []Value) (grew bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	keys := cmp.Or(s.keys, secretKeys)
	for _, v := range values {
		e := &entry{since: v.Since}
		for kind, forms := range [...][]string{Plain: v.Forms, Joined: v.Joined} {
			for _, f := range forms {
				if len(f) >= MinForm && len(f) <= MaxForm {
					e.forms = append(e.forms, keys.formOf(f, e, Kind(kind)))
				}
			}
		}
		if len(e.forms) == 0 {
			continue
		}
		e.used.Store(s.clock.Add(1))
		if old := s.find(e.forms[0].digest); old != nil {
			old.used.Store(e.used.Load())
			continue
		}
		s.entries, grew = append(s.entries, e), true
	}
	if grew {
		s.evict()
		s.current.Store(newIndex(keys, s.entries))
		s.version.Add(1)
	}
	return grew
}

// Shift moves the text that Since counts in: n bytes at its beginning were dropped. A set
// that several goroutines use must not be shifted. A nil set has nothing to shift.
func (s *Set) Shift(n int) {
	if s == nil {
		return
	}
	for _, e := range s.entries {
		e.since -= n
	}
}

// find returns the entry whose first form has the digest, or nil.
func (s *Set) find(d digest) *entry {
	for _, e := range s.entries {
		if e.forms[0].digest == d {
			return e
		}
	}
	return nil
}

// evict drops the least recently used entries until MaxValues are left.
func (s *Set) evict() {
	if len(s.entries) <= MaxValues {
		return
	}
	slices.SortFunc(s.entries, func(a, b *entry) int { return cmp.Compare(a.used.Load(), b.used.Load()) })
	s.entries = slices.Clone(s.entries[len(s.entries)-MaxValues:])
}

// newIndex returns the table of all forms of the entries. Of more than maxAlike forms with
// the same head the most recently used stay.
func newIndex(keys *keyring, entries []*entry) *index {
	x := &index{keys: keys}
	for _, e := range entries {
		x.forms = append(x.forms, e.forms...)
	}
	slices.SortStableFunc(x.forms, func(a, b form) int {
		return cmp.Or(cmp.Compare(a.head, b.head), cmp.Compare(b.owner.used.Load(), a.owner.used.Load()))
	})
	n := 0
	for i, f := range x.forms {
		if i >= maxAlike && n >= maxAlike && x.forms[n-maxAlike].head == f.head {
			continue
		}
		x.forms[n], n = f, n+1
		x.heads[f.head>>6] |= 1 << (f.head & 63)
		x.longest = max(x.longest, int(f.size))
	}
	x.forms = slices.Clip(x.forms[:n])
	slices.SortFunc(
		x.forms,
		func(a, b form) int { return cmp.Or(cmp.Compare(a.head, b.head), int(b.size)-int(a.size)) },
	)
	for k := len(x.forms) - 1; k >= 0; k-- {
		x.starts[x.forms[k].head>>startShift] = uint16(k)
	}
	return x
}

// Next returns the bounds of the first form in a text of the kind that starts at i or later,
// the longest that starts there, and the Since of its value. It returns to == 0 if there is
// none.
func (s *Set) Next(text string, kind Kind, i int) (from, to, since int) {
	x := s.current.Load()
	if x == nil {
		return 0, 0, 0
	}
	first, factor := x.keys.first, x.keys.firstFactor
	for ; i+MinForm <= len(text); i++ {
		h := mix(lex.Load8(text, i)^first, factor)
		if x.heads[h>>6]>>(h&63)&1 == 0 {
			continue
		}
		if f := x.match(text[i:], kind, h); f != nil {
			f.owner.used.Store(s.clock.Add(1))
			return i, i + int(f.size), f.owner.since
		}
	}
	return 0, 0, 0
}

// match returns the longest form of the kind and with the head h that text begins with, or nil.
func (x *index) match(text string, kind Kind, h uint16) *form {
	var sum digest
	summed := 0 // how many bytes of text sum is of
	for k := x.first(h); k < len(x.forms) && x.forms[k].head == h; k++ {
		f := &x.forms[k]
		n := int(f.size)
		if f.kind != kind || n > len(text) || x.keys.tailOf(lex.Load8(text, n-MinForm)) != f.tail {
			continue
		}
		if summed != n {
			sum, summed = x.keys.digestOf(text[:n]), n
		}
		if sum == f.digest {
			return f
		}
	}
	return nil
}

// first returns the index of the first form with the head h.
func (x *index) first(h uint16) int {
	k := int(x.starts[h>>startShift])
	for k < len(x.forms) && x.forms[k].head < h {
		k++
	}
	return k
}

// Open returns the first offset in a text of the kind at which a form may start that more text
// would complete, or len(text) if there is none. The last bytes of a text are always open,
// since nothing can be said of fewer than MinForm bytes. Of a plain text the last word is
// taken to be open anyway, so only forms with spaces count.
func (s *Set) Open(text string, kind Kind) int {
	x := s.current.Load()
	if x == nil {
		return len(text)
	}
	last := max(0, len(text)-MinForm+1)
	for i := max(0, len(text)-x.longest+1); i < last; i++ {
		h := x.keys.headOf(lex.Load8(text, i))
		if x.heads[h>>6]>>(h&63)&1 == 0 {
			continue
		}
		for k := x.first(h); k < len(x.forms) && x.forms[k].head == h; k++ {
			if f := &x.forms[k]; f.kind == kind && (f.spaced || kind == Joined) && int(f.size) > len(text)-i {
				return i
			}
		}
	}
	return last
}

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
