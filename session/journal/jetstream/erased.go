package jetstream

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"

	"candor/session/journal"
)

// erased are the erased frames of a session, in order and without overlap.
type erased []journal.Frame

// at returns the frame that has the event with number n.
func (e erased) at(n uint64) (journal.Frame, bool) {
	i, _ := slices.BinarySearchFunc(e, n, func(f journal.Frame, n uint64) int {
		if f.Last < n {
			return -1
		}
		return 1
	})
	if i == len(e) || e[i].First > n {
		return journal.Frame{}, false
	}
	return e[i], true
}

// covers says whether one of the frames stands for the events first to last.
func (e erased) covers(first, last uint64) bool {
	f, ok := e.at(first)
	return ok && last <= f.Last
}

// with returns the frames with others in the places of those that the others cover.
func (e erased) with(others []journal.Frame) erased {
	// What was erased before and lies within the others is theirs now.
	cover := erased(others)
	all := slices.DeleteFunc(slices.Clone(e), func(f journal.Frame) bool { return cover.covers(f.First, f.Last) })
	all = append(all, others...)
	slices.SortFunc(all, func(a, b journal.Frame) int {
		if a.First < b.First {
			return -1
		}
		return 1
	})
	return all
}

// has says whether each of others is among the frames as it is.
func (e erased) has(others []journal.Frame) bool {
	return !slices.ContainsFunc(others, func(f journal.Frame) bool {
		mine, ok := e.at(f.First)
		return !ok || mine.First != f.First || mine.Last != f.Last || !slices.Equal(mine.Data, f.Data)
	})
}

// encode returns the bytes of the frames.
func (e erased) encode() (b []byte) {
	for _, f := range e {
		b = binary.BigEndian.AppendUint64(b, f.First)
		b = binary.BigEndian.AppendUint64(b, f.Last)
		b = binary.BigEndian.AppendUint32(b, uint32(len(f.Data)))
		b = append(b, f.Data...)
	}
	return b
}

// decodeErased reads frames back.
func decodeErased(b []byte) (e erased, err error) {
	const entryHead = 8 + 8 + 4
	for len(b) > 0 {
		if len(b) < entryHead || uint64(len(b)-entryHead) < uint64(binary.BigEndian.Uint32(b[16:])) {
			return nil, errors.New("the list of erased events is cut")
		}
		end := entryHead + int(binary.BigEndian.Uint32(b[16:]))
		e = append(e, journal.Frame{
			First: binary.BigEndian.Uint64(b), Last: binary.BigEndian.Uint64(b[8:]),
			Data: slices.Clone(b[entryHead:end]),
		})
		b = b[end:]
	}
	return e, nil
}

// erased returns the erased frames of a session and the number of the message that has them.
func (s *store) erased(ctx context.Context, session string) (erased, uint64, error) {
	m, err := s.cell(ctx, cellErased, session)
	if err != nil {
		return nil, 0, err
	}
	e, err := decodeErased(m.data)
	if err != nil {
		return nil, 0, &journal.Damage{Session: session, Reason: err.Error()}
	}
	return e, m.seq, nil
}
