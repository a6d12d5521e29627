//go:build goexperiment.simd && amd64

package safety

import (
	"simd/archsimd"
	"unsafe"
)

// Vectors reports whether this build hashes eight trigrams at a time on this
// machine.
func Vectors() bool { return archsimd.X86.AVX2() }

// pairwise brings the trigrams that begin at the even ones of eight bytes into four
// numbers each, in both lanes of a vector.
var pairwise = [32]int8{
	0, 1, 2, -1, 2, 3, 4, -1, 4, 5, 6, -1, 6, 7, 8, -1,
	0, 1, 2, -1, 2, 3, 4, -1, 4, 5, 6, -1, 6, 7, 8, -1,
}

// gather is gatherOne, but that the hashes are made eight at a time.
func (near *nearby) gather(t string) (word uint64) {
	if !Vectors() {
		return near.gatherOne(t)
	}
	text := unsafe.Slice(unsafe.StringData(t), len(t))
	order := archsimd.LoadInt8x32(&pairwise)
	fold, mul, half := archsimd.BroadcastUint32x8(hashFold&0xffffffff), archsimd.BroadcastUint32x8(hashMul<<8&0xffffffff), archsimd.BroadcastUint32x8(16)
	var places [8 * steps]uint32
	n := 0
	for ; len(text) >= step+behind && n < len(places); text = text[step:] {
		low, high := archsimd.LoadUint8x16((*[16]uint8)(text)), archsimd.LoadUint8x16((*[16]uint8)(text[8:]))
		var both archsimd.Uint8x32
		grams := both.SetLo(low).SetHi(high).PermuteOrZeroGrouped(order).AsUint32x8()
		grams.Or(fold).Mul(mul).ShiftRight(half).Store((*[8]uint32)(places[n:]))
		n += 8
	}
	archsimd.ClearAVXUpperBits()
	for k := n - 8; k >= 0; k -= 8 {
		p := (*[8]uint32)(places[k:])
		mask := uint64(near[p[7]&0xffff])
		for j := 6; j >= 0; j-- {
			mask = mask<<2 | uint64(near[p[j]&0xffff])
		}
		word = word<<step | mask
	}
	return word
}
