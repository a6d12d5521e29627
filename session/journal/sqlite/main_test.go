package sqlite_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"candor/session/journal/sqlite"
)

var flips = flag.Int("flips", 50, "how many bytes of each file TestAFlippedByteIsNeverSilentLoss flips")

// Environment of a process that a test starts: what it plays, and in which directory.
const (
	partEnv = "CANDOR_TEST_PART"
	dirEnv  = "CANDOR_TEST_DIR"
)

// parts are what a process plays that a test starts.
var parts = map[string]func(dir string) error{"holder": hold}

func TestMain(m *testing.M) {
	if play, ok := parts[os.Getenv(partEnv)]; ok {
		if err := play(os.Getenv(dirEnv)); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// hold opens a directory, says so, and waits until its input ends.
func hold(dir string) error {
	e, err := sqlite.Open(dir, sqlite.Options{})
	if err != nil {
		return err
	}
	fmt.Println("open")
	_, _ = fmt.Scanln()
	return e.Close()
}
