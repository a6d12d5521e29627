package backup

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"time"
)

// The file, version 1. Numbers are big-endian.
//
//	"candor backup 1\n"
//	record …
//
// A record is its kind (1 byte), the length of its content (4), the content, and a CRC-32C of these (4). Texts in a
// content have their length before them (4).
//
//	c  created: when, by which storage                      texts; once, first
//	i  item: name, bytes                                    texts; any number
//	s  session: user, id                                    texts; the last of the same id counts
//	f  frame: first number, last number, bytes as they are  8, 8, rest
//	e  end of the session: its last number                  8
//	x  left out: user, id, why                              texts; what stands since its s does not count; "" if it
//	                                                        was changed or removed while it was read
//	z  end: how many sessions, frames and left out; SHA-256 8, 8, 8, 32; of all bytes before this record; once, last

// signature begins every file of every version; its version follows, and a line break, so that head -1 tells what
// the file is.
const (
	signature = "candor backup "
	version   = 1
)

// The kinds of records.
const (
	kindCreated = 'c'
	kindItem    = 'i'
	kindSession = 's'
	kindFrame   = 'f'
	kindEnd     = 'e'
	kindLeftOut = 'x'
	kindLast    = 'z'
)

const (
	headSize  = 5       // kind and length
	sumSize   = 4       // CRC-32C
	maxRecord = 1 << 28 // bytes of a content; no append is nearly as large
)

// table is that of CRC-32C.
var table = crc32.MakeTable(crc32.Castagnoli)

// Created says when a backup was made, and of what.
type Created struct {
	At     time.Time
	Engine string
}

// Item is a small file beside the sessions, such as the key of a server.
type Item struct {
	Name    string
	Content []byte
}

// LeftOut is a session that a backup does not have, and why.
type LeftOut struct{ User, Session, Reason string }

// Report counts what a backup has.
type Report struct {
	Created  Created
	Sessions int
	Frames   int
	Events   uint64
	Bytes    int64
	LeftOut  []LeftOut // damaged sessions
	Lost     []LeftOut // what Salvage found damaged in sessions that it took, a place at a time
}

// texts encodes texts with their lengths.
func texts(all ...string) (out []byte) {
	for _, t := range all {
		out = binary.BigEndian.AppendUint32(out, uint32(len(t)))
		out = append(out, t...)
	}
	return out
}

// numbers encodes numbers.
func numbers(all ...uint64) (out []byte) {
	for _, n := range all {
		out = binary.BigEndian.AppendUint64(out, n)
	}
	return out
}

// cutTexts reads n texts back. It fails unless they are all that there is.
func cutTexts(content []byte, n int) (all []string, err error) {
	for range n {
		if len(content) < 4 {
			return nil, errContent
		}
		size := binary.BigEndian.Uint32(content)
		if content = content[4:]; uint64(size) > uint64(len(content)) {
			return nil, errContent
		}
		all, content = append(all, string(content[:size])), content[size:]
	}
	if len(content) > 0 {
		return nil, errContent
	}
	return all, nil
}

// cutNumbers reads n numbers back, and returns what stands behind them.
func cutNumbers(content []byte, n int) (all []uint64, rest []byte, err error) {
	for range n {
		if len(content) < 8 {
			return nil, nil, errContent
		}
		all, content = append(all, binary.BigEndian.Uint64(content)), content[8:]
	}
	return all, content, nil
}

// errContent means that a record is not made as its kind demands, although its checksum fits.
var errContent = fmt.Errorf("its content is not that of its kind")

// Fault says where a file is not a backup as it was written, and why. It repeats nothing of the content.
type Fault struct {
	At      int64  // the byte at which the record begins
	Session string // the session that it is part of, if it is known
	Reason  error
}

// Error names the place.
func (f *Fault) Error() string {
	where := fmt.Sprintf("the backup cannot be used: at byte %d", f.At)
	if f.Session != "" {
		where += " (session " + f.Session + ")"
	}
	return fmt.Sprintf("%s: %v", where, f.Reason)
}

// Unwrap returns the reason.
func (f *Fault) Unwrap() error { return f.Reason }
