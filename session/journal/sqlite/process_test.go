//go:build unix

package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session/journal"
	"candor/session/journal/sqlite"
)

func init() { parts["writers"], parts["full"], parts["nobody"] = writeForEver, fillUp, openAsNobody }

// writers is how many goroutines of a process write at the same time.
const writers = 16

// start starts a process that plays a part in a directory.
func start(t *testing.T, part, dir string) (cmd *exec.Cmd, out *bufio.Scanner) {
	t.Helper()
	cmd = exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), partEnv+"="+part, dirEnv+"="+dir)
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	return cmd, bufio.NewScanner(stdout)
}

func TestASecondProcessIsRefused(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), partEnv+"=holder", dirEnv+"="+dir)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	said := bufio.NewScanner(out)
	require.True(t, said.Scan())
	require.Equal(t, "open", said.Text())

	_, err = sqlite.Open(dir, sqlite.Options{})
	require.ErrorIs(t, err, journal.ErrLocked)
	assert.Contains(t, err.Error(), "cannot keep sessions in "+dir+": another process uses it")
	require.NoError(t, in.Close())
	require.NoError(t, cmd.Wait())
	e, err := sqlite.Open(dir, sqlite.Options{})
	require.NoError(t, err, "once the other has ended")
	_, err = sqlite.Open(dir, sqlite.Options{})
	require.ErrorIs(t, err, journal.ErrLocked, "the same process may not either")
	require.NoError(t, e.Close())
}

// writeForEver has writers go on with their sessions, and prints what was acknowledged.
func writeForEver(dir string) error {
	e, err := sqlite.Open(dir, sqlite.Options{})
	if err != nil {
		return err
	}
	failed := make(chan error, writers)
	for w := range writers {
		go func() { failed <- goOn(e, fmt.Sprintf("session-%d", w)) }()
	}
	return <-failed
}

// goOn appends to a session until that fails, and prints what was acknowledged.
func goOn(e journal.Engine, session string) error {
	next := uint64(1)
	for f, err := range e.Read(context.Background(), session, 1) {
		if err != nil {
			return err
		}
		next = f.Last + 1
	}
	for ; ; next++ {
		if err := e.Append(context.Background(), session, frameOf(session, next)); err != nil {
			return err
		}
		fmt.Printf("%s %d\n", session, next)
	}
}

// TestKillingTheProcessLosesNothing kills a process with SIGKILL after a number of acknowledgements, many times in the
// same directory, and compares what it acknowledged with what is there.
func TestKillingTheProcessLosesNothing(t *testing.T) {
	dir, acknowledged, total := t.TempDir(), map[string]uint64{}, 0
	random := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		cmd, out := start(t, "writers", dir)
		until := 1 + random.IntN(150)
		for n := 0; out.Scan(); n++ {
			var session string
			var number uint64
			_, err := fmt.Sscan(out.Text(), &session, &number)
			require.NoError(t, err, "%q", out.Text())
			acknowledged[session] = max(acknowledged[session], number)
			total++
			if n == until {
				require.NoError(t, cmd.Process.Signal(syscall.SIGKILL))
			}
		}
		require.Error(t, cmd.Wait(), "it was killed")
	}
	e := open(t, dir, sqlite.Options{})
	assert.Empty(t, e.Status().Warnings)
	kept := 0
	for session, last := range acknowledged {
		frames, err := readAll(t, e, session)
		require.NoError(t, err)
		require.GreaterOrEqual(t, uint64(len(frames)), last, "session %s", session)
		for i, f := range frames {
			require.Equal(t, frameOf(session, uint64(i+1)), f)
		}
		kept += len(frames)
	}
	t.Logf("%d acknowledged, %d kept", total, kept)
}

