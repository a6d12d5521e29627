package access

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func twoUsers() Tokens {
	var t Tokens
	t.Add("ann", "a-token-of-ann-0001")
	t.Add("bob", "b-token-of-bob-0001")
	t.Add("ann", "another-of-ann-0002")
	return t
}

func signed(t *testing.T, tokens Tokens, token string, at time.Time) string {
	t.Helper()
	who, ok := tokens.Lookup(token)
	require.True(t, ok)
	return SignerOf(token).Cookie(NewLogin(who.User, at))
}

func TestACookieIsValidForItsUserUntilItExpires(t *testing.T) {
	tokens, now := twoUsers(), time.Now()
	for token, user := range map[string]string{"a-token-of-ann-0001": "ann", "another-of-ann-0002": "ann",
		"b-token-of-bob-0001": "bob"} {
		value := signed(t, tokens, token, now)
		const month = 30 * 24 * time.Hour
		l, ok := tokens.Verify(value, now.Add(month-time.Minute))
		assert.True(t, ok)
		assert.Equal(t, user, l.User)
		_, ok = tokens.Verify(value, now.Add(month))
		assert.False(t, ok, "expired")
	}
}

func TestACookieSurvivesARestartButNotAChangeOfItsToken(t *testing.T) {
	now := time.Now()
	value := signed(t, twoUsers(), "a-token-of-ann-0001", now)
	again := twoUsers()
	_, ok := again.Verify(value, now)
	assert.True(t, ok, "another process with the same tokens")
	var changed Tokens
	changed.Add("ann", "a-token-of-ann-0003")
	_, ok = changed.Verify(value, now)
	assert.False(t, ok)
}

func TestATamperedCookieIsRefused(t *testing.T) {
	tokens, now := twoUsers(), time.Now()
	ann := signed(t, tokens, "a-token-of-ann-0001", now)
	parts := strings.Split(ann, ".")
	bob := strings.Split(signed(t, tokens, "b-token-of-bob-0001", now), ".")
	swap := func(i int, with string) string {
		p := append([]string{}, parts...)
		p[i] = with
		return strings.Join(p, ".")
	}
	wrong := []string{
		"", ".", strings.Repeat(".", 5), ann + ".", ann[:len(ann)-2], swap(0, "2"), swap(1, bob[1]), swap(2, "1"),
		swap(3, "99999999999"), swap(3, "-1"), swap(3, ""), swap(4, bob[4]), swap(4, ""), swap(5, bob[5]), swap(5, ""),
		strings.Repeat("a", maxCookie) + "." + ann, ann[:len(ann)-9] + "\n" + ann[len(ann)-9:],
		SignerOf("b-token-of-bob-0001").Cookie(NewLogin("ann", now)), // by another user
	}
	for _, value := range wrong {
		_, ok := tokens.Verify(value, now)
		assert.False(t, ok, "%.60q", value)
	}
	var long Tokens
	name := strings.Repeat("a", maxCookie)
	long.Add(name, "a-token-of-ann-0001")
	_, ok := long.Verify(SignerOf("a-token-of-ann-0001").Cookie(NewLogin(name, now)), now)
	assert.False(t, ok, "too long, although it is signed")
	var nobody Tokens
	_, ok = nobody.Verify(ann, now)
	assert.False(t, ok)
}

func FuzzCookie(f *testing.F) {
	tokens, now := twoUsers(), time.Unix(1_800_000_000, 0)
	good := SignerOf("a-token-of-ann-0001").Cookie(NewLogin("ann", now))
	f.Add(good)
	f.Add("1.YW5u.1800000000.1900000000.id.AAAA")
	f.Fuzz(func(t *testing.T, value string) {
		l, ok := tokens.Verify(value, now)
		if ok {
			assert.Equal(t, SignerOf("a-token-of-ann-0001").Cookie(l), value, "only what we sealed is taken")
		}
	})
}

func TestRevokedLoginsStayRevokedAndAreBounded(t *testing.T) {
	var r Revoked
	now := time.Now()
	first, other := NewLogin("ann", now), NewLogin("ann", now)
	bob := NewLogin("bob", now)
	r.Add(first, now)
	assert.True(t, r.Has(first))
	assert.False(t, r.Has(other))
	for range maxRevoked {
		r.Add(NewLogin("ann", now), now)
	}
	assert.LessOrEqual(t, len(r.users["ann"].ended), maxRevoked)
	assert.True(t, r.Has(first), "what is forgotten one by one has ended as a whole")
	assert.True(t, r.Has(other))
	assert.False(t, r.Has(bob), "others are not affected")
	assert.False(t, r.Has(NewLogin("ann", now.Add(time.Minute))))
	r.Add(NewLogin("ann", now), now.Add(2*loginTime))
	assert.Len(t, r.users["ann"].ended, 1, "what has expired need not be remembered")
}

