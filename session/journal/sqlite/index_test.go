package sqlite_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session/journal"
	"candor/session/journal/sqlite"
)

// openIndex opens an index that is closed at the end of the test.
func openIndex(t *testing.T, path string, head uint64) journal.OpenedIndex {
	t.Helper()
	x, err := sqlite.OpenIndex(path, head)
	require.NoError(t, err)
	t.Cleanup(func() { _ = x.Close() })
	return x
}

// doc returns a turn with words of both kinds.
func doc(place string, number int, strong, weak string, facets ...string) journal.IndexDoc {
	return journal.IndexDoc{IndexRef: journal.IndexRef{Place: place, Number: number}, Strong: strings.Fields(strong),
		Weak: strings.Fields(weak), Facets: facets, Decisions: 1, Texts: 2}
}

// terms returns a query for words, of which one that nothing has stands for what begins like it.
func terms(words ...string) (q journal.IndexQuery) {
	q.Limit = 10
	for _, w := range words {
		near := func(other string) bool { return strings.HasPrefix(other, w[:2]) }
		q.Terms = append(q.Terms, journal.IndexTerm{Any: [][]string{{w}}, Near: near})
	}
	return q
}

// found returns what an index finds, as place and number.
func found(t *testing.T, x journal.Index, q journal.IndexQuery) (refs []string) {
	t.Helper()
	got, err := x.Find(q)
	require.NoError(t, err)
	for _, r := range got.Refs {
		refs = append(refs, fmt.Sprint(r.Place, " ", r.Number))
	}
	return refs
}

func TestAnIndexFindsWhatHasTheWords(t *testing.T) {
	for kind, path := range map[string]string{"in memory": "", "in a file": sqlite.IndexPath(t.TempDir(), "ann/1")} {
		t.Run(kind, func(t *testing.T) {
			x := openIndex(t, path, 0)
			size, err := x.Put([]journal.IndexDoc{
				doc("a", 1, "deploy host", "answer", "toolshell", "outcomefailed"),
				doc("a", 2, "read log", "deploy", "toolfileread"),
				doc("b", 0, "deploy log host", "", "toolshell"),
			}, 7)
			require.NoError(t, err)
			assert.Equal(t, path == "", size > 0, "only an index in memory takes memory")
			limited := terms("deploy")
			limited.Limit = 1
			either := terms()
			either.Terms = []journal.IndexTerm{{Any: [][]string{{"read", "log"}, {"answ*"}}}}
			for _, c := range []struct {
				name string
				q    journal.IndexQuery
				want []string
			}{
				{"the latest that did it, then who names it", terms("deploy"), []string{"b 0", "a 1", "a 2"}},
				{"no more than the limit", limited, []string{"b 0"}},
				{"all words, then most", terms("deploy", "host", "answer"), []string{"a 1", "b 0", "a 2"}},
				{"a mistyped word stands for its like", terms("hots"), []string{"b 0", "a 1"}},
				{"a word that nothing is like", terms("zzz"), nil},
				{"any of the lists, and what begins so", either, []string{"a 2", "a 1"}},
				{"everything, the latest first", terms(), []string{"b 0", "a 2", "a 1"}},
				{"a facet alone", journal.IndexQuery{Facets: [][]string{{"toolshell"}}, Limit: 10},
					[]string{"b 0", "a 1"}},
				{"of each group any value", journal.IndexQuery{Limit: 10,
					Facets: [][]string{{"toolshell", "toolfileread"}, {"outcomefailed"}}}, []string{"a 1"}},
				{"words with a facet", journal.IndexQuery{Terms: terms("log").Terms, Limit: 10,
					Facets: [][]string{{"toolfileread"}}}, []string{"a 2"}},
			} {
				assert.Equal(t, c.want, found(t, x, c.q), c.name)
			}
			all, err := x.Find(limited)
			require.NoError(t, err)
			assert.True(t, all.More)
			assert.Equal(t, []int{7, 3, 6}, []int{int(all.Through), all.Decisions, all.Texts})

			_, err = x.Put([]journal.IndexDoc{doc("a", 1, "sweep", "")}, 9)
			require.NoError(t, err)
			assert.Equal(t, []string{"a 1"}, found(t, x, terms("sweep")))
			assert.Equal(t, []string{"b 0", "a 2"}, found(t, x, terms("deploy")), "in the place of what was there")

			_, err = x.Erase("a", 1)
			require.NoError(t, err)
			assert.Empty(t, found(t, x, terms("sweep")))
			assert.Equal(t, []string{"b 0", "a 2"}, found(t, x, terms()))
			_, err = x.Erase("b", 0)
			require.NoError(t, err)
			assert.Equal(t, []string{"a 2"}, found(t, x, terms()))

			require.NoError(t, x.Close())
			require.NoError(t, x.Close(), "closing twice is closing once")
			_, err = x.Find(terms())
			require.ErrorIs(t, err, journal.ErrClosed)
		})
	}
}

