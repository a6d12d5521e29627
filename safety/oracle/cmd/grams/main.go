// Command grams counts three neighbouring bytes in documents and sources and
// prints the commonest, for package safety's filter, which files each anchor under
// what is rare.
//
//	grams DIR... > ../grams.txt
package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// shares are how much each kind of file counts, whatever there is of it: half of
// what agents write is prose.
var shares = map[string]float64{".md": 0.55, ".go": 0.12, ".py": 0.12, ".ts": 0.12, ".json": 0.05, ".yaml": 0.04}

const (
	bands = 7
	first = 1 << 8  // the commonest band: each at more than one place of 256
	most  = 2 << 20 // bytes of a kind that one directory may add, lest one project speak for all
)

type gram [3]byte

func main() {
	counts, totals := map[string]map[gram]int{}, map[string]int{}
	for kind := range shares {
		counts[kind] = map[gram]int{}
	}
	for _, dir := range os.Args[1:] {
		if err := count(dir, counts, totals); err != nil {
			log.Fatal(err)
		}
	}
	share := map[gram]float64{}
	for kind, all := range counts {
		for g, n := range all {
			share[g] += shares[kind] * float64(n) / float64(max(1, totals[kind]))
		}
	}
	write(share)
}

// count adds what stands in the files below a directory.
func count(dir string, counts map[string]map[gram]int, totals map[string]int) error {
	read := map[string]int{}
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		kind := filepath.Ext(path)
		if err != nil || d.IsDir() || counts[kind] == nil || read[filepath.Dir(path)+kind] > most || strings.Contains(path, "testdata") {
			return nil
		}
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

// plain reports whether a trigram can be written down: printable, once folded.
func plain(g gram) bool {
	return !slices.ContainsFunc(g[:], func(b byte) bool { return b > 0x7e && b != 0x7f })
}

// write prints a line for each band, the commonest first.
func write(share map[gram]float64) {
	var by [bands][]gram
	for g, s := range share {
		for band := range bands {
			if s*float64(int(first)<<band) >= 1 {
				by[band] = append(by[band], g)
				break
			}
		}
	}
	for _, grams := range by {
		slices.SortFunc(grams, func(a, b gram) int {
			return cmp.Or(cmp.Compare(share[b], share[a]), strings.Compare(string(a[:]), string(b[:])))
		})
		for _, g := range grams {
			fmt.Print(strings.ReplaceAll(string(g[:]), "\x7f", "_"))
		}
		fmt.Println()
	}
}
