package agent

import "context"

type userKey struct{}

// WithUser says on whose behalf tools run.
func WithUser(ctx context.Context, user string) context.Context {
	return context.WithValue(ctx, userKey{}, user)
}

// User is on whose behalf a tool runs. ok is false when nobody said, and a tool
// that keeps anything must then refuse.
func User(ctx context.Context) (user string, ok bool) {
	user, ok = ctx.Value(userKey{}).(string)
	return user, ok
}