func TestWhatAnIndexErasedIsInNoneOfItsFiles(t *testing.T) {
	dir := t.TempDir()
	x := openIndex(t, sqlite.IndexPath(dir, "s"), 0)
	var docs []journal.IndexDoc
	for n := range 200 {
		docs = append(docs, doc("kept", n+1, fmt.Sprint("ordinary", n), strings.Repeat("filler ", n)))
		docs = append(docs, doc("gone", n+1, fmt.Sprint("quicksilver", n), "quicksilver"))
	}
	_, err := x.Put(docs, 1)
	require.NoError(t, err)
	require.NotEmpty(t, found(t, x, terms("quicksilver7")))
	_, err = x.Erase("gone", 0)
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(dir, "search", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		raw, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.False(t, bytes.Contains(raw, []byte("quicksilver")), name)
	}
	assert.Len(t, found(t, x, terms("ordinary7")), 1)
}

func TestAnIndexIsKeptWhileItFitsItsLogAndMadeAnewElse(t *testing.T) {
	path := sqlite.IndexPath(t.TempDir(), "s")
	x := openIndex(t, path, 0)
	_, err := x.Put([]journal.IndexDoc{doc("a", 1, "deploy", "")}, 7)
	require.NoError(t, err)
	require.NoError(t, x.Close())

	x = openIndex(t, path, 9)
	assert.EqualValues(t, 7, x.Through)
	assert.Equal(t, []string{"a 1"}, found(t, x, terms("deploy")))
	require.NoError(t, x.Close())

	for _, c := range []struct {
		name string
		head uint64
		harm func([]byte) []byte
	}{
		{"it is ahead of its log", 6, func(raw []byte) []byte { return raw }},
		{"it is no database", 9, func(raw []byte) []byte { return append([]byte("no database"), raw...) }},
		{"it is of another version", 9, func(raw []byte) []byte { raw[63]++; return raw }},
	} {
		change(t, path, c.harm)
		x = openIndex(t, path, c.head)
		assert.Zero(t, x.Through, c.name)
		assert.Empty(t, found(t, x, terms("deploy")), c.name)
		_, err := x.Put([]journal.IndexDoc{doc("a", 1, "deploy", "")}, 7)
		require.NoError(t, err)
		require.NoError(t, x.Close())
	}
}

// An index that turns out to be damaged while it is used is deleted, since it is made anew from the log.
func TestADamagedIndexIsDeleted(t *testing.T) {
	path := sqlite.IndexPath(t.TempDir(), "s")
	x := openIndex(t, path, 0)
	var docs []journal.IndexDoc
	for n := range 300 {
		docs = append(docs, doc("a", n+1, fmt.Sprint("word", n), strings.Repeat("filler ", 50)))
	}
	_, err := x.Put(docs, 7)
	require.NoError(t, err)
	require.NoError(t, x.Close())
	change(t, path, func(raw []byte) []byte {
		for at := 4096; at < len(raw); at++ {
			raw[at] ^= 0x5a
		}
		return raw
	})
	x, err = sqlite.OpenIndex(path, 9)
	if err == nil {
		if x.Through == 7 { // the page of the state held
			_, err = x.Find(terms("word7"))
			require.ErrorIs(t, err, journal.ErrDamaged)
			require.NoFileExists(t, path)
		}
		_ = x.Close()
		x, err = sqlite.OpenIndex(path, 9)
	}
	require.NoError(t, err)
	defer x.Close()
	assert.Zero(t, x.Through)
	assert.Empty(t, found(t, x, terms()))
}

func TestADatabaseWhoseFirstPageIsDamagedIsRead(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir, sqlite.Options{})
	l := fill(t, e, 2, 12)
	require.NoError(t, e.Close())
	change(t, filepath.Join(dir, "candor.db"), func(raw []byte) []byte {
		clear(raw[:200])
		return raw
	})
	_, err := sqlite.OpenToRead(dir)
	require.Error(t, err)
	r, err := sqlite.OpenDamaged(dir)
	require.NoError(t, err)
	for session, want := range l.frames {
		got, damage := readOn(t, r, session)
		assert.Empty(t, damage)
		assert.Equal(t, want, got)
	}
	require.NoError(t, r.Close())
	left, err := filepath.Glob(filepath.Join(filepath.Dir(dir), ".candor-salvage-*"))
	require.NoError(t, err)
	assert.Empty(t, left, "the copy is gone")

	_, err = sqlite.OpenDamaged(filepath.Join(dir, "nowhere"))
	require.ErrorIs(t, err, os.ErrNotExist)
}
