package command

import (
	"embed"
	"strings"
)

// helpTexts has the long help text of each command, in help/COMMAND.txt. A text is what
// candor COMMAND --help prints below the usage line: what the command does, its exit
// status, and examples. The lines are wrapped by hand, because the library
// prints them as they are, indented by three.
//
//go:embed help/*.txt
var helpTexts embed.FS

// helpText returns the long help text of a command without the newline that ends its
// file. It returns "" for a command without a file; a test checks that each has one.
func helpText(command string) string {
	raw, _ := helpTexts.ReadFile("help/" + command + ".txt")
	return strings.TrimSuffix(string(raw), "\n")
}
