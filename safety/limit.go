package safety

// Limit is the same layer with another length guard, for kinds of text that are
// short by nature. It shares everything else.
func (l *Layer) Limit(maxBytes int) *Layer {
	limited := *l
	MaxBytes(maxBytes)(&limited)
	return &limited
}
