package lex_test

import (
	"fmt"

	"candor/safety/internal/lex"
)

func Example() {
	v := "tr0ub4dor"
	chars := lex.CountChars(v)
	words, _, _ := lex.WordsIn(v)
	fmt.Println(chars.Lower, chars.Digit, lex.Random(v), words, lex.Placeholder(v))
	// Output: 7 2 false 0 false
}
