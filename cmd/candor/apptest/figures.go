package apptest

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var figures = flag.String("figures", "", "measure, and write the figures into their section of this Markdown `file`")

// WritesFigures reports whether the flag -figures names a file. Measurements skip themselves without.
func WritesFigures() bool { return *figures != "" }

// WriteFigures replaces the section with a heading of the second level in the file of -figures, or
// adds it at the end. The text follows a line with the date and the machine.
func WriteFigures(t testing.TB, heading, text string) {
	t.Helper()
	old, err := os.ReadFile(*figures)
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	machine := fmt.Sprintf("Measured on %s with %s, %s/%s, %d processors%s.", time.Now().Format(time.DateOnly),
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), processor())
	section := "## " + heading + "\n\n" + machine + "\n\n" + strings.TrimSpace(text) + "\n"
	require.NoError(t, os.WriteFile(*figures, []byte(withSection(string(old), heading, section)), 0o644))
}

// withSection returns a Markdown text in which a section has been replaced or added.
func withSection(text, heading, section string) string {
	before, rest, found := strings.Cut("\n"+text, "\n## "+heading+"\n")
	before = strings.TrimSpace(before)
	if before != "" {
		before += "\n\n"
	}
	if _, after, more := strings.Cut(rest, "\n## "); found && more {
		return before + section + "\n## " + after
	}
	return before + section
}

// processor returns the name of the processor after a comma, "" where the system does not tell it.
func processor() string {
	raw, _ := os.ReadFile("/proc/cpuinfo")
	_, name, ok := strings.Cut(string(raw), "model name\t: ")
	if !ok {
		return ""
	}
	name, _, _ = strings.Cut(name, "\n")
	return ", " + name
}
