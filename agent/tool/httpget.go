package tool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"candor/agent"
)

const (
	maxBody      = 256 << 10 // bytes of a response body that are returned
	maxRedirects = 5
)

// HTTPGetOptions are the options of [HTTPGet]. The zero value is valid.
type HTTPGetOptions struct {
	UserAgent string         // empty means Go's default
	Allow     []netip.Prefix // addresses that may be reached although they are not public
}

// getArgs are the arguments of http_get.
type getArgs struct {
	URL string `json:"url" jsonschema:"an http or https URL on the public internet"`
}

// getResult is the result of http_get. Either Body has the text, or Note says why there is
// none.
type getResult struct {
	URL       string `json:"url"` // after redirects
	Status    int    `json:"status"`
	Type      string `json:"type,omitempty"` // media type without parameters
	Body      string `json:"body,omitempty"`
	Note      string `json:"note,omitempty"`
	Truncated string `json:"truncated,omitempty"` // set if Body is not complete
}

// HTTPGet returns the tool http_get, which fetches a web page or another text. It is not
// part of [Builtin]: a URL can carry away what the model knows.
//
// It refuses every address that is neither public nor in Allow: private, loopback,
// link-local, multicast, shared and reserved ones, and IPv6 ranges that embed IPv4
// addresses. The check applies to the address of each connection, so it cannot be
// circumvented by a host name, a redirect or changing DNS answers.
//
// It follows at most five redirects, takes at most 20 seconds and returns at most 256 KiB
// of the body. It uses no proxy, no cookies and no credentials in URLs. Of content that is
// not text it returns the type and size. An HTTP error status is a result, not an error.
func HTTPGet(o HTTPGetOptions) agent.Tool {
	g := &getter{userAgent: o.UserAgent, guard: guard{allow: o.Allow}}
	t := New("http_get", "Fetches a text, such as a web page or JSON, from a public http or https URL.", g.get)
	return WithTimeout(overHTTP{t}, builtinTimeout)
}

// overHTTP is a tool whose calls are requests to a server.
type overHTTP struct{ agent.Tool }

// Spec implements agent.Tool.
func (o overHTTP) Spec() agent.Spec {
	s := o.Tool.Spec()
	s.HTTP = true
	return s
}

// getter runs http_get. It is safe for concurrent use and keeps no state between calls.
type getter struct {
	userAgent string
	guard     guard
}

// get fetches one URL. Redirects are followed, and each connection passes the guard.
func (g *getter) get(ctx context.Context, in getArgs) (getResult, error) {
	u, err := url.Parse(strings.TrimSpace(in.URL))
	if err != nil {
		return getResult{}, errors.New("this is no URL that can be read")
	}
	if err := fetchable(u); err != nil {
		return getResult{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return getResult{}, errors.New("this is no URL that can be fetched")
	}
	if g.userAgent != "" {
		req.Header.Set("User-Agent", g.userAgent)
	}
	resp, err := g.guard.client().Do(req)
	if err != nil {
		return getResult{}, explainGet(ctx, err)
	}
	defer resp.Body.Close()
	out, err := readText(resp)
	if err != nil {
		return getResult{}, explainGet(ctx, err)
	}
	return out, nil
}

// client returns a client for one call, which keeps neither connections nor cookies. It
// uses no proxy, because a proxy would make the connections that the guard has to check.
func (g guard) client() *http.Client {
	return &http.Client{CheckRedirect: checkRedirect, Transport: &http.Transport{
		DialContext:            (&net.Dialer{Timeout: builtinTimeout, ControlContext: g.control}).DialContext,
		DisableKeepAlives:      true,
		MaxResponseHeaderBytes: 64 << 10,
		TLSHandshakeTimeout:    10 * time.Second,
	}}
}

// fetchable returns an error for a URL that must not be fetched, no matter what its
// host resolves to.
func fetchable(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return errors.New("only http and https URLs can be fetched")
	case u.Hostname() == "":
		return errors.New("the URL names no host")
	case u.User != nil:
		return errors.New("a URL with credentials in it is not fetched")
	}
	return nil
}

// checkRedirect implements http.Client.CheckRedirect.
func checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return fmt.Errorf("the server redirects more than %d times", maxRedirects)
	}
	if err := fetchable(req.URL); err != nil {
		return fmt.Errorf("the server redirects to where we do not follow: %w", err)
	}
	return nil
}

// explainGet reduces a client's error to its cause. It leaves out the addresses that were
// tried, which would reveal the layout of the local network.
func explainGet(ctx context.Context, err error) error {
	var refused *notPublic
	var unknown *net.DNSError
	var request *url.Error
	var network *net.OpError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &refused):
		return refused
	case errors.As(err, &unknown):
		return errors.New("the host's name could not be resolved")
	case errors.As(err, &network):
		return fmt.Errorf("the server could not be reached: %w", network.Err)
	case errors.As(err, &request):
		return request.Err
	}
	return err
}

