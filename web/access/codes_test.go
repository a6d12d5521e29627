package access

import (
	"crypto/sha256"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestACodeIsGoodOnceAndForTenMinutes(t *testing.T) {
	var c Codes
	now, anns, bobs := time.Now(), SignerOf("a-token-of-ann-0001"), SignerOf("b-token-of-bob-0001")
	ann, bob, late := c.New("ann", anns, now), c.New("bob", bobs, now), c.New("ann", anns, now)
	assert.GreaterOrEqual(t, len(ann), 26, "of 32 letters and digits: at least 128 bits")
	user, by, ok := c.Take(bob, now)
	assert.True(t, ok)
	assert.Equal(t, "bob", user)
	assert.Equal(t, bobs, by)
	_, _, ok = c.Take(bob, now)
	assert.False(t, ok, "a second time")
	user, by, ok = c.Take(ann, now.Add(10*time.Minute-time.Second))
	assert.True(t, ok)
	assert.Equal(t, "ann", user)
	assert.Equal(t, anns, by)
	_, _, ok = c.Take(late, now.Add(10*time.Minute))
	assert.False(t, ok, "expired")
	for _, wrong := range []string{"", "x", ann + "x", bob[1:]} {
		_, _, ok = c.Take(wrong, now)
		assert.False(t, ok, wrong)
	}
}

func TestTheOldestOfTooManyCodesMakesRoom(t *testing.T) {
	var c Codes
	now := time.Now()
	bob := c.New("bob", Signer{}, now)
	first := c.New("ann", Signer{}, now)
	for range 1000 {
		c.New("ann", Signer{}, now)
	}
	assert.Len(t, c.open["ann"], maxCodes)
	_, _, ok := c.Take(first, now)
	assert.False(t, ok)
	_, _, ok = c.Take(bob, now)
	assert.True(t, ok, "others are not affected")
}

func TestCodesAreKeptAsHashes(t *testing.T) {
	var c Codes
	code := c.New("ann", Signer{}, time.Now())
	assert.Equal(t, sha256.Sum256([]byte(code)), c.open["ann"][0].hash)
}

func TestACodeUsedFromManyGoroutinesLogsInOnce(t *testing.T) {
	var c Codes
	var wg sync.WaitGroup
	var mu sync.Mutex
	now, logins := time.Now(), 0
	code := c.New("ann", Signer{}, now)
	for range 8 {
		wg.Go(func() {
			c.New("bob", Signer{}, now)
			if _, _, ok := c.Take(code, now); ok {
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
