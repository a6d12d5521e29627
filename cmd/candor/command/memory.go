package command

import (
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"
)

// The least that a session and the process may be given: a session needs room for one large
// request, the process for its code, its rules and a few sessions.
const (
	leastSession = 4 << 20
	leastProcess = 64 << 20
)

// sizeFlag is a flag whose value is a size in memory, such as 256MiB.
type sizeFlag = cli.FlagBase[int, cli.NoConfig, sizeValue]

// sizeValue reads and writes a number of bytes with a unit.
type sizeValue struct{ bytes *int }

// units are the units of sizes, the largest first.
var units = []struct {
	name  string
	bytes int
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

// Create implements cli.ValueCreator.
func (sizeValue) Create(value int, to *int, _ cli.NoConfig) cli.Value {
	*to = value
	return &sizeValue{to}
}

// ToString implements cli.ValueCreator.
func (sizeValue) ToString(n int) string {
	for _, u := range units {
		if n > 0 && n%u.bytes == 0 {
			return strconv.Itoa(n/u.bytes) + u.name
		}
	}
	return strconv.Itoa(n) + " bytes"
}

// Set implements flag.Value.
func (s *sizeValue) Set(text string) error {
	for _, u := range units {
		number, ok := strings.CutSuffix(text, u.name)
		if n, err := strconv.Atoi(strings.TrimSpace(number)); ok && err == nil && n > 0 && n <= 1<<20 {
			*s.bytes = n * u.bytes
			return nil
		}
	}
	return fmt.Errorf("%q is not a size such as 256MiB or 2GiB", text)
}

// String implements flag.Value.
func (s *sizeValue) String() string { return s.ToString(*s.bytes) }

// Get implements flag.Getter.
func (s *sizeValue) Get() any { return *s.bytes }

// checkMemory reports limits that contradict each other, or leave no room to work in.
func checkMemory(s serveSettings) error {
	switch {
	case s.SessionMemory > 0 && s.SessionMemory < leastSession:
		return fmt.Errorf("--session-memory: %d bytes is too small; want at least 4MiB", s.SessionMemory)
	case s.Memory < leastProcess:
		return fmt.Errorf("--memory: %d bytes is too small; want at least 64MiB", s.Memory)
	case s.SessionMemory > s.Memory/2:
		return fmt.Errorf("--session-memory %s is more than half of --memory %s, which is what all sessions may hold",
			sizeValue{}.ToString(s.SessionMemory), sizeValue{}.ToString(s.Memory))
	}
	return nil
}

// limitHeap makes the garbage collector work harder as the process nears its memory, unless
// the environment has told the runtime something else.
func limitHeap(memory int) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(memory) / 10 * 9)
	}
}
