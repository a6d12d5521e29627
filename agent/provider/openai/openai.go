package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"candor/agent"
	"candor/agent/provider/retry"
)

// DefaultBaseURL is where OpenAI itself answers.
const DefaultBaseURL = "https://api.openai.com/v1"

// API is which of the protocols is spoken.
type API string

// The protocols. Everybody speaks Chat; Responses has summaries and encrypted
// reasoning, and is spoken by OpenAI and few others.
const (
	Chat      API = "chat"
	Responses API = "responses"
)

// Options say which model to ask, and how. Only Model has to be set.
type Options struct {
	BaseURL   string            // up to and including /v1; DefaultBaseURL if empty
	Key       string            // servers on one's own machine need none
	Model     string            // as the provider names it
	API       API               // Chat if empty
	Effort    string            // of reasoning: low, medium, high or what else the model knows; its default if empty
	Echo      Echo              // whether Chat sends reasoning back; by the provider if zero
	Transport http.RoundTripper // http.DefaultTransport if nil
}

// Provider is one model. It is safe for concurrent use and keeps no state of a
// conversation.
type Provider struct {
	options   Options
	origin    string // marks what may come back to this model
	echo      Echo
	chat      sdk.ChatCompletionService
	responses responses.ResponseService

	bare atomic.Bool // the server refused what not all of them know
}

var _ agent.Provider = (*Provider)(nil)

// New checks the options. It asks nobody.
func New(o Options) (*Provider, error) {
	o.Key = strings.TrimSpace(o.Key)
	if o.BaseURL == "" {
		o.BaseURL = DefaultBaseURL
	}
	if o.API == "" {
		o.API = Chat
	}
	at, err := url.Parse(o.BaseURL)
	switch {
	case err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https":
		return nil, errors.New("openai: the base URL has to be a whole http or https URL") // it may hold a key
	case o.Model == "":
		return nil, errors.New("openai: no model is named")
	case o.API != Chat && o.API != Responses:
		return nil, fmt.Errorf("openai: there is no API %q, only %q and %q", o.API, Chat, Responses)
	}
	options := []option.RequestOption{
		option.WithBaseURL(o.BaseURL),
		option.WithHTTPClient(retry.Client(o.Transport)),
		option.WithMiddleware(retry.Bound),
		option.WithMaxRetries(0), // whoever wraps us decides that
	}
	if o.Key != "" {
		options = append(options, option.WithAPIKey(o.Key))
	}
	p := &Provider{
		options: o,
		origin:  fmt.Sprintf("openai %s %s %s", o.API, at.Host, o.Model),
		echo:    o.Echo,
		// The services, not the client: that one would read the environment.
		chat:      sdk.NewChatCompletionService(options...),
		responses: responses.NewResponseService(options...),
	}
	if p.echo == 0 {
		p.echo = echoOf(at.Hostname(), o.Model)
	}
	return p, nil
}

// Respond implements agent.Provider. What only newer servers and models know,
// usage in streams and summaries, is asked for until it is refused. Reasoning that
// the provider does not take back is left out of that request.
func (p *Provider) Respond(ctx context.Context, req agent.Request) (agent.Response, error) {
	ask := p.complete
	if p.options.API == Responses {
		ask = p.respond
	}
	all := !p.bare.Load()
	resp, err := ask(ctx, req, all)
	if refuses(err, spoiled) {
		req = retry.Forget(req)
		resp, err = ask(ctx, req, all)
	}
	if all && refuses(err, extras) {
		p.bare.Store(true)
		resp, err = ask(ctx, req, false)
	}
	return resp, err
}

// opaque keeps what the provider may want back.
func (p *Provider) opaque(kind string, data []byte) agent.Opaque {
	return agent.Opaque{Provider: p.origin, Kind: kind, Data: data}
}