// readText returns a response as the tool's result.
func readText(resp *http.Response) (getResult, error) {
	out := getResult{URL: resp.Request.URL.String(), Status: resp.StatusCode}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	// What was read before a connection broke is still worth showing.
	if err != nil && len(body) == 0 {
		return getResult{}, err
	}
	kind := resp.Header.Get("Content-Type")
	if kind == "" {
		kind = http.DetectContentType(body)
	}
	media, params, err := mime.ParseMediaType(kind)
	if err != nil {
		media = "application/octet-stream"
	}
	out.Type = media
	// A server may label binary content as text, so the content decides, too.
	if !textual(media) || binary(body) {
		out.Note = "not text, and left out; " + sizeOf(resp, body)
		return out, nil
	}
	if set := strings.ToLower(params["charset"]); set != "" && set != "utf-8" && set != "us-ascii" {
		out.Note = fmt.Sprintf("its character set is %q; characters that are not UTF-8 were replaced", set)
	}
	if len(body) > maxBody {
		body = body[:maxBody]
		if at := bytes.LastIndexAny(body, " \t\n"); at > 0 {
			body = body[:at] // half a word might be half a credential
		}
		out.Truncated = fmt.Sprintf("only the first %d bytes; %s", len(body), sizeOf(resp, nil))
	}
	out.Body = valid(string(body))
	return out, nil
}

// sizeOf describes the size of a response. body may be nil if it was not read completely.
func sizeOf(resp *http.Response, body []byte) string {
	switch {
	case resp.ContentLength >= 0:
		return fmt.Sprintf("it has %d bytes", resp.ContentLength)
	case body != nil && len(body) <= maxBody:
		return fmt.Sprintf("it has %d bytes", len(body))
	}
	return "its size is not known"
}

// textual reports whether content of a media type is text.
func textual(media string) bool {
	switch media {
	case "application/json", "application/xml", "application/javascript", "application/x-ndjson",
		"application/yaml", "application/x-yaml", "application/toml", "application/x-sh":
		return true
	}
	return strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "+json") || strings.HasSuffix(media, "+xml")
}

// notPublic is the error for a refused address. It does not contain the address, which
// may reveal the layout of the local network.
type notPublic struct{}

func (*notPublic) Error() string {
	return "the host is not on the public internet, and other addresses are refused"
}

// guard refuses connections to addresses that are not public. It checks the address of
// each connection after names are resolved, so DNS answers cannot circumvent it.
type guard struct{ allow []netip.Prefix }

// control implements net.Dialer.ControlContext.
func (g guard) control(_ context.Context, network, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || network != "tcp4" && network != "tcp6" {
		return &notPublic{}
	}
	ip := to.Addr()
	if !public(ip) && !slices.ContainsFunc(g.allow, func(p netip.Prefix) bool { return p.Contains(ip) }) {
		return &notPublic{}
	}
	return nil
}

// global is the only block of IPv6 that is assigned to the internet. It excludes loopback,
// unique local, link-local, multicast, IPv4-mapped and NAT64 addresses.
var global = netip.MustParsePrefix("2000::/3")

// special are the blocks that contain no public hosts, from IANA's registries of
// special-purpose addresses.
var special = prefixes(
	"0.0.0.0/8",       // this network
	"10.0.0.0/8",      // private
	"100.64.0.0/10",   // shared, behind carriers' NAT
	"127.0.0.0/8",     // loopback
	"169.254.0.0/16",  // link-local, where clouds keep their metadata
	"172.16.0.0/12",   // private
	"192.0.0.0/24",    // protocol assignments
	"192.0.2.0/24",    // documentation
	"192.88.99.0/24",  // 6to4 relays
	"192.168.0.0/16",  // private
	"198.18.0.0/15",   // benchmarks
	"198.51.100.0/24", // documentation
	"203.0.113.0/24",  // documentation
	"224.0.0.0/4",     // multicast
	"240.0.0.0/4",     // reserved, and broadcast
	"2001::/23",       // protocol assignments, Teredo among them
	"2001:db8::/32",   // documentation
	"2002::/16",       // 6to4, which embeds an IPv4 address
	"3fff::/20",       // documentation
)

func prefixes(all ...string) (out []netip.Prefix) {
	for _, p := range all {
		out = append(out, netip.MustParsePrefix(p))
	}
	return out
}

// public reports whether an address belongs to a host on the public internet.
func public(ip netip.Addr) bool {
	if ip.Zone() != "" || !ip.Is4() && !global.Contains(ip) {
		return false
	}
	return !slices.ContainsFunc(special, func(p netip.Prefix) bool { return p.Contains(ip) })
}
