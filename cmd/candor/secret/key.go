package secret

import (
	"bytes"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"path/filepath"
	"strings"
)

// size is the length of a key, in bytes.
const size = 32

// Key is the secret of a deployment. The zero Key is none.
type Key [size]byte

// NewKey returns a random key.
func NewKey() (k Key) {
	_, _ = rand.Read(k[:]) // never fails
	return k
}

// IsZero reports whether k is no key.
func (k Key) IsZero() bool { return k == Key{} }

// OrNew returns k, or a random key if k is none.
func (k Key) OrNew() Key {
	if k.IsZero() {
		return NewKey()
	}
	return k
}

// For returns the key for one purpose, of 32 bytes. Whoever has it learns nothing of k or of the keys for
// other purposes.
func (k Key) For(purpose string) []byte {
	derived, _ := hkdf.Key(sha256.New, k[:], nil, "candor "+purpose, size) // fails only for a longer key
	return derived
}

// Token returns a token of the local user for servers that share k and have no folder to keep one in.
func (k Key) Token() string {
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(k.For("token of the local user")[:16])
}

// Values returns the texts by which a file tells the key, so that a safety layer can mask them: none for the
// zero Key.
func (k Key) Values() []string {
	if k.IsZero() {
		return nil
	}
	digits := hex.EncodeToString(k[:])
	return []string{digits, strings.ToUpper(digits)}
}

// keyMark begins the file of a key that [KeyIn] made.
const keyMark = "candor-key-1"

// checkLength is how many digits of a key's SHA-256 follow the key in its file.
const checkLength = 16

// line returns the key as its file has it: the mark, 64 digits, and a checksum of these.
func (k Key) line() string {
	digits := hex.EncodeToString(k[:])
	return strings.Join([]string{keyMark, digits, checksum(digits)}, " ")
}

func checksum(digits string) string {
	sum := sha256.Sum256([]byte(keyMark + " " + digits))
	return hex.EncodeToString(sum[:])[:checkLength]
}

// Reasons why the content of a file is no key. They repeat none of it.
var (
	errNoKey   = errors.New("it holds no key")
	errDamaged = errors.New("its key is damaged: the checksum does not fit")
)

// parseKey reads what line wrote. Where bare is true, it takes 64 digits alone as well, as
// openssl rand -hex 32 prints them.
func parseKey(content []byte, bare bool) (k Key, err error) {
	fields := bytes.Fields(content)
	switch {
	case bare && len(fields) == 1:
		fields = [][]byte{[]byte(keyMark), fields[0], []byte(checksum(string(fields[0])))}
	case len(fields) != 3 || string(fields[0]) != keyMark:
		return Key{}, errNoKey
	}
	if string(fields[2]) != checksum(string(fields[1])) {
		return Key{}, errDamaged
	}
	raw, err := hex.DecodeString(string(fields[1]))
	if err != nil || len(raw) != size || Key(raw).IsZero() {
		return Key{}, errNoKey
	}
	return Key(raw), nil
}

// KeyIn returns the key of the server's folder, which it makes at the first start. The file has the mode 0600,
// and the folder is made with 0700 if it is not there.
func KeyIn(folder string) (Key, error) {
	file := filepath.Join(folder, "key")
	content, err := keep(file, func() string { return NewKey().line() })
	if err != nil {
		return Key{}, err
	}
	k, err := parseKey(content, false)
	if err != nil {
		return Key{}, &FileError{File: file, Reason: err, Remedy: "restore it from a backup; or remove it, and " +
			"the server makes another, with which everybody has to sign in again and workers need new tokens"}
	}
	return k, nil
}

// ReadKey returns the key of a file that replicas share: that of a server's folder, or 64 hexadecimal digits.
// Members of the file's group may read it, and nobody else but its owner.
func ReadKey(file string) (Key, error) {
	content, err := read(file, 0o027)
	if err != nil {
		return Key{}, err
	}
	k, err := parseKey(content, true)
	if err != nil {
		return Key{}, &FileError{File: file, Reason: err,
			Remedy: "write 64 hexadecimal digits into it, as openssl rand -hex 32 prints them"}
	}
	return k, nil
}
