//go:build goexperiment.simd && amd64

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

// member is a shape, or the joined ones of a set, with the places of the sample
// that have each of its halves.
type member struct {
	shape
	has [2 * frame]crowd
}

// sharing is how anchors are shared out among the sets: so that few places of
// the sample have the shape of a set.
type sharing struct {
	with  [2 * frame][16]crowd       // the places with a value
	share [2 * frame][2][256]float64 // how many have any of eight values
	sets  [sets]member
	costs [sets]float64
}

// shareOut shares anchors out, the likeliest first, each where it adds least. Then
// each is taken out again and put where it adds least among all the others.
func shareOut(anchors []anchor) [sets]shape {
	sh := newSharing()
	members, alone := []member{}, map[shape]float64{}
	for _, s := range distinct(anchors) {
		m := sh.member(s)
		members, alone[s] = append(members, m), sh.cost(&m, &m)
	}
	slices.SortStableFunc(members, func(a, b member) int { return cmp.Compare(alone[b.shape], alone[a.shape]) })
	home := make([]int, len(members))
	for i := range members {
		home[i] = sh.place(&members[i])
	}
	for i := range members {
		from := home[i]
		home[i] = -1
		sh.sets[from], sh.costs[from] = member{}, 0
		for j, set := range home {
			if set == from {
				sh.sets[from].add(&members[j])
			}
		}
		sh.costs[from] = sh.cost(&sh.sets[from], &sh.sets[from])
		home[i] = sh.place(&members[i])
	}
	var out [sets]shape
	for k := range out {
		out[k] = sh.sets[k].shape
	}
	return out
}

func newSharing() *sharing {
	sh := &sharing{}
	for i := 1; i+frame <= len(sample); i++ {
		for p := range frame {
			b := sample[i-1+p]
			for k, v := range [2]byte{b & 15, b >> 4} {
				sh.with[2*p+k][v][i/64] |= 1 << (i % 64)
				for mask := range 256 {
					if mask>>(v&7)&1 != 0 {
						sh.share[2*p+k][v/8][mask] += 1 / float64(len(sample))
					}
				}
			}
		}
	}
	return sh
}

func (sh *sharing) member(s shape) member {
	m := member{shape: s}
	for k, values := range s {
		for ; values != 0; values &= values - 1 {
			for i, w := range sh.with[k][bits.TrailingZeros16(values)] {
				m.has[k][i] |= w
			}
		}
	}
	return m
}

// add joins another member to a set.
func (m *member) add(o *member) {
	m.shape = m.join(o.shape)
	for k := range m.has {
		for i, w := range o.has[k] {
			m.has[k][i] |= w
		}
	}
}

// place puts a member into the set that it adds least to.
func (sh *sharing) place(m *member) int {
	best, least := 0, 3.0
	for k := range sh.sets {
		if more := sh.cost(&sh.sets[k], m) - sh.costs[k]; more < least {
			best, least = k, more
		}
	}
	sh.sets[best].add(m)
	sh.costs[best] += least
	return best
}

// cost is how much of the sample has the shape of two members joined, and how
// much would have it were the bytes of text independent, which tells of what the
// sample lacks.
func (sh *sharing) cost(a, b *member) float64 {
	odds := 1.0
	for k := range a.shape {
		values := a.shape[k] | b.shape[k]
		odds *= 1e-3 + sh.share[k][0][values&255] + sh.share[k][1][values>>8]
	}
	n := 0
	for i := range a.has[0] {
		w := ^uint64(0)
		for k := range a.has {
			w &= a.has[k][i] | b.has[k][i]
		}
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
