package otlp

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// ParseURL reads the address of a collector, to which requests append v1/traces and v1/logs. Its
// errors do not repeat the address, which may have a password.
func ParseURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return nil, errors.New("this is no URL; it looks like http://127.0.0.1:4318")
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return nil, errors.New("the URL has to begin with http:// or https:// and to name a host, " +
			"as http://127.0.0.1:4318 does")
	case u.User != nil:
		return nil, errors.New("the URL has a password, which other users can read: put it into a header")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the URL has a query or a fragment, to which no path can be appended")
	}
	return u, nil
}

// ParseHeader reads a list of headers such as authorization=Bearer%20TOKEN,x-tenant=1, as
// OpenTelemetry writes it. It also returns their values, which are secrets. Its errors repeat
// nothing of the list.
func ParseHeader(list string) (h http.Header, values []string, err error) {
	h = http.Header{}
	n := 0
	for entry := range strings.SplitSeq(list, ",") {
		if n++; strings.TrimSpace(entry) == "" {
			continue
		}
		name, value, found := strings.Cut(entry, "=")
		name = strings.TrimSpace(name)
		value, failed := url.PathUnescape(strings.TrimSpace(value))
		if !found || failed != nil || !isToken(name) || strings.ContainsFunc(value, isControl) {
			return nil, nil, fmt.Errorf("entry %d is not NAME=VALUE, with %%2C for a comma in a value", n)
		}
		h.Add(name, value)
		values = append(values, value)
	}
	return h, values, nil
}

// isToken reports whether a text can be the name of a header.
func isToken(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }
