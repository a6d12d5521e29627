package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"candor/safety"
	"candor/safety/oracle"
	"candor/safety/oracle/blind"
)

// runBlind measures recall and false positives over the corpus in a folder, whose form
// package blind describes. With -misses it lists what the layer gets wrong.
func runBlind(flags *flag.FlagSet, args []string) error {
	n := flags.Int("n", 3000, "texts with a secret")
	clean := flags.Int("clean", 1500, "texts without a secret, at least")
	seed := flags.Uint64("seed", 1, "seed of all random parts")
	misses := flags.String("misses", "", "file outside of the repository for the texts the layer gets wrong")
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return errors.New("the first argument has to be the folder of the corpus")
	}
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	corpus, err := blind.Load(args[0])
	if err != nil {
		return err
	}
	r := &blindRun{layer: safety.NewLayer(), scores: map[[2]string]score{}}
	if *misses != "" {
		file, err := createOutside(*misses)
		if err != nil {
			return err
		}
		defer file.Close()
		r.misses = bufio.NewWriter(file)
		defer r.misses.Flush()
	}
	r.secrets(corpus.Secrets(*n, *seed))
	r.clean(corpus.CleanTexts(*clean, *seed))
	return r.print(len(corpus.Families))
}

// createOutside creates a file. It refuses to do so inside a git repository, because the
// file will contain texts that look like credentials.
func createOutside(path string) (*os.File, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	for dir := filepath.Dir(full); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return nil, fmt.Errorf("%s is inside the repository %s: choose a file outside of it", path, dir)
		}
		if dir == filepath.Dir(dir) {
			return os.Create(full)
		}
	}
}

// blindRun collects the scores of one run by class and kind. The class of texts without
// a secret is clean, and finding something in them counts as wrong.
type blindRun struct {
	layer  *safety.Layer
	scores map[[2]string]score
	misses *bufio.Writer // nil if nobody wants the list
}

// add counts one text, for its kind and for all kinds.
func (r *blindRun) add(class, kind string, ours, theirs bool) {
	for _, k := range []string{kind, "all"} {
		key := [2]string{class, k}
		r.scores[key] = r.scores[key].plus(scored(ours, theirs))
	}
}

// secrets scores texts with a secret: it is found when too little of it is left to see.
func (r *blindRun) secrets(samples []blind.Sample) {
	for _, s := range samples {
		cleaned, _ := r.layer.Mask(s.Text)
		found := !s.IsVisibleIn(cleaned.String())
		r.add(s.Class, s.Kind, found, oracle.Finds(s.Text, s.Secret))
		if !found {
			r.list(s.Family, s.Kind, s.Text)
		}
	}
}

// clean scores texts without a secret: the layer is wrong when it changes one, or has a
// finding that hides its matches.
func (r *blindRun) clean(texts []blind.HarmlessText) {
	for _, t := range texts {
		cleaned, report := r.layer.Mask(t.Text)
		hides := slices.ContainsFunc(report.Findings, func(f safety.Finding) bool { return f.Effect.Hides() })
		wrong := hides || cleaned.String() != t.Text
		r.add("clean", t.Kind, wrong, len(oracle.Detector().DetectString(t.Text)) > 0)
		if wrong {
			r.list("clean", t.Kind, t.Text)
		}
	}
}

// list appends a line to the list of wrong results. Line breaks, tabs and backslashes in
// the text are escaped.
func (r *blindRun) list(family, kind, text string) {
	if r.misses == nil {
		return
	}
	escaped := strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\t", `\t`, "\r", `\r`).Replace(text)
	fmt.Fprintf(r.misses, "%s\t%s\t%s\n", family, kind, escaped)
}

// print writes both tables.
func (r *blindRun) print(families int) error {
	out := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	kinds := append(slices.Clone(blind.Kinds), "all")
	fmt.Fprintf(out, "recall (%d families)\tsamples\tcandor\tgitleaks\n", families)
	for _, kind := range kinds {
		var both score
		for _, class := range blind.Classes {
			one := r.scores[[2]string{class, kind}]
			fmt.Fprintf(out, "%s, %s\t%s\n", class, kind, one)
			both = both.plus(one)
		}
		fmt.Fprintf(out, "both, %s\t%s\n", kind, both)
	}
	fmt.Fprintln(out, "\nfalse positives\ttexts\tcandor\tgitleaks")
	for _, kind := range kinds {
		fmt.Fprintf(out, "%s\t%s\n", kind, r.scores[[2]string{"clean", kind}])
	}
	return out.Flush()
}
