//go:build !(goexperiment.simd && amd64)

package prefilter

// Vectors reports whether this build hashes eight trigrams at a time on this
// machine.
func Vectors() bool { return false }

func (near *nearby) gather(t string) uint64 { return near.gatherOne(t) }
