//go:build goexperiment.simd && amd64

package safety

import (
	"simd/archsimd"
	"unsafe"
)

// Vectors reports whether this build looks for anchors 32 places at a time on
// this machine.
func Vectors() bool { return archsimd.X86.AVX2() }

// lanes32 is the filter for machines with AVX2. The anchors are shared out among 32
// sets; a place passes where, for some set, each of five bytes, from the one
// before the place on, has both of its halves in the set. A set is a bit, and a
// table of 16 bytes tells eight sets about a half: that is one instruction for 32
// places. What passes is looked up in exact, so both filters find the same.
type lanes32 struct {
	tables [sets / 8][frame]table
	off    bool // look at every place the narrow way
}

// table tells which of eight sets hold a byte's lower and upper half, twice, for
// both lanes of a vector.
type table struct{ low, high [32]uint8 }

// share shares out the anchors.
func (w *lanes32) share(anchors []anchor) {
	for set, shape := range shareOut(anchors) {
		for p := range frame {
			t := &w.tables[set/8][p]
			for h := range 32 {
				t.low[h] |= uint8(shape[2*p]>>(h&15)&1) << (set & 7)
				t.high[h] |= uint8(shape[2*p+1]>>(h&15)&1) << (set & 7)
			}
		}
	}
}

// scan is fill by vectors where there are any, and enough text.
func (f *filter) scan(s string, i int, found *batch) (n, next int) {
	if !Vectors() || f.wide.off {
		return f.fill(s, i, 0, found)
	}
	if i == 0 && len(s) > 64 { // nothing stands before it
		found[0] = place{0, trigram(s, 0)}
		n, i = f.near.here(found[0].gram), 1
	}
	for i > 0 && i+64+frame-1 <= len(s) {
		to := i + 64
		if n, i = f.take(s, i, to, f.wide.gather(s[i-1:to+frame-2]), n, found); i < to {
			return n, i
		}
	}
	return f.fill(s, i, n, found)
}

// gather is the mask of 64 places, of which text is the frames.
func (w *lanes32) gather(text string) (word uint64) {
	near := (*[64 + frame - 1]uint8)(unsafe.Slice(unsafe.StringData(text), len(text)))
	word = uint64(w.half((*[32 + frame - 1]uint8)(near[:])))
	word |= uint64(w.half((*[32 + frame - 1]uint8)(near[32:]))) << 32
	archsimd.ClearAVXUpperBits()
	return word
}

// half is the mask of 32 places.
func (w *lanes32) half(near *[32 + frame - 1]uint8) uint32 {
	var none archsimd.Uint8x32
	lower, four := archsimd.BroadcastUint8x32(0x0f), archsimd.BroadcastUint32x8(4)
	low0, high0 := split((*[32]uint8)(near[0:]), lower, four)
	low1, high1 := split((*[32]uint8)(near[1:]), lower, four)
	low2, high2 := split((*[32]uint8)(near[2:]), lower, four)
	low3, high3 := split((*[32]uint8)(near[3:]), lower, four)
	low4, high4 := split((*[32]uint8)(near[4:]), lower, four)
	hits := none
	for k := range w.tables {
		t := &w.tables[k]
		a := t[0].holds(low0, high0).And(t[1].holds(low1, high1))
		b := t[2].holds(low2, high2).And(t[3].holds(low3, high3))
		hits = hits.Or(a.And(b).And(t[4].holds(low4, high4)))
	}
	return ^hits.Equal(none).ToBits()
}

// split are the lower and the upper halves of 32 bytes.
func split(b *[32]uint8, half archsimd.Uint8x32, four archsimd.Uint32x8) (low, high archsimd.Int8x32) {
	v := archsimd.LoadUint8x32(b)
	return v.And(half).AsInt8x32(), v.AsUint32x8().ShiftRight(four).AsUint8x32().And(half).AsInt8x32()
}

// holds are the sets that each of 32 bytes is in.
func (t *table) holds(low, high archsimd.Int8x32) archsimd.Uint8x32 {
	return archsimd.LoadUint8x32(&t.low).PermuteOrZeroGrouped(low).And(archsimd.LoadUint8x32(&t.high).PermuteOrZeroGrouped(high))
}
