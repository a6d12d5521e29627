//go:build !(goexperiment.simd && amd64)

package prefilter

// Vectors reports whether this build hashes eight trigrams at a time on this machine.
// It does not: scan_simd.go is not part of the build.
func Vectors() bool { return false }

// gather returns the mask of candidate positions in t, as gatherScalar describes it.
func (near *nearby) gather(t string) uint64 { return near.gatherScalar(t) }
