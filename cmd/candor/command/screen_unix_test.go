//go:build unix

package command

import (
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Ctrl-C on a plain screen reaches the conversation instead of ending the program, each
// time it is pressed.
func TestEachInterruptReachesAPlainScreen(t *testing.T) {
	interrupts, stop := interruptsOf(t.Context())
	for range 2 {
		require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGINT))
		<-interrupts
	}
	require.NoError(t, stop())
}
