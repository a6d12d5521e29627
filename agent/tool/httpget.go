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
	"strings"
	"time"

	"candor/agent"
)

const (
	getBody      = 256 << 10 // bytes kept of an answer
	getRedirects = 5
)

// HTTPGetOptions are what [HTTPGet] can do without.
type HTTPGetOptions struct {
	UserAgent string         // said to servers; Go's own when empty
	Allow     []netip.Prefix // reached although they are not public
}

type getArgs struct {
	URL string `json:"url" jsonschema:"an http or https URL on the public internet"`
}

type getResult struct {
	URL       string `json:"url"` // after redirects
	Status    int    `json:"status"`
	Type      string `json:"type,omitempty"`
	Body      string `json:"body,omitempty"`
	Note      string `json:"note,omitempty"`
	Truncated string `json:"truncated,omitempty"`
}

// HTTPGet returns the tool http_get, which reads a web page or another text. It
// is not part of [Builtin]: it lets a model reach out, and a URL can carry away
// what the model knows.
//
// It refuses every address that is not public, those in Allow aside: private,
// loopback, link-local, multicast, shared, reserved, and IPv6 ranges that stand
// for IPv4 ones. It looks at the address that is being connected to, so neither
// a name, nor a redirect, nor a name that changes its mind gets around it. At
// most five redirects, 20 seconds and 256 KiB of body; no proxy, no cookies, no
// credentials in URLs. What is no text is told by type and size. An error status
// is a result, not an error.
func HTTPGet(o HTTPGetOptions) agent.Tool {
	g := &getter{agent: o.UserAgent, guard: guard{allow: o.Allow}}
	t := New("http_get", "Fetches a text, such as a web page or JSON, from a public http or https URL.", g.get)
	return Timeout(t, limit)
}

type getter struct {
	agent string
	guard guard
}

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
	if g.agent != "" {
		req.Header.Set("User-Agent", g.agent)
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

// client is for one call: nothing is kept, neither connections nor cookies. It
// has no proxy, which would connect to where we do not look.
func (g guard) client() *http.Client {
	return &http.Client{CheckRedirect: checkRedirect, Transport: &http.Transport{
		DialContext:            (&net.Dialer{Timeout: limit, ControlContext: g.control}).DialContext,
		DisableKeepAlives:      true,
		MaxResponseHeaderBytes: 64 << 10,
		TLSHandshakeTimeout:    10 * time.Second,
	}}
}

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

func checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) > getRedirects {
		return fmt.Errorf("the server redirects more than %d times", getRedirects)
	}
	if err := fetchable(req.URL); err != nil {
		return fmt.Errorf("the server redirects to where we do not follow: %w", err)
	}
	return nil
}

// explainGet says what went wrong without the addresses that were tried: they
// would tell how the network here is laid out.
func explainGet(ctx context.Context, err error) error {
	var refused *notPublic
	var unknown *net.DNSError
	var whole *url.Error
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
	case errors.As(err, &whole):
		return whole.Err
	}
	return err
}

// readText turns an answer into a result.
func readText(resp *http.Response) (getResult, error) {
	out := getResult{URL: resp.Request.URL.String(), Status: resp.StatusCode}
	body, err := io.ReadAll(io.LimitReader(resp.Body, getBody+1))
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
	if !textual(media) || binary(body) {
		out.Note = "not text, and left out; " + sizeOf(resp, body)
		return out, nil
	}
	if set := strings.ToLower(params["charset"]); set != "" && set != "utf-8" && set != "us-ascii" {
		out.Note = fmt.Sprintf("its character set is %q; characters that are not UTF-8 were replaced", set)
	}
	if len(body) > getBody {
		body = body[:getBody]
		if at := bytes.LastIndexAny(body, " \t\n"); at > 0 {
			body = body[:at] // no half of a word, which might be half of a credential
		}
		out.Truncated = fmt.Sprintf("only the first %d bytes; %s", len(body), sizeOf(resp, nil))
	}
	out.Body = valid(string(body))
	return out, nil
}

func sizeOf(resp *http.Response, body []byte) string {
	switch {
	case resp.ContentLength >= 0:
		return fmt.Sprintf("it has %d bytes", resp.ContentLength)
	case body != nil && len(body) <= getBody:
		return fmt.Sprintf("it has %d bytes", len(body))
	}
	return "its size is not known"
}

// textual reports whether a media type is one that a model can read.
func textual(media string) bool {
	switch media {
	case "application/json", "application/xml", "application/javascript", "application/x-ndjson",
		"application/yaml", "application/x-yaml", "application/toml", "application/x-sh":
		return true
	}
	return strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "+json") || strings.HasSuffix(media, "+xml")
}
