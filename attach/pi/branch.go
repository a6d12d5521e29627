package pi

import (
	"encoding/json"
	"io"

	"candor/attach/rows"
)

// maxEntries bounds the entries of a file whose branches are told apart. A longer file has no branches.
const maxEntries = 1 << 17

// Branch is the active branch of a file, as far as the file was written when BranchOf read it. The zero value has every
// entry.
type Branch struct {
	left map[string]bool // the entries that are not on it
}

// BranchOf returns the active branch of a file: the entries from the last one back to one without an entry before it.
// Where an entry is lost, the branch goes on with the one that stood before the first that names it.
func BranchOf(file io.Reader) (Branch, error) {
	// The entries before entries, and for one that is not in the file, the one in its place.
	parents, instead := map[string]string{}, map[string]string{}
	last := ""
	var place rows.Place
	_, err := place.Each(file, func(line []byte, _ bool) bool {
		var e struct {
			ID     string `json:"id"`
			Parent string `json:"parentId"`
			Type   string `json:"type"`
		}
		if json.Unmarshal(line, &e) != nil || e.Type == "session" || e.ID == "" {
			return true
		}
		_, known := parents[e.Parent]
		_, named := instead[e.Parent]
		if !known && !named && e.Parent != "" {
			instead[e.Parent] = last
		}
		if _, again := parents[e.ID]; !again {
			parents[e.ID] = e.Parent
		}
		last = e.ID
		return len(parents) < maxEntries
	})
	if err != nil || len(parents) >= maxEntries {
		return Branch{}, err
	}
	// Those that were passed are no longer among the parents, so that this ends whatever the entries name.
	for id := last; id != ""; {
		parent, there := parents[id]
		if !there {
			parent = instead[id]
			delete(instead, id)
		}
		delete(parents, id)
		id = parent
	}
	left := make(map[string]bool, len(parents))
	for id := range parents {
		left[id] = true
	}
	return Branch{left}, nil
}
