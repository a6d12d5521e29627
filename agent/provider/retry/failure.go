package retry

import (
	"context"
	"crypto/tls"
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

// Problem is a refusal as a provider worded it. What the provider left out stays
// zero; in the middle of a stream there is no status.
type Problem struct {
	Status  int
	Header  http.Header
	Codes   []string // the error's code and type, whatever the provider calls them
	Message string
}

// Failure tells what kind of failure it is. The key never stands in the text, even
// where the provider repeats it.
func (p Problem) Failure(key string) *agent.ProviderError {
	return &agent.ProviderError{
		Failure:    p.kind(),
		Status:     p.Status,
		RetryAfter: retryAfter(p.Header, time.Now()),
		Err:        errors.New(scrub(p.words(), key)),
	}
}

func (p Problem) words() string {
	said := slices.Compact(slices.DeleteFunc(slices.Clone(p.Codes), blank))
	message, codes := strings.TrimSpace(p.Message), strings.Join(said, ", ")
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
	tooLong = regexp.MustCompile(`(?i)context.length.exceeded|maximum context length|prompt is too long|` +
		`exceeds? the (available |model'?s? |maximum )*context|exceed_context_size|context.window.exceeded|` +
		`input (length|tokens?).{0,60}exceed.{0,40}(context|limit|maximum)|request_too_large`)

	// A busy status that no waiting cures: nothing is left to pay with.
	spent = []string{"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "billing_error"}

	// How providers name, in mid-stream, what an HTTP status says elsewhere.
	lasting = []string{"invalid_request_error", "authentication_error", "permission_error", "not_found_error",
		"invalid_prompt", "invalid_api_key", "model_not_found"}
)

func (p Problem) kind() agent.Failure {
	has := func(list []string) bool {
		return slices.ContainsFunc(p.Codes, func(c string) bool { return slices.Contains(list, c) })
	}
	status := p.Status
	for _, c := range p.Codes { // some send the status as the code
		if n, err := strconv.Atoi(c); err == nil && status == 0 {
			status = n
		}
	}
	switch {
	case status != http.StatusTooManyRequests && tooLong.MatchString(p.words()):
		return agent.TooLong
	case status == http.StatusRequestEntityTooLarge:
		return agent.TooLong
	case has(spent):
		return agent.Permanent
	case status == 0 && has(lasting):
		return agent.Permanent
	case status == 0, status >= http.StatusInternalServerError:
		return agent.Temporary
	case slices.Contains([]int{http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly,
		http.StatusTooManyRequests}, status):
		return agent.Temporary
	}
	return agent.Permanent
}

// Explain classifies an error of a wire.Client or of the stream it read. A refusal is
// classified by what the provider said. A failed connection or stream may pass,
// unless the server's certificate is bad, it redirects to another address, or its
// answer is larger than the bound. Once ctx has ended, the error wraps ctx's instead.
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
	_, badCertificate := errors.AsType[*tls.CertificateVerificationError](err)
	if badCertificate || isStatus || errors.Is(err, wire.ErrTooLarge) {
		failure = agent.Permanent
	}
	return &agent.ProviderError{Failure: failure, Err: errors.New(scrub(err.Error(), key))}
}

// retryAfter reads how long a provider asks to wait: milliseconds, seconds or a
// date. What cannot be read, or has passed, is no wait.
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

func duration(n float64, unit time.Duration) time.Duration {
	if math.IsNaN(n) || n < 0 {
		return 0
	}
	return time.Duration(min(n*float64(unit), float64(math.MaxInt64/2)))
}
