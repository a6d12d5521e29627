package anthropic

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"go.opentelemetry.io/otel/trace/noop"

	"candor/agent"
	"candor/agent/provider/retry"
)

const (
	// DefaultBaseURL is where Anthropic itself answers.
	DefaultBaseURL = "https://api.anthropic.com"
	// DefaultMaxTokens bounds one answer, its thinking included.
	DefaultMaxTokens = 16000
	// MinBudget is the least that may be given to thinking, in tokens.
	MinBudget = 1024
)

// Thinking is how a model is told to think before it speaks.
type Thinking string

// The ways of thinking. Auto is Adaptive with models that know it, which most that
// are offered do, and Off with others.
const (
	Auto     Thinking = ""
	Off      Thinking = "off"
	Adaptive Thinking = "adaptive" // the model decides how much
	Budget   Thinking = "budget"   // up to Options.Budget; for models before Adaptive
)

// Options say which model to ask, and how. Only Model has to be set.
type Options struct {
	BaseURL   string // without /v1; DefaultBaseURL if empty
	Key       string
	Model     string // as the provider names it
	MaxTokens int    // of one answer; DefaultMaxTokens if zero
	Thinking  Thinking
	Budget    int               // of Thinking Budget, in tokens: from MinBudget to below MaxTokens
	Effort    string            // low, medium, high or what else the model knows; its default if empty
	Transport http.RoundTripper // http.DefaultTransport if nil
}

// Provider is one model. It is safe for concurrent use and keeps no state of a
// conversation.
type Provider struct {
	options  Options
	origin   string // marks what may come back to this model
	messages sdk.MessageService

	undisplayed atomic.Bool // the model does not know of summaries
	unthinking  atomic.Bool // Auto found that the model does not think
}

var _ agent.Provider = (*Provider)(nil)

// New checks the options. It asks nobody.
func New(o Options) (*Provider, error) {
	o.Key = strings.TrimSpace(o.Key)
	if o.BaseURL == "" {
		o.BaseURL = DefaultBaseURL
	}
	if o.MaxTokens == 0 {
		o.MaxTokens = DefaultMaxTokens
	}
	at, err := url.Parse(o.BaseURL)
	switch {
	case err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https":
		return nil, errors.New("anthropic: the base URL has to be a whole http or https URL") // it may hold a key
	case o.Model == "":
		return nil, errors.New("anthropic: no model is named")
	case o.Thinking == Budget && (o.Budget < MinBudget || o.Budget >= o.MaxTokens):
		return nil, fmt.Errorf("anthropic: a budget for thinking has to be from %d to below the %d tokens of an answer",
			MinBudget, o.MaxTokens)
	case o.Thinking != Auto && o.Thinking != Off && o.Thinking != Adaptive && o.Thinking != Budget:
		return nil, fmt.Errorf("anthropic: thinking can be %q, %q or %q, not %q", Off, Adaptive, Budget, o.Thinking)
	}
	options := []option.RequestOption{
		option.WithBaseURL(o.BaseURL),
		option.WithHTTPClient(retry.Client(o.Transport)),
		option.WithMiddleware(retry.Bound),
		option.WithMaxRetries(0), // whoever wraps us decides that
		// The SDK can put conversations into traces. Raw text goes nowhere.
		option.WithTracerProvider(noop.NewTracerProvider()),
	}
	if o.Key != "" {
		options = append(options, option.WithAPIKey(o.Key))
	}
	return &Provider{
		options: o,
		origin:  fmt.Sprintf("anthropic %s %s", at.Host, o.Model),
		// The service, not the client: that one would read the environment.
		messages: sdk.NewMessageService(options...),
	}, nil
}

// Respond implements agent.Provider. A model that refuses to be asked for summaries
// of its thinking, or under Auto for any, is asked without from then on. Thinking
// that the API does not take back is left out of that request.
func (p *Provider) Respond(ctx context.Context, req agent.Request) (agent.Response, error) {
	for forgot := false; ; {
		display, think := !p.undisplayed.Load(), !p.unthinking.Load()
		resp, err := p.ask(ctx, req, think, display)
		switch {
		case !forgot && refuses(err, spoiledWords):
			req, forgot = retry.Forget(req), true
		case display && think && refuses(err, displayWords):
			p.undisplayed.Store(true)
		case think && p.options.Thinking == Auto && refuses(err, thinkingWords):
			p.unthinking.Store(true)
		default:
			return resp, err
		}
	}
}

var (
	displayWords  = regexp.MustCompile(`(?i)thinking\S*\.display`)
	thinkingWords = regexp.MustCompile(`(?i)adaptive|thinking\.type|thinking.{0,40}not (supported|permitted)|support.{0,20}thinking`)
	spoiledWords  = regexp.MustCompile("(?i)invalid .{0,3}signature|thinking.{0,40}cannot be modified|invalid .{0,3}data.{0,3} in .{0,3}redacted")
)

func refuses(err error, what *regexp.Regexp) bool {
	refused, ok := errors.AsType[*agent.ProviderError](err)
	return ok && refused.Status == http.StatusBadRequest && refused.Failure == agent.Permanent &&
		what.MatchString(refused.Err.Error())
}

// ask asks once.
func (p *Provider) ask(ctx context.Context, req agent.Request, think, display bool) (agent.Response, error) {
	params, err := p.params(req, think, display)
	if err != nil {
		return agent.Response{}, err
	}
	stream := p.messages.NewStreaming(ctx, params)
	defer stream.Close()
	m := message{}
	for stream.Next() {
		m.add(stream.Current())
	}
	if err := stream.Err(); err != nil {
		return agent.Response{}, p.failed(ctx, err)
	}
	if !m.ended {
		return agent.Response{}, p.failed(ctx, errCutOff)
	}
	summarized := params.Thinking.GetDisplay() != nil
	return p.response(m, summarized), nil
}

var errCutOff = errors.New("the model's answer broke off")

// failed tells a failure apart, and leaves the key out of it.
func (p *Provider) failed(ctx context.Context, err error) error {
	if broke, ok := errors.AsType[*sdk.Error](err); ok && ctx.Err() == nil {
		return retry.Read(0, nil, []byte(broke.RawJSON())).Failure(p.options.Key)
	}
	return retry.Explain(ctx, err, p.options.Key)
}
