package rows

import (
	"encoding/json"
	"io"
)

// maxEnd bounds the end of a session file that is read backwards, in bytes.
const maxEnd = 64 << 20

// Complete returns the payload of a hook, a JSON object, with a further member candor: what find makes of the session
// file at a path, which [Backward] reads. Where the file cannot be read or find finds nothing, the payload stays as it
// is: a hook is passed on whatever its file is like.
func Complete[T any](payload []byte, path string, open func(path string) (io.ReadSeekCloser, error),
	find func(file io.ReadSeeker) (found T, ok bool)) []byte {
	in, err := open(path)
	if err != nil {
		return payload
	}
	defer in.Close()
	found, ok := find(in)
	var all map[string]json.RawMessage
	if !ok || json.Unmarshal(payload, &all) != nil || all == nil {
		return payload
	}
	all["candor"], _ = json.Marshal(found)
	whole, err := json.Marshal(all)
	if err != nil {
		return payload
	}
	return whole
}
