package access

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	signAnn = SignerOf("a-token-of-ann-0001")
	signBob = SignerOf("b-token-of-bob-0001")
)

// codeFor returns a new code of a user's token.
func codeFor(c *Codes, by Signer, now time.Time) string {
	code, _ := c.New(by, now)
	return code
}

func TestACodeIsGoodOnceAndForTenMinutes(t *testing.T) {
	c, tokens, now := NewCodes(nil), twoUsers(), time.Now()
	ann, bob, late := codeFor(c, signAnn, now), codeFor(c, signBob, now), codeFor(c, signAnn, now)
	user, by, ok := c.Take(bob, &tokens, now)
	assert.True(t, ok)
	assert.Equal(t, "bob", user)
	assert.Equal(t, signBob, by)
	_, _, ok = c.Take(bob, &tokens, now)
	assert.False(t, ok, "a second time")
	user, by, ok = c.Take(ann, &tokens, now.Add(10*time.Minute-time.Second))
	assert.True(t, ok)
	assert.Equal(t, "ann", user)
	assert.Equal(t, signAnn, by)
	_, _, ok = c.Take(late, &tokens, now.Add(10*time.Minute))
	assert.False(t, ok, "expired")
	_, expires := c.New(signAnn, now)
	assert.WithinRange(t, expires, now.Add(10*time.Minute-time.Second), now.Add(10*time.Minute))
}

func TestACodeThatWasChangedIsRefused(t *testing.T) {
	c, tokens, now := NewCodes(nil), twoUsers(), time.Now()
	for _, wrong := range []string{"", "x", codeFor(c, signAnn, now) + "A", codeFor(c, signBob, now)[1:]} {
		_, _, ok := c.Take(wrong, &tokens, now)
		assert.False(t, ok, wrong)
	}
	code := codeFor(c, signAnn, now)
	for i := range code {
		for _, letter := range []string{"A", "z", "_", "\n"} {
			if wrong := code[:i] + letter + code[i+1:]; wrong != code {
				_, _, ok := c.Take(wrong, &tokens, now)
				assert.False(t, ok, "letter %d as %q", i, letter)
			}
		}
	}
	_, _, ok := c.Take(code, &tokens, now)
	assert.True(t, ok, "and itself is still good")
}

func TestProcessesWithOneKeyAndTokenTakeEachOthersCodes(t *testing.T) {
	key, tokens, now := []byte("a key of a deployment for tests!"), twoUsers(), time.Now()
	first, second := NewCodes(key), NewCodes(key)
	code := codeFor(first, signAnn, now)
	user, _, ok := second.Take(code, &tokens, now)
	assert.True(t, ok)
	assert.Equal(t, "ann", user)

	var changed, limited Tokens
	changed.Add("ann", "a-token-of-ann-0003")
	limited.add(Caller{"ann", "summary"}, "a-token-of-ann-0001")
	for name, by := range map[string]struct {
		codes  *Codes
		tokens Tokens
	}{
		"a second time where it was used":      {second, tokens},
		"by a process with another key":        {NewCodes(key[1:]), tokens},
		"by a process that made a key":         {NewCodes(nil), tokens},
		"when the token has changed":           {NewCodes(key), changed},
		"when the token is limited to a level": {NewCodes(key), limited},
		"when nobody has a token":              {NewCodes(key), Tokens{}},
	} {
		_, _, ok := by.codes.Take(code, &by.tokens, now)
		assert.False(t, ok, name)
	}
}

func TestUsedCodesAreRememberedWithinABound(t *testing.T) {
	c, tokens, now := NewCodes(nil), twoUsers(), time.Now()
	first := codeFor(c, signAnn, now)
	_, _, ok := c.Take(first, &tokens, now)
	require.True(t, ok)
	for range maxUsed - 1 {
		_, _, ok = c.Take(codeFor(c, signAnn, now), &tokens, now)
		require.True(t, ok)
	}
	_, _, ok = c.Take(codeFor(c, signAnn, now), &tokens, now)
	assert.False(t, ok, "what could not be told from a used one")
	_, _, ok = c.Take(first, &tokens, now)
	assert.False(t, ok, "the first one is still known")
	_, _, ok = c.Take(codeFor(c, signBob, now), &tokens, now)
	assert.True(t, ok, "others are not affected")
	assert.Len(t, c.used["ann"], maxUsed)

	now = now.Add(CodeLife)
	_, _, ok = c.Take(codeFor(c, signAnn, now), &tokens, now)
	assert.True(t, ok)
	assert.Len(t, c.used["ann"], 1, "what has expired need not be remembered")
}

func TestACodeUsedFromManyGoroutinesLogsInOnce(t *testing.T) {
	c, tokens, now := NewCodes(nil), twoUsers(), time.Now()
	var wg sync.WaitGroup
	var mu sync.Mutex
	logins := 0
	code := codeFor(c, signAnn, now)
	for range 8 {
		wg.Go(func() {
			c.New(signBob, now)
			if _, _, ok := c.Take(code, &tokens, now); ok {
				mu.Lock()
				defer mu.Unlock()
				logins++
			}
		})
	}
	wg.Wait()
	assert.Equal(t, 1, logins)
}

// Whoever has the cookie alone, or the cookie of one login and the key of another, has nothing.
func TestThePageKeyCannotBeComputedFromTheCookie(t *testing.T) {
	tokens, now, by := twoUsers(), time.Now(), SignerOf("a-token-of-ann-0001")
	l := NewLogin("ann", now)
	cookie, key := by.Cookie(l), by.PageKey(l)
	assert.NotContains(t, cookie, key)
	read, ok := tokens.Verify(cookie, now)
	require.True(t, ok)
	assert.True(t, read.HasPageKey(key))
	for _, wrong := range []string{
		"", key[1:], key + "=", cookie, cookie[len(cookie)-len(key):], by.PageKey(NewLogin("ann", now)),
		SignerOf("another-of-ann-0002").PageKey(l), Signer{}.PageKey(l),
	} {
		assert.False(t, read.HasPageKey(wrong), wrong)
	}
	again, ok := tokens.Verify(SignerOf("another-of-ann-0002").Cookie(l), now)
	require.True(t, ok)
	assert.False(t, again.HasPageKey(key), "of the same login, signed by the user's other token")
}
