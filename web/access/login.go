package access

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// loginTime is how long a login lasts.
const loginTime = 30 * 24 * time.Hour

// Login is what a browser's cookie says: who is logged in, and until when. The
// server stores none of it. The cookie is signed with a key derived from the user's
// token, so a login survives a restart and ends when the token changes.
//
// The cookie alone is worth nothing. Browsers send it to every port of its host, so any
// program that listens on one gets it. A request has to carry the login's page key as well,
// which the page keeps in the storage of its origin, where a port counts.
type Login struct {
	User  string
	Since time.Time // in whole seconds, UTC
	Until time.Time // in whole seconds, UTC
	id    string    // random; names the login when it is revoked
	by    Signer    // of the cookie that the login was read from
}

// NewLogin returns a login of user that begins now.
func NewLogin(user string, now time.Time) Login {
	now = now.Truncate(time.Second).UTC()
	return Login{User: user, Since: now, Until: now.Add(loginTime), id: rand.Text()}
}

// cookieVersion begins each cookie. Another format would need another version.
const cookieVersion = "1"

// What a signer makes a value for.
const (
	cookiePurpose = "candor login\x00"
	keyPurpose    = "candor page key\x00"
)

// maxCookie is the length of the longest cookie that is parsed, in bytes.
const maxCookie = 4096

// Signer signs the logins of a token's user. It is the token's hash, so that a login can be
// signed where the token itself is not at hand.
type Signer [sha256.Size]byte

// SignerOf returns the signer of a token.
func SignerOf(token string) Signer { return sha256.Sum256([]byte(token)) }

// Cookie returns the login as a cookie's value:
//
//	version.base64(user).since.until.id.base64(mac)
func (s Signer) Cookie(l Login) string {
	payload := l.payload()
	return payload + "." + base64.RawURLEncoding.EncodeToString(s.mac(cookiePurpose, payload))
}

// PageKey returns the value that has to come with the login's cookie, in the header
// [PageKeyHeader]. It cannot be computed from the cookie.
func (s Signer) PageKey(l Login) string {
	return base64.RawURLEncoding.EncodeToString(s.mac(keyPurpose, l.payload()))
}

// mac is the payload's HMAC. The purpose separates the key from the token's hash as it is
// used elsewhere, and the cookie's signature from the page's key.
func (s Signer) mac(purpose, payload string) []byte {
	mac := hmac.New(sha256.New, append([]byte(purpose), s[:]...))
	mac.Write([]byte(payload))
	return mac.Sum(nil)
}

// payload is the signed part of the login's cookie.
func (l Login) payload() string {
	return strings.Join([]string{
		cookieVersion, base64.RawURLEncoding.EncodeToString([]byte(l.User)),
		strconv.FormatInt(l.Since.Unix(), 10), strconv.FormatInt(l.Until.Unix(), 10), l.id,
	}, ".")
}

// HasPageKey reports whether key is the page's key of a login that [Tokens.Verify] returned.
// It compares in constant time.
func (l Login) HasPageKey(key string) bool {
	return hmac.Equal([]byte(key), []byte(l.by.PageKey(l)))
}

// Verify returns the login of a cookie's value. ok is false unless one of the user's tokens
// signed it and it has not expired. A token limited to a reasoning level signs
// nothing: a login shows everything.
func (t *Tokens) Verify(value string, now time.Time) (l Login, ok bool) {
	end := strings.LastIndexByte(value, '.')
	if end < 0 || len(value) > maxCookie || strings.ContainsAny(value, "\r\n") { // base64 skips line ends
		return Login{}, false
	}
	payload := value[:end]
	mac, err := base64.RawURLEncoding.Strict().DecodeString(value[end+1:])
	if err != nil {
		return Login{}, false
	}
	if l, ok = parseLogin(payload); !ok {
		return Login{}, false
	}
	signed := false
	for _, e := range t.entries {
		by := Signer(e.hash)
		if e.User == l.User && e.Reasoning == "" && hmac.Equal(mac, by.mac(cookiePurpose, payload)) {
			l.by, signed = by, true
		}
	}
	return l, signed && now.Before(l.Until)
}

// parseLogin parses the signed part of a login cookie.
func parseLogin(payload string) (l Login, ok bool) {
	parts := strings.Split(payload, ".")
	if len(parts) != 5 || parts[0] != cookieVersion {
		return Login{}, false
	}
	user, err := base64.RawURLEncoding.Strict().DecodeString(parts[1])
	if err != nil {
		return Login{}, false
	}
	since, err := strconv.ParseInt(parts[2], 10, 64)
	if err != nil {
		return Login{}, false
	}
	until, err := strconv.ParseInt(parts[3], 10, 64)
	if err != nil {
		return Login{}, false
	}
	return Login{
		User: string(user), Since: time.Unix(since, 0).UTC(), Until: time.Unix(until, 0).UTC(), id: parts[4],
	}, true
}

// Revoked holds the logins that were ended before they expired. If one user has
// ended maxRevoked of them, all logins that began until then count as ended. The
// zero value is empty and ready to use. It is safe for concurrent use.
type Revoked struct {
	mu    sync.Mutex
	users map[string]*userLogins
}

type userLogins struct {
	ended map[string]time.Time // when each would have expired, by login id
	until time.Time            // a login that began no later than this has ended
}

// maxRevoked is how many ended logins of one user are remembered individually.
const maxRevoked = 1000

// Add ends a login.
func (r *Revoked) Add(l Login, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.users == nil {
		r.users = map[string]*userLogins{}
	}
	u := r.users[l.User]
	if u == nil {
		u = &userLogins{ended: map[string]time.Time{}}
		r.users[l.User] = u
	}
	for id, expiry := range u.ended {
		if !now.Before(expiry) {
			delete(u.ended, id)
		}
	}
	if len(u.ended) >= maxRevoked {
		u.until = now
		clear(u.ended)
	}
	u.ended[l.id] = l.Until
}

// Has reports whether the login was ended.
func (r *Revoked) Has(l Login) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	u := r.users[l.User]
	if u == nil {
		return false
	}
	_, ended := u.ended[l.id]
	return ended || !l.Since.After(u.until)
}

// PageKeyHeader is the header in which the page sends the key of its login. Pages of other
// origins cannot send it: their browsers would ask first, and the server does not allow it.
const PageKeyHeader = "Candor-Page-Key"

// isSecure reports whether the browser used TLS, to us or to a proxy before us.
func isSecure(r *http.Request) bool {
	return r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https"
}

// CookieName returns the name of the login cookie for the host of r. Browsers share
// cookies between the ports of a host, so the name contains the port. Over TLS the
// prefix __Host- makes browsers refuse one set by another host of the domain.
func CookieName(r *http.Request) string {
	if isSecure(r) {
		return "__Host-candor"
	}
	if _, port, err := net.SplitHostPort(r.Host); err == nil {
		return "candor-" + port
	}
	return "candor"
}

// Cookie returns a login cookie with a value from [Signer.Cookie], which no script
// can read and no other site can cause to be sent. An empty value deletes it.
func Cookie(r *http.Request, value string, expires time.Time) *http.Cookie {
	c := &http.Cookie{
		Name: CookieName(r), Value: value, Path: "/", Expires: expires,
		HttpOnly: true, Secure: isSecure(r), SameSite: http.SameSiteStrictMode,
	}
	if value == "" {
		c.MaxAge = -1
	}
	return c
}
