//go:build unix

package terminal_test

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"candor/cmd/candor/apptest"
	"candor/cmd/candor/apptest/program"
	"candor/cmd/candor/command"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// console is candor on a pseudo-terminal: in this process, or in one of its own.
type console struct {
	t     *testing.T
	tty   *os.File // the end that a person and a screen are at
	cols  int
	rows  int               // 0 means 50
	paged bool              // the test opens a pager
	out   apptest.LogBuffer // every byte that the terminal got
	read  chan struct{}     // closed when no more bytes come
	exit  func() int        // waits for the end and returns the exit status
	cmd   *exec.Cmd         // nil in this process
}

// openConsole runs candor in this process, on a terminal of so many columns. env is
// added to the environment of the test.
func openConsole(t *testing.T, cols int, env []string, args ...string) *console {
	t.Helper()
	apptest.HideProviders(t)
	for _, e := range append(terminalEnv(t), env...) {
		name, value, _ := strings.Cut(e, "=")
		t.Setenv(name, value)
	}
	master, tty, err := pty.Open()
	require.NoError(t, err)
	c := &console{t: t, tty: master, read: make(chan struct{})}
	c.winsize(cols)
	go c.watch()
	ctx, cancel := context.WithCancel(t.Context())
	status, done := 0, make(chan struct{})
	go func() {
		defer close(done)
		status = command.Execute(ctx, append([]string{"candor"}, args...), tty, tty, tty)
		_ = tty.Close()
	}()
	c.exit = func() int { <-done; return status }
	t.Cleanup(func() {
		cancel()
		<-done
		_, _ = master.WriteString("\n") // ends a read of a line that nobody waits for any more
		<-c.read
		_ = master.Close()
	})
	return c
}

// openProcess is openConsole for a process of its own, which has the terminal as its
// controlling one: signals and changes of the window's size reach it.
func openProcess(t *testing.T, cols int, env []string, args ...string) *console {
	t.Helper()
	cmd := program.Command(t.Context(), t, args...)
	cmd.Env = append(cmd.Env, append(terminalEnv(t), env...)...)
	c := &console{t: t, cols: cols, read: make(chan struct{}), cmd: cmd}
	var err error
	c.tty, err = pty.StartWithSize(c.cmd, &pty.Winsize{Rows: 50, Cols: uint16(cols)})
	require.NoError(t, err)
	go c.watch()
	c.exit = func() int {
		_ = cmd.Wait()
		return cmd.ProcessState.ExitCode()
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = c.tty.Close()
		<-c.read
	})
	return c
}

// terminalEnv is the environment of a terminal that shows colors.
func terminalEnv(t *testing.T) []string {
	return []string{"TERM=xterm-256color", "NO_COLOR=", "CLICOLOR=", "CLICOLOR_FORCE=", "HOME=" + t.TempDir()}
}

// watch takes all that the terminal gets, until it is closed.
func (c *console) watch() {
	defer close(c.read)
	buf := make([]byte, 32<<10)
	for {
		n, err := c.tty.Read(buf)
		_, _ = c.out.Write(buf[:n])
		if err != nil {
			return
		}
	}
}

func (c *console) screen() string { return c.vt().String() }

func (c *console) vt() *vt { return (&vt{cols: c.cols, paged: c.paged}).replay(c.out.String()) }

// key types.
func (c *console) key(keys string) {
	c.t.Helper()
	_, err := c.tty.WriteString(keys)
	require.NoError(c.t, err)
}

// say types a line.
func (c *console) say(line string) { c.key(line + "\r") }

// until waits until the screen has text, and below it nothing but a prompt where it is
// asked for.
func (c *console) until(text string) {
	c.t.Helper()
	c.eventually("the screen has no "+strconv.Quote(text), func(screen string) bool {
		return strings.Contains(screen,
			text)
	})
}

// prompt waits until the last line is the prompt again, with the text above it.
func (c *console) prompt(text string) {
	c.t.Helper()
	c.eventually("no prompt below "+strconv.Quote(text), func(screen string) bool {
		return strings.Contains(screen, text) &&
			(strings.HasSuffix(screen, "\n\n›\n") || strings.HasSuffix(screen, "\n?\n"))
	})
}

// eventually waits until the screen is as wanted, and shows it if that does not happen.
func (c *console) eventually(complaint string, ok func(screen string) bool) {
	c.t.Helper()
	if !assert.Eventually(c.t, func() bool { return ok(c.screen()) }, time.Minute, 5*time.Millisecond) {
		c.t.Fatalf("%s:\n%s", complaint, c.screen())
	}
}

// leave ends the conversation and gives what the screen shows of it, after the greeting.
func (c *console) leave() string {
	c.t.Helper()
	c.say("/quit")
	c.exited(0)
	return c.conversation()
}

func (c *console) conversation() string {
	_, shown, _ := strings.Cut(c.screen(), "leaves.\n\n")
	return shown
}

// exited waits for the end of the program.
func (c *console) exited(status int) {
	c.t.Helper()
	assert.Equal(c.t, status, c.exit(), c.screen())
	<-c.read
	assert.Empty(c.t, c.vt().strange, "the terminal got what it should not")
	assert.False(c.t, strings.HasSuffix(c.out.String(), "\x1b[?2004h"), "it stays as it was found")
}

// interrupt is Ctrl-C.
func (c *console) interrupt() { c.key("\x03") }

func (c *console) signal(s syscall.Signal) { require.NoError(c.t, c.cmd.Process.Signal(s)) }

// winsize changes the size of the window.
func (c *console) winsize(cols int) {
	require.NoError(c.t, pty.Setsize(c.tty, &pty.Winsize{Rows: uint16(cmp.Or(c.rows, 50)), Cols: uint16(cols)}))
	c.cols = cols
}
