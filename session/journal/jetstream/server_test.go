package jetstream

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/require"

	"candor/session/journal"
)

// quiet keeps what a server says, and fails the test instead of ending the process.
type quiet struct{ t *testing.T }

func (q quiet) Noticef(string, ...any)         {}
func (q quiet) Warnf(string, ...any)           {}
func (q quiet) Errorf(string, ...any)          {}
func (q quiet) Debugf(string, ...any)          {}
func (q quiet) Tracef(string, ...any)          {}
func (q quiet) Fatalf(format string, v ...any) { q.t.Errorf(format, v...) }

// startServer runs one NATS server over a directory until the test ends or stop is called.
func startServer(t *testing.T, dir string) (s *server.Server, stop func()) {
	t.Helper()
	s, err := server.NewServer(&server.Options{
		ServerName: "n1", Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true,
		JetStream: true, StoreDir: dir, MaxPayload: 8 << 20,
	})
	require.NoError(t, err)
	return s, run(t, s)
}

// run starts a server and returns how to stop it.
func run(t *testing.T, s *server.Server) (stop func()) {
	t.Helper()
	s.SetLoggerV2(quiet{t}, false, false, false)
	s.Start()
	stop = func() {
		s.Shutdown()
		s.WaitForShutdown()
	}
	t.Cleanup(stop)
	require.True(t, s.ReadyForConnections(10*time.Second), "the NATS server does not start")
	return stop
}

// openStore opens a store on a server, with few shards.
func openStore(t *testing.T, s *server.Server) *journal.Cluster {
	t.Helper()
	c, err := Open(t.Context(), Options{URL: s.ClientURL(), Shards: 2})
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// files returns the bytes of all files below a directory.
func files(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		if os.IsNotExist(err) {
			return nil
		}
		all.Write(raw)
		return err
	})
	require.NoError(t, err)
	return all.String()
}
