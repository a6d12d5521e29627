package command

import (
	"embed"
	"io"
	"strings"

	"github.com/urfave/cli/v3"
)

// The columns of a page of help: how wide it is, and where what a flag does is said.
const (
	helpWidth   = 80
	flagColumn  = 30
	shortestGap = 2
)

func init() { cli.HelpPrinter = printHelp }

// printHelp writes a page of help such that it fits into a terminal of 80 columns, and no word is broken.
func printHelp(w io.Writer, template string, data any) {
	var page strings.Builder
	cli.HelpPrinterCustom(&page, template, data, nil)
	for line := range strings.Lines(page.String()) {
		_, _ = io.WriteString(w, fitted(strings.TrimRight(line, " \n"))+"\n")
	}
}

// fitted returns a line in as many as it takes. A flag stands in one column, and what it does in another, which
// begins a line of its own where the flag is long. Lines that begin with neither keep their indentation.
func fitted(line string) string {
	text := strings.TrimLeft(line, " ")
	indent := len(line) - len(text)
	if flag, does, ok := cutFlag(text); ok && strings.HasPrefix(text, "-") {
		start := strings.Repeat(" ", indent) + flag
		if len(start)+shortestGap > flagColumn {
			return start + "\n" + strings.Repeat(" ", flagColumn) + folded(does, flagColumn)
		}
		return start + strings.Repeat(" ", flagColumn-len(start)) + folded(does, flagColumn)
	}
	return line[:indent] + folded(text, indent)
}

// cutFlag cuts the text of a flag from what it does, which the library puts into a column of its own.
func cutFlag(text string) (flag, does string, ok bool) {
	flag, does, ok = strings.Cut(text, "  ")
	return flag, strings.TrimLeft(does, " "), ok
}

// folded breaks a text between words, such that it fits behind an indentation, which begins each line but
// the first. A word that is longer stands alone.
func folded(text string, indent int) string {
	var b strings.Builder
	column := indent
	for i, word := range strings.Split(text, " ") {
		width := len([]rune(word))
		switch {
		case i == 0:
		case column+1+width > helpWidth:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		default:
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += width
	}
	return b.String()
}

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
