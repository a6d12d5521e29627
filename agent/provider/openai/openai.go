package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"candor/agent"
	"candor/agent/provider/retry"
	"candor/agent/provider/wire"
)

// DefaultBaseURL is the address of OpenAI's own API.
const DefaultBaseURL = "https://api.openai.com/v1"

// API selects one of the protocols.
type API string

// The protocols. Every server supports Chat; Responses has summaries and encrypted
// reasoning, and is supported by OpenAI and few others.
const (
	Chat      API = "chat"
	Responses API = "responses"
)

// Options select a model and how it is asked. Only Model is required.
type Options struct {
	BaseURL   string            // up to and including /v1; DefaultBaseURL if empty
	Key       string            // servers on one's own machine need none
	Model     string            // as the provider names it
	API       API               // Chat if empty
	Effort    string            // of reasoning: low, medium, high or what else the model knows; its default if empty
	Echo      Echo              // whether Chat sends reasoning back; the provider's rule if zero
	Transport http.RoundTripper // http.DefaultTransport if nil
}

// client returns a client for the server of o, and the server's address.
func (o Options) client() (*wire.Client, *url.URL, error) {
	base, err := url.Parse(o.BaseURL)
	if err != nil {
		return nil, nil, errors.New("the base URL is no URL") // it may hold a key
	}
	header := http.Header{}
	if key := strings.TrimSpace(o.Key); key != "" {
		header.Set("Authorization", "Bearer "+key)
	}
	return wire.NewClient(base, header, o.Transport), base, nil
}

// Provider is one model. It is safe for concurrent use and keeps no state of a
// conversation. What it learns is whether the server accepts optional members.
type Provider struct {
	options Options
	origin  string // marks the opaque reasoning that may return to this model
	echo    Echo
	client  *wire.Client

	// bare is set once the server refused a request for its optional members.
	bare atomic.Bool
}

var _ agent.Provider = (*Provider)(nil)

// New checks the options and returns the provider. It sends no request.
func New(o Options) (*Provider, error) {
	o.Key = strings.TrimSpace(o.Key)
	if o.BaseURL == "" {
		o.BaseURL = DefaultBaseURL
	}
	if o.API == "" {
		o.API = Chat
	}
	client, base, err := o.client()
	switch {
	case err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https":
		return nil, errors.New("openai: the base URL has to be a whole http or https URL") // it may hold a key
	case o.Model == "":
		return nil, errors.New("openai: no model is named")
	case o.API != Chat && o.API != Responses:
		return nil, fmt.Errorf("openai: there is no API %q, only %q and %q", o.API, Chat, Responses)
	}
	p := &Provider{
		options: o,
		origin:  fmt.Sprintf("openai %s %s %s", o.API, base.Host, o.Model),
		echo:    o.Echo,
		client:  client,
	}
	if p.echo == 0 {
		p.echo = echoRule(base.Hostname(), o.Model)
	}
	return p, nil
}

// Respond implements agent.Provider. Usage in streams and summaries of reasoning,
// which only newer servers and models know, are requested until the server refuses
// them. Where the server refuses reasoning that it should get back, the request is
// repeated once without any.
func (p *Provider) Respond(ctx context.Context, req agent.Request) (agent.Response, error) {
	ask := p.complete
	if p.options.API == Responses {
		ask = p.respond
	}
	extras := !p.bare.Load()
	resp, err := ask(ctx, req, extras)
	if refusedFor(err, spoiledReasoning) {
		req = retry.Forget(req)
		resp, err = ask(ctx, req, extras)
	}
	if extras && refusedFor(err, optionalMembers) {
		p.bare.Store(true)
		resp, err = ask(ctx, req, false)
	}
	return resp, err
}

// opaque wraps reasoning that may return to this provider only.
func (p *Provider) opaque(kind string, data []byte) agent.Opaque {
	return agent.Opaque{Provider: p.origin, Kind: kind, Data: data}
}

// errCutOff is the error for a stream that ends before the answer does: the
// connection was lost, or the server gave up without saying so.
var errCutOff = errors.New("the model's answer broke off")

// failed classifies a failed request or stream and removes the key from its text.
func (p *Provider) failed(ctx context.Context, err error) error {
	return retry.Explain(ctx, err, p.options.Key)
}

// failedInStream classifies the error that a server sent as an event. There is no
// status to go by, so retry.Read looks at the error's code, type and words.
func (p *Provider) failedInStream(ctx context.Context, data []byte) error {
	if ctx.Err() != nil {
		return retry.Explain(ctx, ctx.Err(), p.options.Key)
	}
	return retry.Read(0, nil, data).Failure(p.options.Key)
}

var (
	// optionalMembers matches the refusal of members that a request can do without:
	// an old server does not know usage in streams, and a model that does not reason
	// has no summary.
	optionalMembers = regexp.MustCompile(
		`(?i)stream_options|reasoning\.?(summary|summaries| )|encrypted content is not`)
	// spoiledReasoning matches the refusal of reasoning that was changed, or that
	// another model made.
	spoiledReasoning = regexp.MustCompile(
		`(?i)invalid_encrypted_content|encrypted.content.{0,80}(verified|decrypted|parsed)|` +
			`(invalid|corrupted).{0,20}signature`)
)

// refusedFor reports whether the server refused a request as malformed, in words
// that match the pattern.
func refusedFor(err error, pattern *regexp.Regexp) bool {
	refused, ok := errors.AsType[*agent.ProviderError](err)
	return ok && refused.Failure == agent.Permanent && pattern.MatchString(refused.Err.Error()) &&
		(refused.Status == http.StatusBadRequest || refused.Status == http.StatusUnprocessableEntity)
}

const (
	// maxListTime is how long a server may take to list its models.
	maxListTime = 10 * time.Second
	// maxList is how many bytes of that list are read.
	maxList = 1 << 20
)

// FirstModel returns the first model that the server of o lists at /models. Its
// errors say what happened without the server's words, which may hold the key.
func FirstModel(ctx context.Context, o Options) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, maxListTime)
	defer cancel()
	client, _, err := o.client()
	if err != nil {
		return "", err
	}
	resp, err := client.Get(ctx, "models")
	if refused, ok := errors.AsType[*wire.StatusError](err); ok {
		return "", unlisted(refused.Status)
	}
	if err != nil {
		return "", errors.New("there was no answer")
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", unlisted(resp.StatusCode)
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxList)).Decode(&list); err != nil {
		return "", errors.New("its answer was no list of models")
	}
	if len(list.Data) == 0 || list.Data[0].ID == "" {
		return "", errors.New("the list is empty")
	}
	return list.Data[0].ID, nil
}

// unlisted is the error for a status that brings no list.
func unlisted(status int) error { return fmt.Errorf("it answered with status %d", status) }
