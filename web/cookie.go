package web

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

// login is who a browser's cookie speaks for. The cookie holds all of it, under a
// key made from the user's token: nothing is kept of it here, so it outlives a
// restart, and it is worth nothing once the token has changed.
type login struct {
	user  string
	since time.Time // in whole seconds, as is until
	until time.Time
	id    string // random
}

// newLogin begins one now.
func newLogin(user string, now time.Time) login {
	now = now.Truncate(time.Second).UTC()
	return login{user: user, since: now, until: now.Add(loginTime), id: rand.Text()}
}

const cookieVersion = "1"

// seal is the cookie's value: what it says and, behind it, a code that only who
// knows the token's hash can make.
func (l login) seal(key []byte) string {
	said := strings.Join([]string{
		cookieVersion, base64.RawURLEncoding.EncodeToString([]byte(l.user)),
		strconv.FormatInt(l.since.Unix(), 10), strconv.FormatInt(l.until.Unix(), 10), l.id,
	}, ".")
	return said + "." + base64.RawURLEncoding.EncodeToString(code(key, []byte(said)))
}

// code is the message's authentication code, under a key used for nothing else.
func code(key, message []byte) []byte {
	mac := hmac.New(sha256.New, append([]byte("candor login\x00"), key...))
	mac.Write(message)
	return mac.Sum(nil)
}

// maxCookie is how long a cookie may be for us to look at it, in bytes.
const maxCookie = 4096

// login reads a cookie's value. ok is false unless one of the user's tokens sealed
// it and it has not expired.
func (t *Tokens) login(value string, now time.Time) (l login, ok bool) {
	cut := strings.LastIndexByte(value, '.')
	if cut < 0 || len(value) > maxCookie {
		return login{}, false
	}
	seal, err := base64.RawURLEncoding.Strict().DecodeString(value[cut+1:])
	parts := strings.Split(value[:cut], ".")
	if err != nil || len(parts) != 5 || parts[0] != cookieVersion {
		return login{}, false
	}
	user, err := base64.RawURLEncoding.Strict().DecodeString(parts[1])
	since, err2 := strconv.ParseInt(parts[2], 10, 64)
	until, err3 := strconv.ParseInt(parts[3], 10, 64)
	if err != nil || err2 != nil || err3 != nil {
		return login{}, false
	}
	l = login{user: string(user), since: time.Unix(since, 0).UTC(), until: time.Unix(until, 0).UTC(), id: parts[4]}
	for _, e := range t.entries {
		if e.User == l.user && e.Reasoning == "" && hmac.Equal(seal, code(e.hash[:], []byte(value[:cut]))) {
			ok = true
		}
	}
	return l, ok && now.Before(l.until)
}

// revoked are the logins that ended before they expired. Where one user has ended
// maxRevoked of them, all that began until then are taken to have ended.
type revoked struct {
	mu    sync.Mutex
	users map[string]*revokedOf
}

type revokedOf struct {
	ids   map[string]time.Time // until when
	until time.Time            // a login that began no later has ended
}

// maxRevoked is how many ended logins of a user are remembered one by one.
const maxRevoked = 1000

// add ends a login.
func (r *revoked) add(l login, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.users == nil {
		r.users = map[string]*revokedOf{}
	}
	of := r.users[l.user]
	if of == nil {
		of = &revokedOf{ids: map[string]time.Time{}}
		r.users[l.user] = of
	}
	for id, until := range of.ids {
		if !now.Before(until) {
			delete(of.ids, id)
		}
	}
	if len(of.ids) >= maxRevoked {
		of.until = now
		clear(of.ids)
	}
	of.ids[l.id] = l.until
}

// has reports whether the login has ended.
func (r *revoked) has(l login) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	of := r.users[l.user]
	if of == nil {
		return false
	}
	_, ended := of.ids[l.id]
	return ended || !l.since.After(of.until)
}

// isSecure reports whether the browser came over TLS, to us or to a proxy before us.
func isSecure(r *http.Request) bool {
	return r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https"
}

// cookieName is what the cookie is called. Browsers share cookies between the ports
// of a host, so the port is in it; over TLS they see to it that no other host of
// the domain can set one of the name.
func cookieName(r *http.Request) string {
	if isSecure(r) {
		return "__Host-candor"
	}
	if _, port, err := net.SplitHostPort(r.Host); err == nil {
		return "candor-" + port
	}
	return "candor"
}

// cookie carries a value to the browser; no script can read it there, and no other
// site can have it sent.
func cookie(r *http.Request, value string, until time.Time) *http.Cookie {
	c := &http.Cookie{
		Name: cookieName(r), Value: value, Path: "/", Expires: until,
		HttpOnly: true, Secure: isSecure(r), SameSite: http.SameSiteStrictMode,
	}
	if value == "" {
		c.MaxAge = -1
	}
	return c
}
