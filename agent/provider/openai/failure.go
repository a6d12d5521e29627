package openai

import (
	"context"
	"errors"
	"net/http"
	"strings"

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

// refusesUsage is whether an old server does not know how to be asked for usage.
func refusesUsage(err error) bool {
	refused, ok := errors.AsType[*agent.ProviderError](err)
	return ok && refused.Status >= http.StatusBadRequest && refused.Status < http.StatusInternalServerError &&
		strings.Contains(err.Error(), "stream_options")
}
