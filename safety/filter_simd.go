//go:build goexperiment.simd && amd64

package safety

import (
	"math/bits"
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
	if !Vectors() || f.wide.off || len(s)-i < 64 {
		return f.fill(s, i, 0, found)
	}
	if i == 0 { // nothing stands before it
		i = 1
		gram := trigram(s, 0)
		found[0] = place{0, gram}
		n = int(f.exact.has(gram) & 1)
	}
	n, i = f.fillWide(s, i, n, found)
	if n+32 >= len(found) {
		return n, i
	}
	return f.fill(s, i, n, found)
}

// fillWide finds places as fill does, as long as there is text for a whole
// vector and room for what it may hold.
func (f *filter) fillWide(s string, i, n int, found *batch) (int, int) {
	text := unsafe.Slice(unsafe.StringData(s), len(s))
	tables := &f.wide.tables
	var none archsimd.Uint8x32
	half, four := archsimd.BroadcastUint8x32(0x0f), archsimd.BroadcastUint32x8(4)
	for ; i+35 <= len(text) && n+32 < len(found); i += 32 {
		near := (*[32 + frame - 1]uint8)(text[i-1:])
		low0, high0 := split((*[32]uint8)(near[0:]), half, four)
		low1, high1 := split((*[32]uint8)(near[1:]), half, four)
		low2, high2 := split((*[32]uint8)(near[2:]), half, four)
		low3, high3 := split((*[32]uint8)(near[3:]), half, four)
		low4, high4 := split((*[32]uint8)(near[4:]), half, four)
		hits := none
		for k := range tables {
			t := &tables[k]
			a := t[0].holds(low0, high0).And(t[1].holds(low1, high1))
			b := t[2].holds(low2, high2).And(t[3].holds(low3, high3))
			hits = hits.Or(a.And(b).And(t[4].holds(low4, high4)))
		}
		for places := ^hits.Equal(none).ToBits(); places != 0; places &= places - 1 {
			k := bits.TrailingZeros32(places)
			x := uint64(near[k+1]) | uint64(near[k+2])<<8 | uint64(near[k+3])<<16
			gram := hash(x | hashFold)
			found[n] = place{int32(i + k), gram}
			n += int(f.exact.has(gram) & 1)
		}
	}
	archsimd.ClearAVXUpperBits()
	return n, i
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
