package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/urfave/cli/v3"
	"golang.org/x/term"

	"candor/cmd/candor/terminal"
)

// viewSettings are the flags that decide how output looks.
type viewSettings struct {
	color string // auto, always or never; auto asks the terminal and the environment
	json  bool   // one object a line, safe for a terminal; switches the line editor off
}

// viewFlags binds the flags that decide how output looks. --json has no environment
// variable, because it belongs to one call rather than to a configuration.
func viewFlags(v *viewSettings) []cli.Flag {
	const category = "Output"
	return []cli.Flag{
		&cli.StringFlag{Name: "color", Category: category, Value: "auto",
			Usage:   "color output `WHEN`: auto (respects NO_COLOR and CLICOLOR), always or never",
			Sources: cli.EnvVars("CANDOR_COLOR"), Destination: &v.color},
		&cli.BoolFlag{Name: "json", Category: category, Usage: "write JSON, one object per line, as the API returns it",
			Destination: &v.json},
	}
}

// style returns the colors and the width to write to w with. Color is on for terminals
// unless NO_COLOR, CLICOLOR=0 or TERM=dumb turns it off; --color overrides all three.
func (v viewSettings) style(w io.Writer) (terminal.Style, error) {
	s := terminal.Style{}
	f, tty := terminalOf(w)
	if tty {
		s.Width, _, _ = term.GetSize(int(f.Fd()))
	}
	switch v.color {
	case "always":
		s.Color = true
	case "never":
	case "auto":
		forced := os.Getenv("CLICOLOR_FORCE")
		s.Color = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" &&
			(tty && os.Getenv("CLICOLOR") != "0" || forced != "" && forced != "0")
	default:
		return s, fmt.Errorf("--color: %q is not auto, always or never", v.color)
	}
	return s, nil
}

// terminalOf returns the reader or writer as a file, and whether it is a terminal. In a
// test both streams are buffers; the file is nil then.
func terminalOf(v any) (*os.File, bool) {
	f, ok := v.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
}

// newScreen returns the line editor if both streams are a terminal that can move its
// cursor, else plain lines; plain asks for plain lines. sequential reports that each
// line waits for the turn before it, as piped input needs. The caller calls done.
func newScreen(ctx context.Context, stdin io.Reader, stdout io.Writer, plain bool) (s terminal.Screen, sequential bool,
	done func() error, err error) {
	in, inTTY := terminalOf(stdin)
	out, outTTY := terminalOf(stdout)
	if inTTY && outTTY && !plain && os.Getenv("TERM") != "dumb" {
		e, err := terminal.NewEditor(in, out, terminal.Complete)
		if err != nil {
			return nil, false, nil, err
		}
		return e, false, e.Close, nil
	}
	interrupts, stop := interruptsOf(ctx)
	p := terminal.NewPlain(stdin, stdout, interrupts)
	if inTTY && outTTY && !plain {
		width, _, _ := term.GetSize(int(out.Fd()))
		p = p.Asking(width)
	}
	return p, true, stop, nil
}

// interruptsOf delivers SIGINT as values, for a screen that does not read keys itself. A
// second signal is not lost while the first waits to be received; further ones are.
// The caller calls the function it returns, which gives SIGINT its usual meaning back.
func interruptsOf(ctx context.Context) (<-chan struct{}, func() error) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	ctx, cancel := context.WithCancel(ctx)
	interrupts, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-ctx.Done():
				return
			case <-signals:
			}
			select {
			case <-ctx.Done():
				return
			case interrupts <- struct{}{}:
			}
		}
	}()
	return interrupts, func() error {
		signal.Stop(signals)
		cancel()
		<-done
		return nil
	}
}
