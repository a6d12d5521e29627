package recall

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// secret returns a value of n random printable bytes.
func secret(n int, seed uint64) string {
	const signs = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&+-"
	rng := rand.New(rand.NewPCG(seed, 9))
	b := make([]byte, n)
	for i := range b {
		b[i] = signs[rng.IntN(len(signs))]
	}
	return string(b)
}

// setOf returns a set of the values, each in one form.
func setOf(values ...string) *Set {
	s := &Set{}
	for _, v := range values {
		s.Add([]Value{{Forms: []string{v}, Joined: []string{v}}})
	}
	return s
}

// holds reports whether the set finds exactly v in a text around it.
func holds(s *Set, v string) bool {
	from, to, _ := s.Next("see "+v+" now", Plain, 0)
	return from == 4 && to == 4+len(v)
}

func TestAValueIsFoundWhereverItStarts(t *testing.T) {
	for n := MinForm; n <= MaxForm; n += 91 {
		v := secret(n, uint64(n))
		s := setOf(secret(20, 1), v, secret(400, 2))
		for _, before := range []string{"", "x", "see ", strings.Repeat("long ", 300)} {
			from, to, _ := s.Next(before+v+"tail", Plain, 0)
			require.Equal(t, [2]int{len(before), len(before) + n}, [2]int{from, to}, "%d bytes", n)
		}
		_, to, _ := s.Next(v[1:], Plain, 0)
		require.Zero(t, to, "a value without its first byte is found")
		_, to, _ = s.Next(v[:n-1], Plain, 0)
		require.Zero(t, to, "a value without its last byte is found")
		_, to, _ = s.Next(strings.Repeat("x", 30)+strings.ToUpper(v)+strings.ToLower(v), Plain, 0)
		require.Zero(t, to, "case does not matter")
	}
}

func TestValuesThatDifferInTheirMiddleAreToldApart(t *testing.T) {
	head, tail := secret(8, 1), secret(8, 2)
	s := setOf(head + "one" + tail)
	assert.True(t, holds(s, head+"one"+tail))
	_, to, _ := s.Next(head+"two"+tail, Plain, 0)
	assert.Zero(t, to)
}

func TestTheLongestOfSeveralValuesIsFound(t *testing.T) {
	long := secret(40, 3)
	s := setOf(long[:12], long, long[:20])
	assert.True(t, holds(s, long))
	assert.True(t, holds(s, long[:20]))
}

func TestEachFormOfAValueIsFound(t *testing.T) {
	s := &Set{}
	forms := []string{secret(12, 1), secret(30, 2), "short", secret(MaxForm+1, 3)}
	require.True(t, s.Add([]Value{{Forms: forms}}))
	assert.True(t, holds(s, forms[0]))
	assert.True(t, holds(s, forms[1]))
	assert.False(t, holds(s, forms[3]))
	assert.False(t, s.Add([]Value{{Forms: []string{"short"}}}), "a value without a form of a fit length was added")
}

func TestTheOffsetFromWhichAValueCountsComesWithIt(t *testing.T) {
	v, s := secret(12, 1), &Set{}
	s.Add([]Value{{Forms: []string{v}, Since: 70}})
	s.Add([]Value{{Forms: []string{v}, Since: 90}})
	s.Shift(30)
	_, _, since := s.Next(v, Plain, 0)
	assert.Equal(t, 40, since)
	(*Set)(nil).Shift(1)
}

func TestTheLeastRecentlyUsedValueIsForgottenFirst(t *testing.T) {
	s, kept := &Set{}, secret(16, 7)
	s.Add([]Value{{Forms: []string{kept}}})
	s.Add([]Value{{Forms: []string{secret(16, 8)}}})
	for n := range uint64(MaxValues - 2) {
		s.Add([]Value{{Forms: []string{secret(16, 100+n)}}})
	}
	require.True(t, holds(s, secret(16, 8)))
	require.True(t, holds(s, kept))
	s.Add([]Value{{Forms: []string{secret(16, 99)}}})
	assert.True(t, holds(s, kept), "a value that was just used is forgotten")
	assert.False(t, holds(s, secret(16, 100)), "the value used least is kept")
	assert.False(t, s.Add([]Value{{Forms: []string{kept}}}), "a known value counts as new")
}

