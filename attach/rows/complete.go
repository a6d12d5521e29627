package rows

import (
	"encoding/json"
	"io"
)

// maxEnd bounds the end of a session file that is read backward, in bytes.
const maxEnd = 64 << 20

// Complete returns a hook's payload, a JSON object, with a further member candor: the result of find for the session
// file at a path, which find may read with [Backward]. If the file cannot be read or find returns false, the payload
// stays unchanged, so that the hook is passed on in any case.
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
