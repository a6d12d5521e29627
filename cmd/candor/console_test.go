//go:build unix

package main

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// patience is how long a screen may take; only a failure takes it.
const patience = time.Minute

// console is the program in a real terminal.
type console struct {
	t    *testing.T
	cmd  *exec.Cmd
	tty  *os.File
	cols int
	out  logBuffer // every byte that the terminal got
	done chan struct{}
}

// openConsole starts the program in a terminal of so many columns.
func openConsole(t *testing.T, cols int, env []string, args ...string) *console {
	t.Helper()
	name, err := program()
	require.NoError(t, err)
	c := &console{t: t, cols: cols, done: make(chan struct{}), cmd: exec.CommandContext(t.Context(), name, args...)}
	c.cmd.Env = append([]string{"TERM=xterm-256color", "PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, env...)
	c.tty, err = pty.StartWithSize(c.cmd, &pty.Winsize{Rows: 50, Cols: uint16(cols)})
	require.NoError(t, err)
	go c.watch()
	t.Cleanup(func() {
		_ = c.cmd.Process.Kill()
		_ = c.tty.Close()
		<-c.done
	})
	return c
}

// watch takes all that the terminal gets, until it is closed.
func (c *console) watch() {
	defer close(c.done)
	buf := make([]byte, 32<<10)
	for {
		n, err := c.tty.Read(buf)
		_, _ = c.out.Write(buf[:n])
		if err != nil {
			return
		}
	}
}

func (c *console) screen() string { return show(c.out.String(), c.cols).String() }

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
	if !assert.Eventually(c.t, func() bool { return strings.Contains(c.screen(), text) }, patience, 5*time.Millisecond) {
		c.t.Fatalf("the screen has no %q:\n%s", text, c.screen())
	}
}

// prompt waits until the last line is the prompt again, with the text above it.
func (c *console) prompt(text string) {
	c.t.Helper()
	ready := func() bool {
		s := c.screen()
		return strings.Contains(s, text) && strings.HasSuffix(s, "\n\n›\n")
	}
	if !assert.Eventually(c.t, ready, patience, 5*time.Millisecond) {
		c.t.Fatalf("no prompt under %q:\n%s", text, c.screen())
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
	_ = c.cmd.Wait()
	assert.Equal(c.t, status, c.cmd.ProcessState.ExitCode(), c.screen())
	<-c.done
	assert.Empty(c.t, show(c.out.String(), c.cols).strange, "the terminal got what it should not")
	assert.False(c.t, strings.HasSuffix(c.out.String(), "\x1b[?2004h"), "it stays as it was found")
}

// interrupt is Ctrl-C.
func (c *console) interrupt() { c.key("\x03") }

func (c *console) signal(s syscall.Signal) { require.NoError(c.t, c.cmd.Process.Signal(s)) }
