package access

import (
	"net"
	"net/http"
	"time"
)

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
