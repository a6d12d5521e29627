package attachtest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/rows"
)

// Damage damages a row, which then cannot be read.
type Damage = func(row string) string

// Replaced returns the damage of a row that replaces a part of it.
func Replaced(old, replacement string) Damage {
	return func(row string) string { return strings.Replace(row, old, replacement, 1) }
}

// harmless are the ways in which a row is damaged after which it can be read.
var harmless = []string{"a zero in it", "a mark in front", "the row twice"}

// damages are the ways in which a row of any program is damaged.
var damages = map[string]Damage{
	"cut in the middle":     func(row string) string { return row[:len(row)/2] + "\n" },
	"without its beginning": func(row string) string { return row[len(row)/3:] },
	"zeros":                 func(row string) string { return strings.Repeat("\x00", len(row)-1) + "\n" },
	"a zero in it":          func(row string) string { return row[:20] + "\x00" + row[20:] },
	"a mark in front":       func(row string) string { return "\ufeff" + strings.TrimSuffix(row, "\n") + "\r\n" },
	"the row twice":         func(row string) string { return strings.TrimSuffix(row, "\n") + row },
	"half of it, and all":   func(row string) string { return row[:len(row)/2] + row },
	"all, and half of it": func(row string) string {
		return strings.TrimSuffix(row, "\n") + row[:len(row)/2] + "\n"
	},
	"a list": func(row string) string { return "[" + strings.TrimSuffix(row, "\n") + "]\n" },
	"deep":   func(string) string { return strings.Repeat(`{"content":[`, 20_000) + "\n" },
}

// Damages returns the ways in which rows of any program are damaged, and more of them.
func Damages(more map[string]Damage) map[string]Damage {
	all := maps.Clone(damages)
	maps.Copy(all, more)
	return all
}

// LostTo returns how many rows are lost to a damage of one row: none if the row can be read all the same.
func LostTo(damage string) int {
	if slices.Contains(harmless, damage) {
		return 0
	}
	return 1
}

// inTurn finds what a sighting may lose where a row is lost: a turn whose prompt was lost.
var inTurn = regexp.MustCompile(`"turn":"[^"]*",`)

// TestDamage damages some rows of a file, each in every way, and more ways for its program. All that is told then is
// told of the whole file, too, in the same turn or in none, and the rows that are lost are counted.
func TestDamage(t *testing.T, file string, at []int, more map[string]Damage,
	read func(t testing.TB, file string) ([]attach.Sighting, rows.Report)) {
	t.Helper()
	lines := strings.SplitAfter(strings.TrimSuffix(file, "\n"), "\n")
	whole, _ := read(t, file)
	known := map[string]int{} // how often each is told, in its turn or in none
	for _, line := range Lines(t, whole) {
		known[line]++
		known[inTurn.ReplaceAllString(line, "")]++
	}
	try := func(name string, damage Damage, at int) {
		t.Run(fmt.Sprintf("%s, row %d", name, at), func(t *testing.T) {
			damaged := slices.Clone(lines)
			damaged[at] = damage(lines[at])
			require.NotEqual(t, lines[at], damaged[at], "no damage")
			list, report := read(t, strings.Join(damaged, ""))
			assert.Equal(t, LostTo(name), report.Malformed+report.Torn, "%+v", report)
			told := map[string]int{}
			for _, line := range Lines(t, list) {
				told[line]++
				// A turn whose end was lost ends with the next prompt, without an answer. What was lost of the session
				// itself may stand in a later row, alone.
				if !strings.Contains(line, `"ended":{}`) && !strings.Contains(line, `"lost":true`) &&
					!strings.Contains(line, `"about":{`) {
					assert.LessOrEqual(t, told[line], known[line], "invented: %s", line)
				}
			}
		})
	}
	for _, row := range at {
		for name, damage := range damages {
			try(name, damage, row)
		}
		for name, damage := range more {
			try(name, damage, row)
		}
	}
}
