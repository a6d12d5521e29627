package safety

import (
	"bufio"
	"io"
	"strings"
)

// KnownSecrets makes a layer mask these values anywhere in a text, plain or encoded.
// Case matters. Values shorter than four bytes are ignored.
func KnownSecrets(values ...string) Option {
	return func(l *Layer) { l.known = append(l.known, values...) }
}

// ReadSecrets reads values for [KnownSecrets], one a line. It trims spaces and skips
// empty lines and those that start with #. A line may have up to 1 MB.
func ReadSecrets(r io.Reader) ([]string, error) {
	var values []string
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if v := strings.TrimSpace(lines.Text()); v != "" && v[0] != '#' {
			values = append(values, v)
		}
	}
	return values, lines.Err()
}
