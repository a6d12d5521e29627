package command

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheProgramsMemoryIsHiddenAndItsVariablesStay(t *testing.T) {
	path := os.Getenv("PATH")
	require.NotEmpty(t, path)
	require.NoError(t, hideMemory())
	const prGetDumpable, prSetDumpable = 3, 4
	dumpable, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prGetDumpable, 0, 0)
	require.Zero(t, errno)
	assert.Zero(t, dumpable, "other processes of the same user could read the memory")
	_, _, errno = syscall.RawSyscall(syscall.SYS_PRCTL, prSetDumpable, 1, 0)
	require.Zero(t, errno)
	shown, err := os.ReadFile("/proc/self/environ")
	require.NoError(t, err)
	assert.NotEmpty(t, shown)
	assert.Empty(t, strings.Trim(string(shown), "\x00"))
	assert.Equal(t, path, os.Getenv("PATH"))
}
