package command

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/urfave/cli/v3"

	"candor/cmd/candor/app"
	"candor/cmd/candor/progress"
	"candor/safety"
)

// unlimited is a length limit beyond any input, in bytes. The layer limits the length
// of what Candor keeps; a scan keeps nothing.
const unlimited = 1 << 40

// scanCommand returns candor scan: the safety layer as a filter, without a server or model.
//
// It reads a file or standard input and writes the cleaned text to standard output. The
// findings, rule and count, go to standard error; with --json and --ndjson they are part
// of the output instead. The text itself never reaches standard error.
//
// Exit status: 0 if all of the input was written; 1 if it could not be read or a flag was
// wrong; 3 with --check if the layer masked or withheld something.
func scanCommand(stdin io.Reader) *cli.Command {
	var (
		s      app.SafetySettings
		ndjson bool
		asJSON bool
		check  bool
	)
	return &cli.Command{
		Name: "scan", Usage: "mask secrets in a file or a stream", ArgsUsage: "[FILE|-]", Description: helpText("scan"),
		Flags: append(safetyFlags(&s),
			&cli.BoolFlag{Name: "ndjson", Usage: "treat the input as one JSON object per line", Destination: &ndjson},
			&cli.BoolFlag{Name: "json", Usage: "write one object with the text, the verdict and the findings",
				Destination: &asJSON},
			&cli.BoolFlag{Name: "check", Usage: "exit with 3 when something was masked or withheld",
				Destination: &check}),
		Action: func(_ context.Context, c *cli.Command) error {
			layer, err := app.NewLayer(s)
			if err != nil {
				return err
			}
			if !ndjson {
				layer = layer.Limit(unlimited)
			}
			in, err := openInput(c.Args(), stdin)
			if err != nil {
				return err
			}
			defer in.Close()
			out, report := c.Root().Writer, safety.Report{}
			from, done := watched(in, out, c.Root().ErrWriter)
			defer done()
			switch {
			case ndjson && check:
				return checkLines(layer, from, out)
			case ndjson:
				return layer.ScanLines(from, out)
			case asJSON:
				report, err = scanToJSON(layer, from, out)
			default:
				report, err = scanText(layer, from, out)
				done()
				summarize(c.Root().ErrWriter, report)
			}
			if err == nil && check && report.Verdict != safety.Passed {
				return errFound
			}
			return err
		},
	}
}

// checkLines is ScanLines for --check: it returns errFound if the layer masked or withheld
// something in any line, and another error if there are lines that it could not read.
func checkLines(layer *safety.Layer, in io.Reader, out io.Writer) error {
	w := &lineChecker{Writer: out}
	if err := layer.ScanLines(in, w); err != nil {
		return err
	}
	switch {
	case w.found:
		return errFound
	case w.unread > 0:
		return fmt.Errorf("%d lines could not be scanned; the output says why", w.unread)
	}
	return nil
}

// lineChecker passes on the lines of ScanLines, each of which is one Write, and keeps
// what they say.
type lineChecker struct {
	io.Writer
	found  bool // a line in which something was masked or withheld
	unread int  // lines that could not be read
}

// Write implements io.Writer.
func (w *lineChecker) Write(p []byte) (int, error) {
	var line struct{ Verdict, Error string }
	if err := json.Unmarshal(p, &line); err != nil || line.Error != "" {
		w.unread++
	} else if line.Verdict != safety.Passed.String() {
		w.found = true
	}
	return w.Writer.Write(p)
}

// unclosed is a file that is not ours to close.
type unclosed struct{ *os.File }

// Close does nothing.
func (unclosed) Close() error { return nil }

// openInput opens the file that the arguments name, or standard input for - or nothing.
// The caller closes it; closing standard input has no effect, because it is not ours.
func openInput(args cli.Args, stdin io.Reader) (io.ReadCloser, error) {
	switch {
	case args.Len() > 1:
		return nil, misused("scan takes one file, not the argument %q as well; see candor scan --help", args.Get(1))
	case args.Len() == 0 || args.First() == "-":
		if f, ok := stdin.(*os.File); ok {
			return unclosed{f}, nil // its size is of use
		}
		return io.NopCloser(stdin), nil
	}
	return os.Open(args.First())
}

// watched returns the input such that a bar on stderr says how much of it was read, unless the output is a terminal,
// where it would stand in the text. The caller calls done, once or more, before it writes to stderr.
func watched(in io.Reader, out, stderr io.Writer) (from io.Reader, done func()) {
	if _, tty := terminalOf(out); tty {
		return in, func() {}
	}
	bar := progress.Start(stderr, "scanning", sizeOf(in))
	return io.TeeReader(in, bar), sync.OnceFunc(bar.Done)
}

// sizeOf returns how many bytes are left to read of a file, 0 if that is unknown.
func sizeOf(in io.Reader) int64 {
	if i, ok := in.(interface{ Stat() (os.FileInfo, error) }); ok {
		if info, err := i.Stat(); err == nil && info.Mode().IsRegular() {
			return info.Size()
		}
	}
	return 0
}

// scanText copies in to out, cleaned. It streams: memory does not grow with the input,
// and output follows as soon as no later byte can change it.
func scanText(layer *safety.Layer, in io.Reader, out io.Writer) (safety.Report, error) {
	stream, buf := layer.Stream(), make([]byte, 64<<10)
	for {
		n, err := in.Read(buf)
		if _, werr := io.WriteString(out, stream.Write(string(buf[:n]))); werr != nil {
			return safety.Report{}, werr
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return safety.Report{}, err
		}
	}
	rest, report := stream.Close()
	_, err := io.WriteString(out, rest)
	return report, err
}

// scanToJSON writes one object with the cleaned text, the verdict and the findings. It
// holds the whole text in memory, because the verdict is known at the end only. findings
// is an empty array, not null, if nothing was found.
func scanToJSON(layer *safety.Layer, in io.Reader, out io.Writer) (safety.Report, error) {
	var text strings.Builder
	report, err := scanText(layer, in, &text)
	if err != nil {
		return report, err
	}
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	return report, enc.Encode(map[string]any{
		"text": text.String(), "verdict": report.Verdict.String(), "findings": append([]safety.Finding{},
			report.Findings...),
	})
}

// summarize lists the rules that matched, how often, and what was done, never what they
// matched: the list goes to standard error, which ends up in the logs of build servers.
func summarize(w io.Writer, r safety.Report) {
	if len(r.Findings) == 0 {
		fmt.Fprintln(w, "nothing found")
		return
	}
	for _, f := range r.Findings {
		fmt.Fprintf(w, "%4d  %s (%s, %s)\n", f.Count, f.Rule, f.Severity, f.Effect)
	}
}
