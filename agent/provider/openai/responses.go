package openai

import (
	"context"
	"errors"

	"candor/agent"
)

func (p *Provider) respond(ctx context.Context, req agent.Request) (agent.Response, error) {
	return agent.Response{}, errors.New("not yet")
}
