package archtest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mutation is a small break of the code that a test must notice.
type mutation struct {
	list     string   // file of the list, and the line of the entry
	file     string   // the changed file, relative to the module
	why      string   // what would be wrong for a user
	pkg      string   // folder of the test, relative to the module
	test     string   // name of the test, perhaps with that of a subtest
	flags    []string // of the go command, for a test that fails only with them, such as -race
	old, new string
}

// readMutations reads the mutations.txt files in the testdata folders of all packages.
//
// An entry begins with the name of a file of the package and the consequence of the break, then
// names the test that must fail, and then has the old lines after "-" and the new lines after "+".
// A test of another package stands after that package's folder, and the flags of the go command
// that a test needs to fail have a line of their own. Entries are separated by empty lines; lines
// that begin with # are comments.
//
//	fold.go: two snapshots share a step's calls
//	test: TestTwoFoldsOfOneSnapshotDoNotMeet
//	-	calls = append(slices.Clip(calls), c)
//	+	calls = append(calls, c)
//
//	store.go: a reader sees half a session
//	test: TestReadersBesideWriters
//	flags: -race
//	-	s.mu.RLock()
//	+
func readMutations(t *testing.T) (all []mutation) {
	t.Helper()
	root := moduleRoot()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains([]string{"node_modules", ".git", "bin"}, d.Name()) {
			return filepath.SkipDir
		}
		if d.Name() != "mutations.txt" || filepath.Base(filepath.Dir(path)) != "testdata" {
			return nil
		}
		folder, err := filepath.Rel(root, filepath.Dir(filepath.Dir(path)))
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		list, err := parseMutations(filepath.ToSlash(folder), string(text))
		all = append(all, list...)
		return err
	})
	require.NoError(t, err)
	return all
}

// parseMutations parses one list. folder is that of its package.
func parseMutations(folder, text string) (all []mutation, err error) {
	var m *mutation
	for i, line := range strings.Split(text, "\n") {
		at := fmt.Sprintf("%s/testdata/mutations.txt:%d", folder, i+1)
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.TrimSpace(line) == "":
			m = nil
		case m == nil:
			file, why, ok := strings.Cut(line, ": ")
			if !ok {
				return nil, fmt.Errorf("%s: an entry begins with a file and the consequence of its break", at)
			}
			all = append(all, mutation{list: at, file: folder + "/" + file, why: why, pkg: folder})
			m = &all[len(all)-1]
		case strings.HasPrefix(line, "test: "):
			m.test = strings.TrimPrefix(line, "test: ")
			if pkg, test, ok := strings.Cut(m.test, " "); ok {
				m.pkg, m.test = pkg, test
			}
		case strings.HasPrefix(line, "flags: "):
			m.flags = strings.Fields(strings.TrimPrefix(line, "flags: "))
		case line[0] == '-':
			m.old += line[1:] + "\n"
		case line[0] == '+':
			m.new += line[1:] + "\n"
		default:
			return nil, fmt.Errorf("%s: %q is no part of an entry", at, line)
		}
	}
	return all, nil
}

// apply returns the text of the mutated file. The old lines have to occur in it exactly once.
func (m mutation) apply() (string, error) {
	text, err := os.ReadFile(filepath.Join(moduleRoot(), m.file))
	if err != nil {
		return "", err
	}
	switch n := strings.Count(string(text), m.old); {
	case m.old == "" || m.old == m.new:
		return "", fmt.Errorf("%s: the entry changes nothing", m.list)
	case n != 1:
		return "", fmt.Errorf("%s: the old lines occur %d times in %s, not once", m.list, n, m.file)
	}
	return strings.Replace(string(text), m.old, m.new, 1), nil
}

// TestMutationsFitTheCode holds that each entry of the lists can be applied, and that its test
// exists. Whether the test fails is what make mutate finds out.
func TestMutationsFitTheCode(t *testing.T) {
	all := readMutations(t)
	require.NotEmpty(t, all)
	tests := map[string]string{} // the text of a package's tests, by folder
	for _, m := range all {
		_, err := m.apply()
		assert.NoError(t, err)
		if _, read := tests[m.pkg]; !read {
			tests[m.pkg] = testsOf(t, m.pkg)
		}
		name, _, _ := strings.Cut(m.test, "/")
		declaration := `(?m)^func ` + regexp.QuoteMeta(name) + `\(`
		assert.Regexp(t, declaration, tests[m.pkg], "%s: no such test in %s", m.list, m.pkg)
	}
	listed := map[string]string{}
	for _, m := range all {
		lines := m.file + m.old + m.new
		assert.Empty(t, listed[lines], "%s: this break is listed already", m.list)
		listed[lines] = m.list
	}
}

// testsOf returns the text of all tests in a folder.
func testsOf(t *testing.T, folder string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(moduleRoot(), folder, "*_test.go"))
	require.NoError(t, err)
	var all strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		all.Write(text)
	}
	return all.String()
}

func TestMutationListsAreParsed(t *testing.T) {
	got, err := parseMutations("room", "# note\nfold.go: a step is lost\ntest: TestSteps/of_two\n-\ta\n-\tb\n+\tc\n\n"+
		"log.go: seq repeats\ntest: web/sse TestIDs\nflags: -race -cpu=4\n-x\n+\n")
	require.NoError(t, err)
	assert.Equal(t, []mutation{
		{"room/testdata/mutations.txt:2", "room/fold.go", "a step is lost", "room", "TestSteps/of_two", nil,
			"\ta\n\tb\n", "\tc\n"},
		{"room/testdata/mutations.txt:8", "room/log.go", "seq repeats", "web/sse", "TestIDs",
			[]string{"-race", "-cpu=4"}, "x\n", "\n"},
	}, got)
	for _, bad := range []string{"no colon", "a.go: b\nno sign"} {
		_, err := parseMutations("room", bad)
		assert.Error(t, err, bad)
	}
}
