//go:build !(goexperiment.simd && amd64)

package safety

// Vectors reports whether this build looks for anchors 32 places at a time on
// this machine.
func Vectors() bool { return false }

// lanes32 is nothing without vectors.
type lanes32 struct{}

func (*lanes32) share([]anchor) {}

func (f *filter) scan(s string, i int, found *batch) (n, next int) { return f.fill(s, i, 0, found) }