// fillUp writes until no file may grow further, and again when they may. It prints what was acknowledged.
func fillUp(dir string) error {
	signal.Ignore(syscall.SIGXFSZ)
	e, err := sqlite.Open(dir, sqlite.Options{})
	if err != nil {
		return err
	}
	limit := syscall.Rlimit{}
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	full := limit
	full.Cur = 400_000
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full); err != nil {
		return err
	}
	var all sync.WaitGroup
	failed := make(chan error, writers)
	for w := range writers {
		all.Go(func() { failed <- goOn(e, fmt.Sprintf("session-%d", w)) })
	}
	all.Wait()
	for range writers {
		if err := <-failed; !errors.Is(err, journal.ErrUnavailable) {
			return fmt.Errorf("not refused as it should be: %w", err)
		}
	}
	fmt.Println("full", e.Status().Ready)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	if err := e.Append(context.Background(), "later", frameOf("later", 1)); err != nil {
		return fmt.Errorf("when there is room again: %w", err)
	}
	fmt.Println("later 1")
	fmt.Println("ready", e.Status().Ready)
	return e.Close()
}

func TestAFullDiskLosesNothing(t *testing.T) {
	dir := t.TempDir()
	cmd, out := start(t, "full", dir)
	acknowledged, said := map[string]uint64{}, map[string]string{}
	for out.Scan() {
		word, rest, _ := strings.Cut(out.Text(), " ")
		said[word] = rest
		if n, err := fmt.Sscan(rest, new(uint64)); n == 1 && err == nil {
			acknowledged[word]++
		}
	}
	require.NoError(t, cmd.Wait(), "%v", said)
	assert.Contains(t, said["full"], journal.ErrUnavailable.Error())
	assert.Equal(t, "<nil>", said["ready"])
	require.Greater(t, len(acknowledged), writers)
	e := open(t, dir, sqlite.Options{})
	assert.Empty(t, e.Status().Warnings)
	for session, last := range acknowledged {
		frames, err := readAll(t, e, session)
		require.NoError(t, err)
		require.Len(t, frames, int(last), "session %s has what was acknowledged and nothing else", session)
		for i, f := range frames {
			require.Equal(t, frameOf(session, uint64(i+1)), f)
		}
	}
}

// openAsNobody opens the working directory without the right to write in it.
func openAsNobody(dir string) error {
	if err := os.Chdir(dir); err != nil {
		return err
	}
	if os.Geteuid() == 0 {
		if err := syscall.Setuid(65534); err != nil {
			return err
		}
	}
	_, err := sqlite.Open(".", sqlite.Options{})
	return err
}

func TestADirectoryThatCannotBeWrittenIsRefused(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o555))
	cmd, out := start(t, "nobody", dir)
	var said []string
	for out.Scan() {
		said = append(said, out.Text())
	}
	require.Error(t, cmd.Wait())
	assert.Contains(t, strings.Join(said, "\n"), "cannot keep sessions in .")
	assert.Contains(t, strings.Join(said, "\n"), "permission denied; name a directory that Candor may write to")
}

// The system may drop what it could not write, so that a second sync succeeds and means nothing.
func TestADiskThatDoesNotSyncStopsTheEngine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		e, err := sqlite.Open(dir, sqlite.Options{Sync: sqlite.Interval})
		require.NoError(t, err)
		l := fill(t, e, 1, 3)
		log := filepath.Join(dir, "candor.db-wal")
		require.NoError(t, os.Rename(log, log+".moved"))
		require.NoError(t, os.Mkdir(log, 0o700)) // cannot be opened for writing, not even by root
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.ErrorIs(t, e.Status().Ready, journal.ErrUnavailable)
		assert.Contains(t, e.Status().Ready.Error(), "the disk refuses to sync what was answered already; stop Candor")
		err = e.Append(t.Context(), "session-0", frameOf("session-0", 4))
		require.ErrorIs(t, err, journal.ErrUnavailable)
		frames, err := readAll(t, e, "session-0")
		require.NoError(t, err)
		assert.Equal(t, l.frames["session-0"], frames, "reading goes on")
		_ = e.Close()
	})
}
