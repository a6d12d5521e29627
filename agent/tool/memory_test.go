package tool_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
)

type memory struct {
	testing.TB
	tools map[string]agent.Tool
}

func remembering(t testing.TB) memory {
	return memory{t, builtin(t, t.TempDir())}
}

type saving struct {
	Saved, Forgotten string
	Notes            int
}

func (m memory) save(user, content string) saving {
	m.Helper()
	ctx := agent.WithUser(context.Background(), user)
	return run[saving](m, ctx, m.tools["memory_save"], fmt.Sprintf(`{"content":%q}`, content))
}

func (m memory) search(user, args string) []string {
	m.Helper()
	got := run[struct {
		Notes []struct{ Text, Saved string }
		Found int
	}](m, agent.WithUser(context.Background(), user), m.tools["memory_search"], args)
	out := []string{}
	for _, n := range got.Notes {
		out = append(out, n.Text)
	}
	assert.GreaterOrEqual(m, got.Found, len(out))
	return out
}

func TestNotesAreRankedByMatchingWords(t *testing.T) {
	m := remembering(t)
	const friday, monday = "the deploy is on Friday", "Ann deploys on Monday"
	const slow, both = "the build is slow", "Deploy and build: ask Ann"
	for _, note := range []string{friday, monday, slow, both} {
		m.save("ann", note)
	}
	for query, want := range map[string][]string{
		"deploy":             {both, friday, monday},
		"when is the DEPLOY": {both, friday, monday},
		"build deploy":       {both, slow, friday, monday},
		"what about the":     {slow, friday},
		"pizza":              {},
		" ":                  {both, slow, monday, friday},
	} {
		assert.Equal(t, want, m.search("ann", fmt.Sprintf(`{"query":%q}`, query)), query)
	}
	assert.Equal(t, []string{both}, m.search("ann", `{"query":"deploy","limit":1}`))
}

func TestNotesAreCleanedBeforeTheyAreStored(t *testing.T) {
	m := remembering(t)
	secret := "ghp_" + strings.Repeat("a1B2", 9)
	got := m.save("ann", "the token is "+secret+" and it is new")
	assert.NotContains(t, got.Saved, secret)
	assert.Contains(t, got.Saved, "the token is [REDACTED:")
	assert.NotContains(t, strings.Join(m.search("ann", `{}`), ""), secret)

	key := "-----BEGIN PRIVATE " + "KEY-----\nMIIB\n-----END PRIVATE " + "KEY-----"
	ctx := agent.WithUser(t.Context(), "ann")
	assert.Contains(t, fails(t, ctx, m.tools["memory_save"], fmt.Sprintf(`{"content":%q}`, key)), "must not be kept")
	assert.Len(t, m.search("ann", `{}`), 1)
}

func TestEachUserHasTheirOwnNotes(t *testing.T) {
	m := remembering(t)
	m.save("ann", "my door code is under the mat")
	assert.Empty(t, m.search("bob", `{"query":"door"}`))
	assert.Empty(t, m.search("bob", `{}`))
	assert.Len(t, m.search("ann", `{"query":"door"}`), 1)
}

func TestWithoutAUserTheMemoryToolsRefuse(t *testing.T) {
	m := remembering(t)
	for _, ctx := range []context.Context{t.Context(), agent.WithUser(t.Context(), "")} {
		const want = "nobody said who this turn's user is"
		assert.Contains(t, fails(t, ctx, m.tools["memory_save"], `{"content":"x"}`), want)
		assert.Contains(t, fails(t, ctx, m.tools["memory_search"], `{"query":"x"}`), want)
	}
}

func TestNotesAreBounded(t *testing.T) {
	m := remembering(t)
	ctx := agent.WithUser(t.Context(), "ann")
	assert.Equal(t, "content is empty; give the fact to remember",
		fails(t, ctx, m.tools["memory_save"], `{"content":" \n"}`))
	assert.Contains(t, fails(t, ctx, m.tools["memory_save"], `{"content":"`+strings.Repeat("x", 5000)+`"}`),
		"the note has 5000 bytes and at most 4096 are kept")
	for i := range 500 {
		assert.Equal(t, i+1, m.save("ann", fmt.Sprintf("note %d", i)).Notes)
	}
	got := m.save("ann", "one more")
	assert.Equal(t, saving{Saved: "one more", Forgotten: "note 0", Notes: 500}, got, "it replaces the oldest note")
	assert.Equal(t, saving{Saved: "note 7", Notes: 500}, m.save("ann", "note 7"), "the same note is kept once")
	assert.Equal(t, "note 7", m.search("ann", `{}`)[0])
	assert.Len(t, m.search("ann", `{"limit":9999}`), 50)
}

func TestUsersAreBounded(t *testing.T) {
	m := remembering(t)
	for i := range 1000 {
		m.save(fmt.Sprint("user ", i), "x")
	}
	late := agent.WithUser(t.Context(), "late")
	assert.Contains(t, fails(t, late, m.tools["memory_save"], `{"content":"x"}`), "memory is full")
	assert.Equal(t, 2, m.save("user 7", "y").Notes, "a user with notes may save more")
}

func TestMemoryIsSafeForConcurrentUse(t *testing.T) {
	m := remembering(t)
	synctest.Test(t, func(t *testing.T) {
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				m.save("ann", fmt.Sprint("note ", i))
				m.search("ann", `{"query":"note"}`)
			})
		}
		wg.Wait()
		require.Len(t, m.search("ann", `{"limit":50}`), 20)
	})
}
