package anthropic

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"

	"candor/agent"
	"candor/agent/provider/retry"
	"candor/agent/provider/wire"
	"candor/agent/provider/wire/messages"
)

const (
	// DefaultBaseURL is the address of Anthropic's own API.
	DefaultBaseURL = "https://api.anthropic.com"
	// DefaultMaxTokens bounds one answer, including its thinking.
	DefaultMaxTokens = 16000
	// MinBudget is the smallest budget for thinking, in tokens.
	MinBudget = 1024
)

// Thinking says how a model thinks before it answers.
type Thinking string

// The ways of thinking. Auto is Adaptive with models that know it, which most that
// are offered do, and Off with others.
const (
	Auto     Thinking = ""
	Off      Thinking = "off"
	Adaptive Thinking = "adaptive" // the model decides how much
	Budget   Thinking = "budget"   // up to Options.Budget; for models older than Adaptive
)

// Options select a model and how it is asked. Only Model is required.
type Options struct {
	BaseURL   string // without /v1; DefaultBaseURL if empty
	Key       string
	Model     string // as the provider names it
	MaxTokens int    // of one answer; DefaultMaxTokens if zero
	Thinking  Thinking
	Budget    int               // for Thinking Budget, in tokens: at least MinBudget and less than MaxTokens
	Effort    string            // low, medium, high or what else the model knows; its default if empty
	Transport http.RoundTripper // http.DefaultTransport if nil
}

// Provider is one model. It is safe for concurrent use and keeps no state of a
// conversation.
type Provider struct {
	options Options
	origin  string // marks the thinking that may return to this model
	client  *wire.Client

	noSummaries atomic.Bool // the model refused to sum up its thinking
	noThinking  atomic.Bool // under Auto, the model refused to think
}

var _ agent.Provider = (*Provider)(nil)

// New checks the options and returns the provider. It sends no request.
func New(o Options) (*Provider, error) {
	o.Key = strings.TrimSpace(o.Key)
	if o.BaseURL == "" {
		o.BaseURL = DefaultBaseURL
	}
	if o.MaxTokens == 0 {
		o.MaxTokens = DefaultMaxTokens
	}
	base, err := url.Parse(o.BaseURL)
	switch {
	case err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https":
		return nil, errors.New("anthropic: the base URL has to be a whole http or https URL") // it may hold a key
	case o.Model == "":
		return nil, errors.New("anthropic: no model is named")
	}
	if err := o.checkThinking(); err != nil {
		return nil, err
	}
	header := http.Header{"Anthropic-Version": {messages.Version}}
	if o.Key != "" {
		header.Set("X-Api-Key", o.Key)
	}
	return &Provider{
		options: o,
		origin:  fmt.Sprintf("anthropic %s %s", base.Host, o.Model),
		client:  wire.NewClient(base, header, o.Transport),
	}, nil
}

// checkThinking reports a way of thinking that does not exist, or a budget that does
// not fit into an answer.
func (o Options) checkThinking() error {
	switch o.Thinking {
	case Auto, Off, Adaptive:
		return nil
	case Budget:
		if o.Budget < MinBudget || o.Budget >= o.MaxTokens {
			return fmt.Errorf("anthropic: a budget for thinking has to be from %d to below the %d tokens of an answer",
				MinBudget, o.MaxTokens)
		}
		return nil
	}
	return fmt.Errorf("anthropic: thinking can be %q, %q or %q, not %q", Off, Adaptive, Budget, o.Thinking)
}

// Respond implements agent.Provider. A model that refuses to sum up its thinking is no
// longer asked to, and under Auto one that refuses to think is asked without. Where
// the API refuses thinking that it should get back, the request is repeated once
// without any.
func (p *Provider) Respond(ctx context.Context, req agent.Request) (agent.Response, error) {
	for forgot := false; ; {
		display, think := !p.noSummaries.Load(), !p.noThinking.Load()
		resp, err := p.ask(ctx, req, think, display)
		switch {
		case !forgot && refusedFor(err, spoiledThinking):
			req, forgot = retry.Forget(req), true
		case display && think && refusedFor(err, unknownDisplay):
			p.noSummaries.Store(true)
		case think && p.options.Thinking == Auto && refusedFor(err, unknownThinking):
			p.noThinking.Store(true)
		default:
			return resp, err
		}
	}
}

// How the API words the refusal of summaries, of thinking, and of thinking that was
// changed or that another model made.
var (
	unknownDisplay  = regexp.MustCompile(`(?i)thinking\S*\.display`)
	unknownThinking = regexp.MustCompile(
		`(?i)adaptive|thinking\.type|thinking.{0,40}not (supported|permitted)|support.{0,20}thinking`)
	spoiledThinking = regexp.MustCompile(
		"(?i)invalid .{0,3}signature|thinking.{0,40}cannot be modified|invalid .{0,3}data.{0,3} in .{0,3}redacted")
)

// refusedFor reports whether the API refused a request as malformed, in words that
// match the pattern.
func refusedFor(err error, pattern *regexp.Regexp) bool {
	refused, ok := errors.AsType[*agent.ProviderError](err)
	return ok && refused.Status == http.StatusBadRequest && refused.Failure == agent.Permanent &&
		pattern.MatchString(refused.Err.Error())
}

// errCutOff is the error for a stream that ends before the answer does.
var errCutOff = errors.New("the model's answer broke off")

// ask sends one request. think and display say whether thinking and its summary may be
// requested.
func (p *Provider) ask(ctx context.Context, req agent.Request, think, display bool) (agent.Response, error) {
	out, err := p.request(req, think, display)
	if err != nil {
		return agent.Response{}, err
	}
	// Unlike wire.Encode this escapes what protects HTML, as requests to this API always
	// have; the values are the same.
	body, err := json.Marshal(out)
	if err != nil {
		return agent.Response{}, err
	}
	var a answer
	for event, err := range p.client.Stream(ctx, messages.Path, body) {
		if err != nil {
			return agent.Response{}, p.failed(ctx, err)
		}
		if event.Name == "ping" || event.Done() || len(event.Data) == len("\n") {
			continue
		}
		decoded, err := messages.Decode(event.Data)
		decoded.Type = cmp.Or(decoded.Type, wire.Text(event.Name)) // some servers name events in one place only
		failed := event.Name == "error" || decoded.Type == "error" || wire.Present(decoded.Error)
		switch {
		case err == nil && event.Whole && (failed || decoded.Type == "" && decoded.Content == nil):
			return agent.Response{}, retry.Refuse(event.Data, p.options.Key)
		case failed:
			return agent.Response{}, p.failedInStream(ctx, event.Data)
		case err != nil:
			return agent.Response{}, p.failed(ctx, err)
		}
		req.Say(a.add(decoded))
	}
	if !a.ended {
		return agent.Response{}, p.failed(ctx, errCutOff)
	}
	summarized := out.Thinking != nil && out.Thinking.Display != ""
	return p.response(a, summarized), nil
}

// failed classifies a failed request or stream and removes the key from its text.
func (p *Provider) failed(ctx context.Context, err error) error {
	return retry.Explain(ctx, err, p.options.Key)
}

// failedInStream classifies the error that the API sent as an event.
func (p *Provider) failedInStream(ctx context.Context, data []byte) error {
	if ctx.Err() != nil {
		return retry.Explain(ctx, ctx.Err(), p.options.Key)
	}
	return retry.Read(0, nil, data).Failure(p.options.Key)
}
