package openai

import (
	"context"
	"errors"
	"net/http"
	"regexp"

	"candor/agent"
	"candor/agent/provider/retry"
)

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
