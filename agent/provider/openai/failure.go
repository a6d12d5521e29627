package openai

import (
	"context"
	"errors"
	"net/http"
	"regexp"

	"github.com/openai/openai-go/v3/packages/ssestream"

	"candor/agent"
	"candor/agent/provider/retry"
)

// failed tells a failure apart, and leaves the key out of it.
func (p *Provider) failed(ctx context.Context, err error) error {
	if broke, ok := errors.AsType[*ssestream.StreamError](err); ok && ctx.Err() == nil {
		return retry.Read(0, nil, broke.Event.Data).Failure(p.options.Key)
	}
	return retry.Explain(ctx, err, p.options.Key)
}

var (
	// extras can be left out: an old server is asked for usage, or a model that
	// does not reason for its reasoning.
	extras = regexp.MustCompile(`(?i)stream_options|reasoning\.?(summary|summaries| )|encrypted content is not`)
	// spoiled reasoning was changed, or is another's.
	spoiled = regexp.MustCompile(`(?i)invalid_encrypted_content|encrypted.content.{0,80}(verified|decrypted|parsed)|` +
		`(invalid|corrupted).{0,20}signature`)
)

// refuses is whether a request was refused for what stands in it, in such words.
func refuses(err error, words *regexp.Regexp) bool {
	refused, ok := errors.AsType[*agent.ProviderError](err)
	return ok && refused.Failure == agent.Permanent && words.MatchString(refused.Err.Error()) &&
		(refused.Status == http.StatusBadRequest || refused.Status == http.StatusUnprocessableEntity)
}
