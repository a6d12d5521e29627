package agent

import (
	"cmp"

	"candor/safety"
	"candor/session"
)

// maxProfile is how many bytes of a name, a model or an effort a hand-off has.
const maxProfile = 128

// profile says who the agent of d is, cleaned: names come from files of others, too.
func (d Delegate) profile(layer *safety.Layer) session.Profile {
	clean := func(raw string) safety.Text {
		text, _ := layer.Limit(maxProfile).Mask(raw)
		return text
	}
	return session.Profile{
		Name: clean(cmp.Or(d.Title, d.Name)), Model: clean(d.Agent.Model), Effort: clean(d.Agent.Effort),
	}
}
