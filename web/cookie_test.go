package web

import (
	"net/http/httptest"
	"strings"
	"testing"
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

func sealed(t *testing.T, tokens Tokens, token string, at time.Time) string {
	t.Helper()
	e, ok := tokens.entry(token)
	require.True(t, ok)
	return newLogin(e.User, at).seal(e.hash[:])
}

func TestACookieSpeaksForItsUserUntilItExpires(t *testing.T) {
	tokens, now := twoUsers(), time.Now()
	for token, user := range map[string]string{"a-token-of-ann-0001": "ann", "another-of-ann-0002": "ann", "b-token-of-bob-0001": "bob"} {
		value := sealed(t, tokens, token, now)
		l, ok := tokens.login(value, now.Add(loginTime-time.Minute))
		assert.True(t, ok)
		assert.Equal(t, user, l.user)
		_, ok = tokens.login(value, now.Add(loginTime))
		assert.False(t, ok, "expired")
	}
}

func TestACookieOutlivesARestartAndDiesWithItsToken(t *testing.T) {
	now := time.Now()
	value := sealed(t, twoUsers(), "a-token-of-ann-0001", now)
	again := twoUsers()
	_, ok := again.login(value, now)
	assert.True(t, ok, "another process with the same tokens")
	var changed Tokens
	changed.Add("ann", "a-token-of-ann-0003")
	_, ok = changed.login(value, now)
	assert.False(t, ok)
}

func TestATamperedCookieSpeaksForNobody(t *testing.T) {
	tokens, now := twoUsers(), time.Now()
	ann := sealed(t, tokens, "a-token-of-ann-0001", now)
	parts := strings.Split(ann, ".")
	bob := strings.Split(sealed(t, tokens, "b-token-of-bob-0001", now), ".")
	swap := func(i int, with string) string {
		p := append([]string{}, parts...)
		p[i] = with
		return strings.Join(p, ".")
	}
	wrong := []string{
		"", ".", strings.Repeat(".", 5), ann + ".", ann[:len(ann)-2], swap(0, "2"), swap(1, bob[1]), swap(2, "1"),
		swap(3, "99999999999"), swap(3, "-1"), swap(3, ""), swap(4, bob[4]), swap(4, ""), swap(5, bob[5]), swap(5, ""),
		strings.Repeat("a", maxCookie) + "." + ann,
	}
	for _, value := range wrong {
		_, ok := tokens.login(value, now)
		assert.False(t, ok, "%.60q", value)
	}
	var nobody Tokens
	_, ok := nobody.login(ann, now)
	assert.False(t, ok)
}

func FuzzCookie(f *testing.F) {
	tokens, now := twoUsers(), time.Unix(1_800_000_000, 0)
	e, _ := tokens.entry("a-token-of-ann-0001")
	good := newLogin("ann", now).seal(e.hash[:])
	f.Add(good)
	f.Add("1.YW5u.1800000000.1900000000.id.AAAA")
	f.Fuzz(func(t *testing.T, value string) {
		l, ok := tokens.login(value, now)
		if ok {
			assert.Equal(t, l.seal(e.hash[:]), value, "only what we sealed is taken")
		}
	})
}

func TestEndedLoginsStayEndedAndAreBounded(t *testing.T) {
	var r revoked
	now := time.Now()
	first, other := newLogin("ann", now), newLogin("ann", now)
	bob := newLogin("bob", now)
	r.add(first, now)
	assert.True(t, r.has(first))
	assert.False(t, r.has(other))
	for range maxRevoked {
		r.add(newLogin("ann", now), now)
	}
	assert.LessOrEqual(t, len(r.users["ann"].ids), maxRevoked)
	assert.True(t, r.has(first), "what is forgotten one by one has ended as a whole")
	assert.True(t, r.has(other))
	assert.False(t, r.has(bob), "others are not affected")
	assert.False(t, r.has(newLogin("ann", now.Add(time.Minute))))
	r.add(newLogin("ann", now), now.Add(2*loginTime))
	assert.Len(t, r.users["ann"].ids, 1, "what has expired need not be remembered")
}

func TestTheCookieIsForThisServerAndNoScript(t *testing.T) {
	plain := httptest.NewRequest("GET", "http://127.0.0.1:8080/", nil)
	c := cookie(plain, "v", time.Now().Add(time.Hour))
	assert.Equal(t, "candor-8080", c.Name)
	assert.True(t, c.HttpOnly)
	assert.False(t, c.Secure)
	assert.Contains(t, c.String(), "SameSite=Strict")
	assert.Contains(t, c.String(), "Path=/;")
	tls := httptest.NewRequest("GET", "https://candor.example/", nil)
	assert.Equal(t, "__Host-candor", cookie(tls, "v", time.Now()).Name)
	assert.True(t, cookie(tls, "v", time.Now()).Secure)
}

func TestLoginAttemptsAreLimitedByAddress(t *testing.T) {
	a := newAttempts()
	for range loginsPerMinute {
		assert.True(t, a.allow("192.0.2.1:1000"))
	}
	assert.False(t, a.allow("192.0.2.1:2000"), "another port is no other address")
}
