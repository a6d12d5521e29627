// Package built builds the programs that tests run in processes of their own: candor, and a NATS server.
//
// A program is built once for all test binaries, into bin/test of the module, from what the go command has cached. A
// test binary that runs candor therefore contains neither the command line nor what that imports, and takes a second
// less to link; that of the JetStream engine is the only one that contains a NATS server. Each function states all
// source files of the program, so that the go command does not repeat a cached result of a test whose program has
// changed.
//
// To run another program, add a function that calls program with what go makes it of.
package built

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Folder is the environment variable that names another folder than bin for the programs, for a run of the tests whose
// sources are others than those in the tree.
const Folder = "CANDOR_TEST_BIN"

var (
	building sync.Mutex
	paths    = map[string]string{} // of the programs that this process has built

	// What go test has set: the folder of the tested package, and where the go command's caches are. A test may
	// change both.
	start, _ = os.Getwd()
	environ  = os.Environ()
)

// Candor returns the path of the candor program, which it builds if it is not there or is not of these sources.
func Candor(t testing.TB) string {
	t.Helper()
	return program(t, "candor", "./cmd/candor", "build")
}

// program returns the path of a program that a go command makes of a package. Other test binaries that want the same
// program wait for it.
func program(t testing.TB, name, pkg string, verb ...string) string {
	t.Helper()
	root := Root(t)
	building.Lock()
	defer building.Unlock()
	if file, done := paths[name]; done {
		return file
	}
	stateSources(t, root, pkg)
	dir := cmp.Or(os.Getenv(Folder), filepath.Join(root, "bin", "test"))
	require.NoError(t, os.MkdirAll(dir, 0o755))
	file := filepath.Join(dir, name)
	lock, err := os.OpenFile(file+".lock", os.O_CREATE|os.O_RDWR, 0o644)
	require.NoError(t, err)
	defer lock.Close()
	require.NoError(t, syscall.Flock(int(lock.Fd()), syscall.LOCK_EX))
	made := file + ".made"
	cmd := exec.Command("go", append(verb, "-o", made, "-ldflags=-s -w", pkg)...)
	cmd.Dir, cmd.Env = root, environ
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	replace(t, file, made)
	paths[name] = file
	return file
}

// replace makes file what made is. A file that is so already keeps its time: the go command touches what it makes even
// where nothing has changed. It also takes note of each file that a test opens, and would run the test again because of
// made; hence other programs open that.
func replace(t testing.TB, file, made string) {
	t.Helper()
	const script = `cmp -s "$1" "$0" || { cp "$1" "$0.new" && mv "$0.new" "$0"; }`
	out, err := exec.Command("sh", "-c", script, file, made).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// stateSources asks for the state of each file of the module that goes into the program, and of their folders. The go
// command remembers what a test asked for, and runs the test again when it is no longer so.
func stateSources(t testing.TB, root, pkg string) {
	t.Helper()
	const files = `{{.Dir}}{{range .GoFiles}}|{{.}}{{end}}{{range .EmbedFiles}}|{{.}}{{end}}`
	list := exec.Command("go", "list", "-deps", "-test", "-f",
		"{{if .Module}}{{if .Module.Main}}"+files+"{{end}}{{end}}", pkg)
	list.Dir, list.Env = root, environ
	out, err := list.Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(out)) {
		dir, files, _ := strings.Cut(strings.TrimSpace(line), "|")
		for name := range strings.SplitSeq("|"+files, "|") {
			_, _ = os.Stat(filepath.Join(dir, name)) // what cannot be read, the build reports
		}
	}
}

// Root returns the folder of the module, which is the first above the tested package that has a go.mod.
func Root(t testing.TB) string {
	t.Helper()
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		require.NotEqual(t, dir, filepath.Dir(dir), "no go.mod above the test")
	}
}
