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

var extras = regexp.MustCompile(`(?i)stream_options|reasoning\.?(summary|summaries| )|encrypted.content`)

// refusesExtras is whether the failure is about what can be left out: an old
// server is asked for usage, or a model that does not reason for its reasoning.
func refusesExtras(err error) bool {
	refused, ok := errors.AsType[*agent.ProviderError](err)
	return ok && refused.Failure == agent.Permanent && extras.MatchString(refused.Err.Error()) &&
		(refused.Status == http.StatusBadRequest || refused.Status == http.StatusUnprocessableEntity)
}
