package agent

// isConfidence reports whether v can be a confidence or a threshold: a number from 0 to 1.
func isConfidence(v float64) bool { return v >= 0 && v <= 1 }
