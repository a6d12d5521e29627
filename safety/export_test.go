package safety

// Eager returns s, made to search at each Write, for tests outside this package.
func Eager(s *Stream) *Stream { return s.eager() }

// KnownSecrets is Secrets of values of which nothing else is known.
func KnownSecrets(values ...string) Option {
	var all []Secret
	for _, v := range values {
		all = append(all, Secret{Value: v})
	}
	return Secrets(all...)
}
