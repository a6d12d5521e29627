package tool

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
)

const (
	maxMatches    = 100
	maxSearched   = 10_000  // files opened per search
	maxSearchSize = 1 << 20 // bytes; larger files are skipped
	maxLine       = 300     // bytes of a line that a match shows
)

// searchArgs are the arguments of file_search.
type searchArgs struct {
	Query string `json:"query" jsonschema:"text to look for, as it stands, within one line"`
	Path  string `json:"path,omitempty" jsonschema:"folder or file to search, relative to the workspace, its default"`

	CaseSensitive bool `json:"case_sensitive,omitempty" jsonschema:"tell upper case from lower case"`
}

// searchResult is the result of file_search. The counts let the model judge how complete
// the search was.
type searchResult struct {
	Matches   []match `json:"matches"`
	Searched  int     `json:"files_searched"`
	Skipped   int     `json:"files_skipped,omitempty"` // binary, too large, private or unreadable
	Truncated string  `json:"truncated,omitempty"`     // set if there may be more matches
}

// match is one line that contains the text. Lines count from 1.
type match struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

// searchFiles searches a folder and all below it, or a single file. It leaves out .git and
// node_modules, unless the search starts there, and always what is private.
func (w workspace) searchFiles(ctx context.Context, in searchArgs) (searchResult, error) {
	switch {
	case strings.TrimSpace(in.Query) == "":
		return searchResult{}, errors.New("query is empty; give the text to look for")
	case strings.ContainsAny(in.Query, "\r\n"):
		return searchResult{}, errors.New(
			"query has a line break; matches lie within one line, so look for a part of it")
	}
	at, err := locate(in.Path)
	if err != nil {
		return searchResult{}, err
	}
	if _, err := w.stat(at); err != nil {
		return searchResult{}, err
	}
	s := &search{workspace: w, start: at.path, needle: in.Query, fold: !in.CaseSensitive,
		identities: w.private.identities()}
	if s.fold {
		s.needle = strings.ToLower(s.needle)
	}
	s.out.Matches = []match{}
	// WalkDir sorts each folder by name. It does not follow links, so there are no loops.
	err = fs.WalkDir(searchFS{w.root.FS().(fs.StatFS), w}, at.path, func(p string, d fs.DirEntry, err error) error {
		return s.visit(ctx, p, d, err)
	})
	if err != nil {
		return searchResult{}, err
	}
	return s.out, nil
}

// search is the state of one run of file_search.
type search struct {
	workspace
	start, needle string
	fold          bool // ignore case; the needle is in lower case
	out           searchResult

	identities []fs.FileInfo // of the private files, as of the current folder
}

// searchFS is the workspace as fs.WalkDir reads it. Reading a folder never waits, also if
// its path leads to a pipe by now.
type searchFS struct {
	fs.StatFS
	workspace
}

// ReadDir implements fs.ReadDirFS.
func (s searchFS) ReadDir(name string) ([]fs.DirEntry, error) {
	dir, _, err := s.openFolder(location{path: name}) // the error is not shown
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	found, err := dir.ReadDir(-1)
	slices.SortFunc(found, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return found, err
}

// visit searches one file of the walk, or decides not to.
func (s *search) visit(ctx context.Context, p string, d fs.DirEntry, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		s.out.Skipped++
		return nil
	case d.IsDir() && p != s.start && leftOut(d.Name()):
		return fs.SkipDir
	case d.IsDir():
		s.identities = s.private.identities()
		return nil
	case !d.Type().IsRegular() && p != s.start:
		return nil
	case s.out.Searched == maxSearched:
		s.out.Truncated = fmt.Sprintf("stopped after %d files; give a path to search fewer", maxSearched)
		return fs.SkipAll
	}
	content, ok := s.load(p)
	if !ok {
		s.out.Skipped++
		return nil
	}
	s.out.Searched++
	return s.scan(ctx, p, content)
}

// leftOut reports whether a search passes over folders of this name.
func leftOut(name string) bool {
	return name == ".git" || name == "node_modules" || strings.EqualFold(name, StateFolder)
}

// load returns a file's content. ok is false unless it is text of up to maxSearchSize
// bytes that is not private.
func (s *search) load(p string) ([]byte, bool) {
	f, info, err := s.openRegular(location{path: p}) // the error is not shown
	if err != nil {
		return nil, false
	}
	defer f.Close()
	if isPrivate(info, s.identities) {
		return nil, false
	}
	// Counting what is read is reliable, while the file's size may change meanwhile.
	content, err := io.ReadAll(io.LimitReader(f, maxSearchSize+1))
	if err != nil || len(content) > maxSearchSize || binary(content) {
		return nil, false
	}
	return content, true
}

// scan adds the matching lines of a file to the result.
func (s *search) scan(ctx context.Context, p string, content []byte) error {
	number := 0
	for line := range bytes.Lines(content) {
		if number++; number%1000 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		text := strings.TrimRight(string(line), "\r\n")
		at := s.index(text)
		if at < 0 {
			continue
		}
		if len(s.out.Matches) == maxMatches {
			s.out.Truncated = fmt.Sprintf(
				"stopped after %d matches; search for more words or in one folder", maxMatches)
			return fs.SkipAll
		}
		s.out.Matches = append(s.out.Matches, match{valid(p), number, excerpt(text, at, len(s.needle))})
	}
	return nil
}

// index returns the offset of the needle in a line, or -1. If case is ignored the offset
// may be wrong by a few bytes where lower case changes a letter's length; that only moves
// the excerpt.
func (s *search) index(line string) int {
	if s.fold {
		line = strings.ToLower(line)
	}
	return strings.Index(line, s.needle)
}
