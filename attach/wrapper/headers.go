package wrapper

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// Over HTTP the newer revisions want in headers what stands in a request: its version, its method, the name of what it
// is about, and those arguments that a tool's schema says. A client that speaks standard input and output sends none,
// so the wrapper does.

// versionMeta has the version of the protocol in each request of the newer revisions.
const versionMeta = "io.modelcontextprotocol/protocolVersion"

// namedBy are the parameters that requests are named by.
var namedBy = map[string]string{
	"tools/call": "name", "prompts/get": "name", "resources/read": "uri",
	"tasks/get": "taskId", "tasks/update": "taskId", "tasks/cancel": "taskId",
}

// versionIn returns the version of the protocol that a message names, which is empty for those of older revisions.
func versionIn(message []byte) (version string, method, params span) {
	m, _ := find(message, 0, "method", "params")
	if v := metaOf(message, m["params"], versionMeta); v.found() {
		version = decoded(v.of(message))
	}
	return version, m["method"], m["params"]
}

// headersFor returns the headers for a message of a newer revision, and none for others.
func (c *Conn) headersFor(message []byte) http.Header {
	version, named, params := versionIn(message)
	if version == "" || !named.found() {
		return nil
	}
	method := decoded(named.of(message))
	all := http.Header{}
	all.Set("Mcp-Protocol-Version", headerValue(version))
	all.Set("Mcp-Method", headerValue(method))
	if key := namedBy[method]; key != "" {
		parts, _ := find(message, params.from, key, "arguments")
		if v := parts[key]; v.found() && message[v.from] == '"' {
			name := decoded(v.of(message))
			all.Set("Mcp-Name", headerValue(name))
			for _, h := range c.paramHeaders(name) {
				if text, ok := h.in(message, parts["arguments"]); ok {
					all.Set("Mcp-Param-"+h.name, headerValue(text))
				}
			}
		}
	}
	return all
}

// headerValue returns a text as a header may have it.
func headerValue(text string) string {
	plain := text != "" && text == strings.TrimSpace(text) &&
		!(strings.HasPrefix(text, "=?base64?") && strings.HasSuffix(text, "?="))
	for _, b := range []byte(text) {
		plain = plain && (b == '\t' || b >= ' ' && b <= '~')
	}
	if plain {
		return text
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(text)) + "?="
}

// paramHeader is an argument of a tool that goes into a header, too.
type paramHeader struct {
	name string
	path []string // of the members that lead to it
}

// The bounds of a tool's headers.
const (
	maxHeaders    = 32
	maxHeaderPath = 8
)

// headerName is what names of headers look like.
var headerName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$")

// headersIn returns the headers that the schema at s asks for.
func headersIn(raw []byte, s span, path []string) (all []paramHeader) {
	if !s.found() || len(path) > maxHeaderPath {
		return nil
	}
	parts, _ := find(raw, s.from, "x-mcp-header", "properties")
	if h := parts["x-mcp-header"]; h.found() && headerName.MatchString(decoded(h.of(raw))) && len(path) > 0 {
		all = append(all, paramHeader{decoded(h.of(raw)), append([]string(nil), path...)})
	}
	if p := parts["properties"]; p.found() {
		walk(raw, p.from, func(m member) bool {
			all = append(all, headersIn(raw, m.span, append(path, m.key))...)
			return len(all) < maxHeaders
		})
	}
	return all[:min(len(all), maxHeaders)]
}

// paramHeaders returns the headers that a tool asks for, as far as it was listed.
func (c *Conn) paramHeaders(tool string) []paramHeader {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tools.known[tool].headers
}

// in returns the value of the header in arguments; ok is false if it has none.
func (h paramHeader) in(raw []byte, args span) (text string, ok bool) {
	for _, key := range h.path {
		if !args.found() {
			return "", false
		}
		parts, _ := find(raw, args.from, key)
		args = parts[key]
	}
	if !args.found() {
		return "", false
	}
	switch value := args.of(raw); value[0] {
	case '"':
		return decoded(value), true
	case 't', 'f':
		return string(value), true
	case 'n', '{', '[':
		return "", false
	default:
		n, err := strconv.ParseFloat(string(value), 64)
		if err != nil || math.Trunc(n) == n && math.Abs(n) >= 1<<53 {
			return "", false
		}
		text, err := json.Marshal(n) // as JavaScript writes numbers
		return string(text), err == nil
	}
}

// flight returns a context for a request, which cancelled ends. Older revisions cancel by a notification.
func (r *Remote) flight(ctx context.Context, message []byte, left pending) (context.Context, func()) {
	if version, _, _ := versionIn(message); version == "" || len(left) != 1 {
		return ctx, func() {}
	}
	ctx, stop := context.WithCancel(ctx)
	key := requestKey(left[0])
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.flying == nil {
		r.flying = map[string]*context.CancelFunc{}
	}
	r.flying[key] = &stop
	return ctx, func() {
		stop()
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.flying[key] == &stop {
			delete(r.flying, key)
		}
	}
}

// cancelled ends the request that a notification names, which is how the newer revisions cancel over HTTP. It returns
// false if there is no such request, of a newer revision.
func (r *Remote) cancelled(notification []byte) bool {
	m, _ := find(notification, 0, "params")
	if !m["params"].found() {
		return false
	}
	p, _ := find(notification, m["params"].from, "requestId")
	if !p["requestId"].found() {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	stop := r.flying[requestKey(p["requestId"].of(notification))]
	if stop != nil {
		(*stop)()
	}
	return stop != nil
}
