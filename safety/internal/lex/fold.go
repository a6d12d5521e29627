package lex

// HasFold reports whether lit appears in s at i, ignoring ASCII case. lit is in lower
// case. i may be negative or past the end of s.
func HasFold(s string, i int, lit string) bool {
	if i < 0 || len(s)-i < len(lit) {
		return false
	}
	for k := 0; k < len(lit); k++ {
		if ToLower(s[i+k]) != lit[k] {
			return false
		}
	}
	return true
}

// EqualFold reports whether s equals lit, ignoring ASCII case. lit is in lower case.
func EqualFold(s, lit string) bool { return len(s) == len(lit) && HasFold(s, 0, lit) }

// ContainsFold reports whether s contains lit, ignoring ASCII case. lit is in lower
// case and not empty.
func ContainsFold(s, lit string) bool {
	for i := 0; i+len(lit) <= len(s); i++ {
		if ToLower(s[i]) == lit[0] && HasFold(s, i, lit) {
			return true
		}
	}
	return false
}
