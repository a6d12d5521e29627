package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/google/uuid"
)

// Sum is the hash of a frame, which covers the hash of the frame before it. The zero Sum stands
// before the first frame.
type Sum [sha256.Size]byte

// version is the first byte of every frame.
const version = 1

// The kinds of frames, their second byte.
const (
	kindEvents = 1 // followed by the writer, the append and the events
	kindErased = 2 // followed by a checksum
)

// The parts of a frame: version, kind, first and last number, the hash of the frame before, its own.
const (
	headSize  = 2 + 8 + 8 + 2*sha256.Size
	idsSize   = 16 + 16
	checkSize = 8
)

// Batch is a frame that was read back and checked.
type Batch struct {
	First, Last    uint64
	Erased         bool
	Writer, Append uuid.UUID // of the process and the append; zero if Erased
	Payload        []byte    // the events; nil if Erased
	Before, Sum    Sum
}

// frame encodes a batch and sets its hash.
func (b *Batch) frame() Frame {
	if !b.Erased {
		b.Sum = b.hash()
	}
	data := make([]byte, 0, headSize+idsSize+len(b.Payload))
	data = append(data, version, b.kind())
	data = binary.BigEndian.AppendUint64(data, b.First)
	data = binary.BigEndian.AppendUint64(data, b.Last)
	data = append(append(data, b.Before[:]...), b.Sum[:]...)
	if b.Erased {
		data = append(data, check(data)...)
	} else {
		data = append(append(append(data, b.Writer[:]...), b.Append[:]...), b.Payload...)
	}
	return Frame{First: b.First, Last: b.Last, Data: data}
}

// Gap returns the frame that stands in the place of events that were lost, as if they had been erased: before is the
// hash of the frame before them, and sum the one that the frame behind them has for theirs.
func Gap(first, last uint64, before, sum Sum) Frame {
	b := Batch{First: first, Last: last, Erased: true, Before: before, Sum: sum}
	return b.frame()
}

func (b *Batch) kind() byte {
	if b.Erased {
		return kindErased
	}
	return kindEvents
}

// hash returns what Sum is for a batch of events.
func (b *Batch) hash() (s Sum) {
	h := sha256.New()
	h.Write(b.Before[:])
	var numbers [18]byte
	numbers[0], numbers[1] = version, kindEvents
	binary.BigEndian.PutUint64(numbers[2:], b.First)
	binary.BigEndian.PutUint64(numbers[10:], b.Last)
	h.Write(numbers[:])
	h.Write(b.Writer[:])
	h.Write(b.Append[:])
	h.Write(b.Payload)
	h.Sum(s[:0])
	return s
}

// check returns the checksum of an erased frame without it.
func check(data []byte) []byte {
	sum := sha256.Sum256(data)
	return sum[:checkSize]
}

// decode reads a frame back. It fails with a reason if the frame is not as it was written; it
// does not know the frame before it.
func decode(f Frame) (b Batch, err error) {
	d := f.Data
	switch {
	case len(d) < headSize+checkSize:
		return b, fmt.Errorf("its frame is cut to %d bytes", len(d))
	case d[0] != version:
		return b, fmt.Errorf("its frame has version %d, and this Candor knows %d only", d[0], version)
	}
	b.First, b.Last = binary.BigEndian.Uint64(d[2:]), binary.BigEndian.Uint64(d[10:])
	copy(b.Before[:], d[18:])
	copy(b.Sum[:], d[18+sha256.Size:])
	intact := false
	switch d[1] {
	case kindErased:
		b.Erased = true
		at := len(d) - checkSize
		intact = at == headSize && bytes.Equal(d[at:], check(d[:at]))
	case kindEvents:
		if len(d) < headSize+idsSize {
			return b, fmt.Errorf("its frame is cut to %d bytes", len(d))
		}
		copy(b.Writer[:], d[headSize:])
		copy(b.Append[:], d[headSize+16:])
		b.Payload = d[headSize+idsSize:]
		intact = b.hash() == b.Sum
	default:
		return b, fmt.Errorf("its frame is of the unknown kind %d", d[1])
	}
	if !intact || b.First != f.First || b.Last != f.Last || b.First == 0 || b.Last < b.First {
		return b, fmt.Errorf("its frame was altered")
	}
	return b, nil
}