func TestASetStaysSmallWhateverIsAdded(t *testing.T) {
	s := &Set{}
	var batch []Value
	for n := range uint64(100_000) {
		v := secret(MinForm, n%3) + secret(24, n) // three beginnings only
		if batch = append(batch, Value{Forms: []string{v, "base64 of " + v}}); len(batch) == 500 {
			s.Add(batch)
			batch = batch[:0]
		}
	}
	x := s.current.Load()
	assert.Len(t, s.entries, MaxValues)
	assert.LessOrEqual(t, len(x.forms), 2*MaxValues)
	alike := map[uint16]int{}
	for _, f := range x.forms {
		alike[f.head]++
		require.LessOrEqual(t, alike[f.head], maxAlike)
	}
	assert.True(t, holds(s, secret(MinForm, 99_999%3)+secret(24, 99_999)), "the latest value is not found")
}

func TestOpenHoldsBackABeginning(t *testing.T) {
	v := secret(30, 5)
	s := setOf(v)
	text := "words that are of no interest, and " + v
	at := len(text) - len(v)
	for n := 0; n < len(v); n++ {
		assert.LessOrEqual(t, s.Open(text[:at+n], Joined), at, "%d bytes of the value", n)
	}
	assert.Greater(t, s.Open(text, Joined), at, "a complete value is held back")
	assert.Equal(t, 5, (&Set{}).Open("words", Joined), "an empty set holds text back")
}

func TestAnEmptySetFindsNothing(t *testing.T) {
	var none *Set
	assert.True(t, none.Empty())
	assert.True(t, (&Set{}).Empty())
	_, to, _ := (&Set{}).Next(secret(100, 1), Plain, 0)
	assert.Zero(t, to)
	assert.False(t, setOf(secret(9, 1)).Empty())
}

func TestTheVersionChangesWithEachNewValue(t *testing.T) {
	s := setOf(secret(9, 1))
	before := s.Version()
	s.Add([]Value{{Forms: []string{secret(9, 1)}}})
	assert.Equal(t, before, s.Version())
	s.Add([]Value{{Forms: []string{secret(9, 2)}}})
	assert.Greater(t, s.Version(), before)
}

func TestSearchingAllocatesNothing(t *testing.T) {
	v := secret(40, 1)
	s, text := setOf(v, secret(16, 2)), strings.Repeat("the quick brown fox ", 50)+v
	assert.Zero(t, testing.AllocsPerRun(100, func() { s.Next(text, Plain, 0); s.Open(text, Joined) }))
}

func TestASetIsSafeForConcurrentUse(t *testing.T) {
	s, first := &Set{}, secret(20, 1)
	s.Add([]Value{{Forms: []string{first}}})
	var all sync.WaitGroup
	for g := range uint64(4) {
		all.Go(func() {
			for n := range uint64(100) {
				s.Add([]Value{{Forms: []string{secret(20, 1000*g+n)}}})
				assert.True(t, holds(s, first))
			}
		})
	}
	all.Wait()
}

// memory appends all bytes that are reachable from v, as a dump of the process has them.
func memory(v reflect.Value, seen map[uintptr]bool, out *[]byte) {
	if v.CanAddr() {
		*out = append(*out, unsafe.Slice((*byte)(v.Addr().UnsafePointer()), v.Type().Size())...)
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && !seen[v.Pointer()] {
			seen[v.Pointer()] = true
			memory(v.Elem(), seen, out)
		}
	case reflect.UnsafePointer: // of atomic.Pointer[index]
		if !v.IsNil() && !seen[v.Pointer()] {
			seen[v.Pointer()] = true
			memory(reflect.NewAt(reflect.TypeFor[index](), v.UnsafePointer()), seen, out)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			memory(v.Index(i), seen, out)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			memory(v.Field(i), seen, out)
		}
	case reflect.String:
		*out = append(*out, v.String()...)
	}
}

func TestADumpOfASetShowsNoPartOfAValue(t *testing.T) {
	var values []string
	s := &Set{}
	for n := range uint64(50) {
		v := secret(8+int(n)*9, n)
		values = append(values, v)
		s.Add([]Value{{Forms: []string{v, fmt.Sprintf("%x", v)}}})
	}
	var bytes []byte
	memory(reflect.ValueOf(s), map[uintptr]bool{}, &bytes)
	require.Greater(t, len(bytes), 8192+100*24, "the dump is not complete")
	dump := string(bytes)
	for _, v := range values {
		for i := 0; i+6 <= len(v); i++ {
			require.NotContains(t, dump, v[i:i+6], "six bytes of a value are in memory")
		}
	}
}

func BenchmarkNext(b *testing.B) {
	text := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 2000)
	for _, n := range []uint64{1, MaxValues} {
		b.Run(fmt.Sprintf("%d values", n), func(b *testing.B) {
			s := &Set{}
			for k := range n {
				forms := make([]string, 10)
				for i := range forms {
					forms[i] = secret(30, k*10+uint64(i))
				}
				s.Add([]Value{{Forms: forms}})
			}
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				s.Next(text, Plain, 0)
			}
		})
	}
}
