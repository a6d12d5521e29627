package safety

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
)

const (
	sets  = 32
	frame = 5 // bytes that are looked at, from the one before a trigram on
)

// shape is what the halves of the bytes of a frame may be where an anchor
// stands, or any of a set of anchors: lower, upper, lower, and so on.
type shape [2 * frame]uint16

func (s *shape) add(p int, b byte) {
	s[2*p] |= 1 << (b & 15)
	s[2*p+1] |= 1 << (b >> 4)
}

func (s shape) join(o shape) shape {
	for k := range s {
		s[k] |= o[k]
	}
	return s
}

// shape is what stands around an anchor's trigram.
func (a *anchor) shape() shape {
	var s shape
	for p := range frame {
		at, beside := a.off-1+p, (*class)(nil)
		switch {
		case at >= 0 && at < len(a.lit):
			s.add(p, a.lit[at])
			if a.fold {
				s.add(p, upperOf(a.lit[at]))
			}
			continue
		case at == -1:
			beside = a.prev
		case at == len(a.lit):
			beside = a.next
		}
		for b := range 256 {
			if beside == nil || beside[b] {
				s.add(p, byte(b))
			}
		}
	}
	return s
}

// crowd tells which places of the sample have a half of some value, a bit each.
type crowd [(len(sample) + 63) / 64]uint64

// sharing is how anchors are shared out among the sets: so that few places of
// the sample have the shape of a set.
type sharing struct {
	with  [2 * frame][16]crowd
	share [2 * frame][16]float64
	sets  [sets]shape
	costs [sets]float64
}

// shareOut shares anchors out: the likeliest shapes first, each where it adds
// least; then each moves to where it adds least among the others.
func shareOut(anchors []anchor) [sets]shape {
	sh := &sharing{}
	for i := 1; i+frame <= len(sample); i++ {
		for p := range frame {
			b := sample[i-1+p]
			for k, v := range [2]byte{b & 15, b >> 4} {
				sh.with[2*p+k][v][i/64] |= 1 << (i % 64)
				sh.share[2*p+k][v] += 1 / float64(len(sample))
			}
		}
	}
	shapes := distinct(anchors)
	costs := make(map[shape]float64)
	for _, s := range shapes {
		costs[s] = sh.cost(s)
	}
	slices.SortStableFunc(shapes, func(a, b shape) int { return cmp.Compare(costs[b], costs[a]) })
	where := make([]int, len(shapes))
	for i, s := range shapes {
		k, more := sh.best(s)
		where[i] = k
		sh.sets[k] = sh.sets[k].join(s)
		sh.costs[k] += more
	}
	for range Sweeps {
		for i, s := range shapes {
			from := where[i]
			var left shape
			where[i] = -1
			for j, k := range where {
				if k == from {
					left = left.join(shapes[j])
				}
			}
			sh.sets[from], sh.costs[from] = left, sh.cost(left)
			k, more := sh.best(s)
			where[i] = k
			sh.sets[k] = sh.sets[k].join(s)
			sh.costs[k] += more
		}
	}
	return sh.sets
}

// best is the set that a shape adds least to, and how much.
func (sh *sharing) best(s shape) (set int, least float64) {
	least = 2
	for k := range sh.sets {
		if more := sh.cost(sh.sets[k].join(s)) - sh.costs[k]; more < least {
			set, least = k, more
		}
	}
	return set, least
}

// cost is how much of the sample has a shape, and how much would have it were
// the bytes of text independent, which tells of what the sample lacks.
func (sh *sharing) cost(s shape) float64 {
	var all crowd
	for i := range all {
		all[i] = ^uint64(0)
	}
	odds := 1.0
	for k, values := range s {
		var any crowd
		sum := 1e-3
		for ; values != 0; values &= values - 1 {
			v := bits.TrailingZeros16(values)
			sum += sh.share[k][v]
			for i, w := range sh.with[k][v] {
				any[i] |= w
			}
		}
		odds *= sum
		for i := range all {
			all[i] &= any[i]
		}
	}
	n := 0
	for _, w := range all {
		n += bits.OnesCount64(w)
	}
	return float64(n)/float64(len(sample)) + odds
}

// distinct are the shapes of anchors. Those of one rule that are told by their
// last byte alone are one.
func distinct(anchors []anchor) []shape {
	var shapes []shape
	at := map[string]int{}
	for k := range anchors {
		a := &anchors[k]
		name := a.lit
		if len(a.lit) == 3 {
			name = fmt.Sprint(a.rule)
		}
		s := a.shape()
		if i, ok := at[name]; ok {
			shapes[i] = shapes[i].join(s)
			continue
		}
		at[name] = len(shapes)
		shapes = append(shapes, s)
	}
	return shapes
}

var Sweeps = 1
