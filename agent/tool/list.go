package tool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
)

const (
	maxEntries = 500    // entries returned
	maxListed  = 20_000 // entries read, so that the cost of a huge folder is bounded
)

// listArgs are the arguments of file_list.
type listArgs struct {
	Path string `json:"path,omitempty" jsonschema:"folder to list, relative to the workspace, which is the default"`
}

// listResult is the result of file_list. Total counts the entries that were read, of which
// Entries has the first maxEntries; Truncated is set if there are more.
type listResult struct {
	Path      string  `json:"path"`
	Entries   []entry `json:"entries"`
	Total     int     `json:"total"`
	Truncated string  `json:"truncated,omitempty"`
}

// entry is a file or folder. Size is set for regular files.
type entry struct {
	Path string `json:"path"`
	Kind string `json:"kind"`           // file, folder, link or other
	Size *int64 `json:"size,omitempty"` // files only
}

// list returns one folder of the workspace, sorted by name.
func (w workspace) list(ctx context.Context, in listArgs) (listResult, error) {
	at, err := locate(in.Path)
	if err != nil {
		return listResult{}, err
	}
	info, err := w.stat(at)
	if err != nil {
		return listResult{}, err
	}
	if !info.IsDir() {
		return listResult{}, fmt.Errorf("%s is a file, not a folder; file_read shows what is in it", at.name)
	}
	found, more, err := w.entries(ctx, at)
	if err != nil {
		return listResult{}, err
	}
	out := listResult{Path: at.path, Entries: make([]entry, 0, min(len(found), maxEntries)), Total: len(found)}
	for _, d := range found[:min(len(found), maxEntries)] {
		out.Entries = append(out.Entries, describe(at.path, d))
	}
	switch {
	case more:
		out.Truncated = fmt.Sprintf("stopped after %d of more than %d entries", len(out.Entries), maxListed)
	case len(found) > maxEntries:
		out.Truncated = fmt.Sprintf("stopped after %d of %d entries", maxEntries, len(found))
	}
	return out, nil
}

// entries returns a folder's entries sorted by name. more reports that it stopped reading
// at maxListed entries.
func (w workspace) entries(ctx context.Context, at location) (found []fs.DirEntry, more bool, err error) {
	dir, info, err := w.openFolder(at)
	if err != nil {
		return nil, false, err
	}
	defer dir.Close()
	if isPrivate(info, w.private.identities()) {
		return nil, false, refusal(at)
	}
	for len(found) < maxListed {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		batch, err := dir.ReadDir(1000)
		found = append(found, batch...)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, false, explain(at, err)
		}
	}
	slices.SortFunc(found, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return found, len(found) >= maxListed, nil
}

// describe returns an entry as the tool shows it. It does not follow links.
func describe(folder string, d fs.DirEntry) entry {
	e := entry{Path: valid(path.Join(folder, d.Name())), Kind: "other"}
	switch {
	case d.IsDir():
		e.Kind = "folder"
	case d.Type()&fs.ModeSymlink != 0:
		e.Kind = "link"
	case d.Type().IsRegular():
		e.Kind = "file"
		// A file that was deleted meanwhile is listed without a size.
		if info, err := d.Info(); err == nil {
			e.Size = new(info.Size())
		}
	}
	return e
}
