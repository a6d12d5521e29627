package apptest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

// FreeAddress returns an address of this machine, host and port, at which nobody listens. It is for servers that
// start there again after they were killed. Its port is below those that systems give to outgoing connections, so
// no other connection of the tests takes it meanwhile.
func FreeAddress(t testing.TB) string {
	t.Helper()
	var err error
	for range 100 {
		var ln net.Listener
		if ln, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 12000+rand.IntN(20000))); err == nil {
			require.NoError(t, ln.Close())
			return ln.Addr().String()
		}
	}
	require.NoError(t, err, "no address is free")
	return ""
}
