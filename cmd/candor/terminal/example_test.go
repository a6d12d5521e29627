package terminal_test

import (
	"fmt"

	"candor/cmd/candor/terminal"
)

// Foreign text can hold sequences that recolor the screen, set its title or overwrite
// what was printed. Clean leaves only the text.
func ExampleClean() {
	fmt.Println(terminal.Clean("\x1b[31mred\x1b[0m, \x1b]0;a new title\x07and safe\rEVIL"))
	// Output:
	// red, and safe
	// EVIL
}