func TestTheCookieIsBoundToTheServerAndHiddenFromScripts(t *testing.T) {
	plain := httptest.NewRequest("GET", "http://127.0.0.1:8080/", nil)
	c := Cookie(plain, "v", time.Now().Add(time.Hour))
	assert.Equal(t, "candor-8080", c.Name)
	assert.True(t, c.HttpOnly)
	assert.False(t, c.Secure)
	assert.Contains(t, c.String(), "SameSite=Strict")
	assert.Contains(t, c.String(), "Path=/;")
	tls := httptest.NewRequest("GET", "https://candor.example/", nil)
	assert.Equal(t, "__Host-candor", Cookie(tls, "v", time.Now()).Name)
	assert.True(t, Cookie(tls, "v", time.Now()).Secure)
	proxied := httptest.NewRequest("GET", "http://127.0.0.1:8080/", nil)
	proxied.Header.Set("X-Forwarded-Proto", "https")
	assert.True(t, Cookie(proxied, "v", time.Now()).Secure, "a proxy in front of the server used TLS")
	assert.Negative(t, Cookie(plain, "", time.Time{}).MaxAge, "an empty value deletes the cookie")
}

func TestFailedLoginsAreLimitedByAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := NewAttempts()
		for range 20 {
			assert.True(t, a.Failed("192.0.2.1:1000"))
		}
		assert.False(t, a.Failed("192.0.2.1:2000"), "another port is no other address")
		assert.True(t, a.Known("ann"), "a user is not kept out by others' mistakes")
		time.Sleep(3 * time.Second) // of the bubble's time
		assert.True(t, a.Failed("192.0.2.1:1000"), "one attempt is free again")
		assert.False(t, a.Failed("192.0.2.1:1000"), "and no more than one")
	})
}

func TestLoginsAreLimitedByUser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := NewAttempts()
		for range 20 {
			assert.True(t, a.Known("ann"))
		}
		assert.False(t, a.Known("ann"))
		time.Sleep(3 * time.Second) // of the bubble's time
		assert.True(t, a.Known("ann"), "one login is free again")
		assert.False(t, a.Known("ann"), "and no more than one")
	})
}

func TestAttemptsOfAnyOutcomeAreLimitedByAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := NewAttempts()
		for range 300 {
			assert.True(t, a.Begin("192.0.2.1:1000"))
		}
		assert.False(t, a.Begin("192.0.2.1:2000"), "another port is no other address")
		time.Sleep(time.Second) // of the bubble's time
		for range 5 {
			assert.True(t, a.Begin("192.0.2.1:1000"))
		}
		assert.False(t, a.Begin("192.0.2.1:1000"))
	})
}

func TestAnIPv6NetworkCountsAsOneAddress(t *testing.T) {
	for name, addresses := range map[string][2]string{
		"two hosts of a network":           {"[2001:db8:1:2::1]:1000", "[2001:db8:1:2:ffff:1:2:3]:1000"},
		"a network on this link":           {"[fe80::1%eth0]:1000", "[fe80::2%eth1]:1000"},
		"IPv4, and the same within IPv6":   {"192.0.2.1:1000", "[::ffff:192.0.2.1]:1000"},
		"what is no address, its own name": {"pipe", "pipe"},
	} {
		a := NewAttempts()
		for range 20 {
			assert.True(t, a.Failed(addresses[0]), name)
		}
		assert.False(t, a.Failed(addresses[1]), name)
	}
	assert.NotEqual(t, addressOf("[2001:db8:1:2::1]:1000"), addressOf("[2001:db8:1:3::1]:1000"))
	assert.NotEqual(t, addressOf("[::ffff:192.0.2.1]:1000"), addressOf("[::ffff:192.0.2.2]:1000"))
}

func TestLoginCodesAreLimitedByUser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := NewAttempts()
		for range 20 {
			assert.True(t, a.Code("ann"))
		}
		assert.False(t, a.Code("ann"))
		assert.True(t, a.Known("ann"), "logins are counted apart")
		time.Sleep(3 * time.Second) // of the bubble's time
		assert.True(t, a.Code("ann"), "one code is free again")
	})
}

func TestRevokedLoginsMayBeUsedFromManyGoroutines(t *testing.T) {
	var r Revoked
	var wg sync.WaitGroup
	now := time.Now()
	for range 4 {
		wg.Go(func() {
			for i := range 3000 {
				l := NewLogin(fmt.Sprint("user ", i), now)
				r.Add(l, now)
				assert.True(t, r.Has(l))
			}
		})
	}
	wg.Wait()
}
