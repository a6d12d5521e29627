package agent

import "context"

type userKey struct{}

// WithUser returns a context in which tools run on behalf of user.
func WithUser(ctx context.Context, user string) context.Context {
	return context.WithValue(ctx, userKey{}, user)
}

// User returns the user on whose behalf a tool runs. If ok is false there is none, and
// a tool that stores anything per user must refuse to run.
func User(ctx context.Context) (user string, ok bool) {
	user, ok = ctx.Value(userKey{}).(string)
	return user, ok
}
