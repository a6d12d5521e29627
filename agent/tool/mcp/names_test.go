package mcp

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// provider matches the names that providers accept.
var provider = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func TestNames(t *testing.T) {
	long := strings.Repeat("x", 80)
	for about, c := range map[string]struct {
		reserved []string
		all      []origin
		want     []string
	}{
		"a unique name stays": {
			nil, []origin{{"a", "read_file"}, {"b", "search"}}, []string{"read_file", "search"},
		},
		"all tools that share a name get a prefix": {
			nil, []origin{{"a", "s"}, {"b", "s"}, {"b", "t"}}, []string{"a__s", "b__s", "t"},
		},
		"a tool with a reserved name gets a prefix": {
			[]string{"time"}, []origin{{"a", "time"}}, []string{"a__time"},
		},
		"other characters are replaced": {
			nil, []origin{{"a", "files.read/all"}, {"a", "größe"}}, []string{"files_read_all", "gr__e"},
		},
		"names that replacing makes equal get a hash": {
			nil, []origin{{"a", "x.y"}, {"a", "x/y"}},
			[]string{"a__x_y_" + hashOf("a", "x.y"), "a__x_y_" + hashOf("a", "x/y")},
		},
		"a prefix may produce the name of another tool": {
			nil, []origin{{"a", "s"}, {"b", "s"}, {"c", "a__s"}},
			[]string{"a__s_" + hashOf("a", "s"), "b__s", "c__a__s"},
		},
		"a long name is cut": {nil, []origin{{"a", long}}, []string{mark(long, long)}},
		"an empty name":      {nil, []origin{{"a", ""}}, []string{"_e3b0c442"}},
	} {
		reserved := map[string]bool{}
		for _, r := range c.reserved {
			reserved[r] = true
		}
		got := nameAll(c.all, reserved)
		for i, o := range c.all {
			assert.Equal(t, c.want[i], got[o], about)
		}
	}
}

// hashOf returns the hash that distinguishes a tool.
func hashOf(server, tool string) string {
	name := mark("", server+"\x00"+tool)
	return name[1:]
}

func FuzzNames(f *testing.F) {
	f.Add("a", "x.y", "b", "x/y", "a__x_y")
	f.Add("\x00", "", "", "\x00", "_")
	f.Add("", "", "\x00", strings.Repeat("ü", 99), "_")
	f.Fuzz(func(t *testing.T, s1, t1, s2, t2, taken string) {
		all := []origin{{s1, t1}, {s2, t2}, {s1, t2}, {s2, t1}, {s1, s2 + "__" + t1}, {s2, cleanName(t2)}}
		slices.SortFunc(all, func(a, b origin) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		all = slices.Compact(all)
		reserved := map[string]bool{taken: true}
		assigned := nameAll(all, reserved)
		seen := map[string]bool{taken: true}
		for _, o := range all {
			assert.Regexp(t, provider, assigned[o])
			assert.False(t, seen[assigned[o]], "%q twice, or reserved", assigned[o])
			seen[assigned[o]] = true
		}
		slices.Reverse(all)
		assert.Equal(t, assigned, nameAll(all, reserved), "the order does not matter")
	})
}
