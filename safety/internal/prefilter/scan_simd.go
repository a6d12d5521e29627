//go:build goexperiment.simd && amd64

package prefilter

import (
	"simd/archsimd"
	"unsafe"
)

// Vectors reports whether this build hashes eight trigrams at a time on this machine,
// which needs AVX2.
func Vectors() bool { return archsimd.X86.AVX2() }

// pairwise is the byte permutation that moves the four trigrams at even offsets of the
// first eight bytes into four 32-bit numbers, in each of the two lanes of a vector.
var pairwise = [32]int8{
	0, 1, 2, -1, 2, 3, 4, -1, 4, 5, 6, -1, 6, 7, 8, -1,
	0, 1, 2, -1, 2, 3, 4, -1, 4, 5, 6, -1, 6, 7, 8, -1,
}

// gather returns the same mask as gatherScalar. It computes eight hashes at a time, then
// looks them up one by one.
func (near *nearby) gather(t string) (word uint64) {
	if !Vectors() {
		return near.gatherScalar(t)
	}
	text := unsafe.Slice(unsafe.StringData(t), len(t))
	order := archsimd.LoadInt8x32(&pairwise)
	fold := archsimd.BroadcastUint32x8(hashFold & 0xffffffff)
	mul := archsimd.BroadcastUint32x8(hashMul << 8 & 0xffffffff)
	var hashes [steps][8]uint32
	n := 0
	for ; len(text) >= step+slack && n < steps; text = text[step:] {
		var both archsimd.Uint8x32
		both = both.SetLo(archsimd.LoadUint8x16((*[16]uint8)(text)))
		both = both.SetHi(archsimd.LoadUint8x16((*[16]uint8)(text[8:])))
		both.PermuteOrZeroGrouped(order).AsUint32x8().Or(fold).Mul(mul).Store(&hashes[n])
		n++
	}
	archsimd.ClearAVXUpperBits()
	for n--; n >= 0; n-- {
		h := (*[16]uint16)(unsafe.Pointer(&hashes[n])) // upper halves are at odd indices
		low := uint64(near[h[1]]) | uint64(near[h[3]])<<2 | uint64(near[h[5]])<<4 | uint64(near[h[7]])<<6
		high := uint64(near[h[9]]) | uint64(near[h[11]])<<2 | uint64(near[h[13]])<<4 | uint64(near[h[15]])<<6
		word = word<<step | high<<8 | low
	}
	return word
}
