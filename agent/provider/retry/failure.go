package retry

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"candor/agent"
	"candor/agent/provider/wire"
)

// Failure classifies the problem. The text of the error is the provider's message with
// its codes, without the key and at most 2000 bytes long.
func (p Problem) Failure(key string) *agent.ProviderError {
	return &agent.ProviderError{
		Failure:    p.classify(),
		Status:     p.Status,
		RetryAfter: retryAfter(p.Header, time.Now()),
		Err:        errors.New(scrub(p.text(), key)),
	}
}

// text is the message followed by the codes, or the best there is instead.
func (p Problem) text() string {
	codes := strings.Join(slices.Compact(slices.DeleteFunc(slices.Clone(p.Codes), blank)), ", ")
	message := strings.TrimSpace(p.Message)
	switch {
	case message != "" && codes != "":
		return message + " (" + codes + ")"
	case message != "" || codes != "":
		return message + codes
	case http.StatusText(p.Status) != "":
		return http.StatusText(p.Status)
	}
	return "the provider gave no reason"
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

var (
	// tooLong matches how servers word a conversation that does not fit the model.
	// They agree neither on a code nor on a status.
	tooLong = regexp.MustCompile(`(?i)context.length.exceeded|maximum context length|prompt is too long|` +
		`exceeds? the (available |model'?s? |maximum )*context|exceed_context_size|context.window.exceeded|` +
		`input (length|tokens?).{0,60}exceed.{0,40}(context|limit|maximum)|request_too_large`)

	// unpaid are the codes of a 429 that retrying does not fix, because the account has no
	// credit.
	unpaid = []string{"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "billing_error"}

	// permanentCodes are the codes of permanent failures in the middle of a stream, where
	// there is no HTTP status.
	permanentCodes = []string{"invalid_request_error", "authentication_error", "permission_error", "not_found_error",
		"invalid_prompt", "invalid_api_key", "model_not_found"}

	// temporaryStatuses are the client errors that may pass.
	temporaryStatuses = []int{http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly,
		http.StatusTooManyRequests}
)

// classify decides by the words for conversations that are too long, else by the
// codes, else by the status. A 429 is never too long: its message is about tokens per
// minute.
func (p Problem) classify() agent.Failure {
	status := p.status()
	switch {
	case status != http.StatusTooManyRequests && tooLong.MatchString(p.text()):
		return agent.TooLong
	case status == http.StatusRequestEntityTooLarge:
		return agent.TooLong
	case p.hasCode(unpaid):
		return agent.Permanent
	case status == 0 && p.hasCode(permanentCodes):
		return agent.Permanent
	case status == 0, status >= http.StatusInternalServerError:
		return agent.Temporary
	case slices.Contains(temporaryStatuses, status):
		return agent.Temporary
	}
	return agent.Permanent
}

// status is the HTTP status, or the code that looks like one where there is none: some
// servers send the status of an error in a stream as its code.
func (p Problem) status() int {
	if p.Status != 0 {
		return p.Status
	}
	for _, c := range p.Codes {
		if n, err := strconv.Atoi(c); err == nil {
			return n
		}
	}
	return 0
}

func (p Problem) hasCode(codes []string) bool {
	return slices.ContainsFunc(p.Codes, func(c string) bool { return slices.Contains(codes, c) })
}

// Explain classifies an error of a wire.Client or of the stream it read. A refusal is
// classified by what the provider said. A failed connection or stream may pass,
// unless the server's certificate is bad, it redirects to another address, its answer
// is larger than the bound, or it sent something else than an answer. Once ctx has ended, the error
// wraps ctx's instead.
// The key is removed from all texts.
func Explain(ctx context.Context, err error, key string) error {
	if ended := ctx.Err(); ended != nil {
		return fmt.Errorf("asking the model: %w", ended)
	}
	refused, isStatus := errors.AsType[*wire.StatusError](err)
	if isStatus && !refused.Redirect() {
		return Read(refused.Status, refused.Header, refused.Body).Failure(key)
	}
	failure := agent.Temporary
	if _, isOther := errors.AsType[*wire.NoAnswerError](err); isOther {
		failure = agent.Permanent
	}
	_, badCertificate := errors.AsType[*tls.CertificateVerificationError](err)
	if badCertificate || isStatus || errors.Is(err, wire.ErrTooLarge) {
		failure = agent.Permanent
	}
	return &agent.ProviderError{Failure: failure, Err: errors.New(scrub(err.Error(), key))}
}

// Refuse returns the failure of a whole body that came with a status of success in the place of an answer. The
// provider had its say: the same request is not paid for again, unless a shorter one may help.
func Refuse(body []byte, key string) *agent.ProviderError {
	p := Read(0, nil, body)
	if p.Message == "" {
		p.Message = string(body)
	}
	failed := p.Failure(key)
	if failed.Failure == agent.Temporary {
		failed.Failure = agent.Permanent
	}
	return failed
}

// retryAfter reads how long a provider asks to wait: milliseconds in a header of its
// own, or seconds or a date in the standard one. A value that makes no sense, or a
// date in the past, is no wait.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return duration(ms, time.Millisecond)
	}
	value := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil {
		return duration(s, time.Second)
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// duration is n units, but never negative and never an overflow.
func duration(n float64, unit time.Duration) time.Duration {
	if math.IsNaN(n) || n < 0 {
		return 0
	}
	return time.Duration(min(n*float64(unit), float64(math.MaxInt64/2)))
}

// Problem is a failure in the provider's own words. Members that the provider left out
// are zero; an error in the middle of a stream has no status.
type Problem struct {
	Status  int
	Header  http.Header
	Codes   []string // the error's code and type, whatever the provider calls them
	Message string
}

// errorBody is the JSON that providers send with a failure. Some have these members
// in an object called error, some at the top.
type errorBody struct {
	Message string
	Msg     string
	Detail  any // of servers made with FastAPI
	Code    any // a word or an HTTP status
	Type    string
}

// Read understands the body of a failed request, or the data of an error event, where
// status is 0 and h nil. It knows the shapes of OpenAI, Anthropic and the servers that
// follow them, with an object or a string as the error, and plain text. HTML, the
// error page of some proxy, says nothing and is only named as that.
func Read(status int, h http.Header, body []byte) Problem {
	p := Problem{Status: status, Header: h}
	var outer struct {
		Error json.RawMessage
		errorBody
	}
	if json.Unmarshal(body, &outer) != nil {
		p.Message = string(body)
		if strings.Contains(strings.ToLower(h.Get("Content-Type")), "html") || strings.HasPrefix(p.Message, "<") {
			p.Message = strings.TrimSpace(http.StatusText(status) + " (a web page)")
		}
		return p
	}
	inner := outer.errorBody
	if len(outer.Error) > 0 && string(outer.Error) != "null" {
		inner = errorBody{}
		if json.Unmarshal(outer.Error, &inner.Message) != nil {
			_ = json.Unmarshal(outer.Error, &inner)
		}
	}
	p.Message = cmp.Or(inner.Message, inner.Msg)
	if p.Message == "" && inner.Detail != nil {
		p.Message = jsonText(inner.Detail)
	}
	p.Codes = []string{jsonText(inner.Code), inner.Type}
	return p
}

// jsonText returns a string as it is, nothing for nil, and any other value as JSON.
func jsonText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	raw, _ := json.Marshal(v) // it was decoded from JSON
	return string(raw)
}
