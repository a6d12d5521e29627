package safety

// Eager returns s, made to search at each Write, for tests outside this package.
func Eager(s *Stream) *Stream { return s.eager() }
