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

// viewSettings say how things are shown.
type viewSettings struct {
	color string // auto, always or never
	json  bool
}

func viewFlags(v *viewSettings) []cli.Flag {
	const category = "Output"
	return []cli.Flag{
		&cli.StringFlag{Name: "color", Category: category, Value: "auto",
			Usage:   "color `WHEN`: auto, always or never; NO_COLOR and CLICOLOR are heeded",
			Sources: cli.EnvVars("CANDOR_COLOR"), Destination: &v.color},
		&cli.BoolFlag{Name: "json", Category: category, Usage: "write JSON, one object a line, as the API gives it",
			Destination: &v.json},
	}
}

// style is how to write to w.
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
		return s, fmt.Errorf("--color: %q is none of auto, always, never", v.color)
	}
	return s, nil
}

// terminalOf is the terminal that a reader or writer is, if it is one.
func terminalOf(v any) (*os.File, bool) {
	f, ok := v.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
}

// newScreen is the line editor where both ends are a terminal that can do it, else, or
// where they are wanted, plain lines. Close it when done.
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

// interruptsOf turns SIGINT into what a screen tells. A second one before the first was
// heard ends the program as it would without us.
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
