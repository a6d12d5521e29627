package main

import (
	"cmp"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// shares is the weight of each kind of file, however many bytes of it there are. Prose
// has half of it, because half of what agents write is prose.
var shares = map[string]float64{".md": 0.55, ".go": 0.12, ".py": 0.12, ".ts": 0.12, ".json": 0.05, ".yaml": 0.04}

const (
	bands = 7
	// first is the commonest band: trigrams at more than one of 256 positions. Each
	// further band is half as common.
	first = 1 << 8
	// most bounds the bytes of a kind that one directory adds, so that no project dominates.
	most = 2 << 20
)

// gram is three neighbouring bytes, folded to lower case by setting bit 0x20, as the
// filter does. Other characters fold too, which does no harm: the filter finds
// candidates only, and a matcher decides.
type gram [3]byte

// grams counts trigrams in the files below the given directories and prints the commonest.
// The detector's filter reads the result, so that it can look for each keyword by the
// rarest three bytes in it.
func grams(flags *flag.FlagSet, args []string) error {
	if err := flags.Parse(args); err != nil {
		return err
	}
	counts, totals := map[string]map[gram]int{}, map[string]int{}
	for kind := range shares {
		counts[kind] = map[gram]int{}
	}
	for _, dir := range flags.Args() {
		if err := count(dir, counts, totals); err != nil {
			return err
		}
	}
	// Each kind has a fixed weight, so the sum is independent of how much there is of it.
	share := map[gram]float64{}
	for kind, all := range counts {
		for g, n := range all {
			share[g] += shares[kind] * float64(n) / float64(max(1, totals[kind]))
		}
	}
	write(share)
	return nil
}

// count adds the trigrams of the files below dir to counts, and their number to totals,
// both by kind. It skips test data and files above 256 KB, which are mostly generated.
func count(dir string, counts map[string]map[gram]int, totals map[string]int) error {
	read := map[string]int{}
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		kind := filepath.Ext(path)
		if err != nil || d.IsDir() || counts[kind] == nil || read[filepath.Dir(path)+kind] > most ||
			strings.Contains(path, "testdata") {
			return nil
		}
		// A file that cannot be read is no reason to lose the count of the others.
		text, err := os.ReadFile(path)
		if err != nil || len(text) > 1<<18 {
			return nil
		}
		read[filepath.Dir(path)+kind] += len(text)
		for i := 0; i+3 <= len(text); i++ {
			if g := (gram{text[i] | 0x20, text[i+1] | 0x20, text[i+2] | 0x20}); plain(g) {
				counts[kind][g]++
			}
			totals[kind]++
		}
		return nil
	})
}

// plain reports whether a trigram can be printed: its bytes are ASCII, or 0x7f, which is
// the folded underscore.
func plain(g gram) bool {
	return !slices.ContainsFunc(g[:], func(b byte) bool { return b > 0x7e && b != 0x7f })
}

// write prints a line for each band, the commonest first. Folding turns an underscore
// into 0x7f; it is printed as an underscore again.
func write(share map[gram]float64) {
	var by [bands][]gram
	for g, s := range share {
		for band := range bands {
			// A band's bound is 1 in first<<band positions.
			if s*float64(int(first)<<band) >= 1 {
				by[band] = append(by[band], g)
				break
			}
		}
	}
	// Ties are broken by the bytes, so that the output is reproducible.
	for _, band := range by {
		slices.SortFunc(band, func(a, b gram) int {
			return cmp.Or(cmp.Compare(share[b], share[a]), strings.Compare(string(a[:]), string(b[:])))
		})
		for _, g := range band {
			fmt.Print(strings.ReplaceAll(string(g[:]), "\x7f", "_"))
		}
		fmt.Println()
	}
}
