package mew

import (
	"time"

	"candor/web/mew/wire"
)

// entry is a message that a space keeps.
type entry struct {
	seq     uint64    // from 1, without gaps
	at      time.Time // when it was kept
	message wire.Envelope
	path    string // of the context, canonical
	starts  string // the context that the message begins; "" for most
	release func() // gives back what the owner's session is charged
}

// size is what an entry is charged for.
func sizeOf(e wire.Envelope) int { return len(e.Raw) + entryCost }

// history is what a space keeps of what was said. The space's lock guards it.
type history struct {
	entries []entry
	last    uint64 // the number of the latest
	bytes   int
	more    chan struct{} // closed when something is added or the space ends
}

// newHistory returns the history of a space in which nothing was said.
func newHistory() *history { return &history{more: make(chan struct{})} }

// add keeps an entry and drops the oldest ones beyond the bounds.
func (h *history) add(e entry) {
	h.last++
	e.seq, e.at = h.last, time.Now()
	h.entries = append(h.entries, e)
	h.bytes += sizeOf(e.message)
	for len(h.entries) > maxKept || h.bytes > maxKeptBytes {
		h.drop()
	}
	h.wake()
}

// drop forgets the oldest entry.
func (h *history) drop() {
	oldest := h.entries[0]
	oldest.release()
	h.bytes -= sizeOf(oldest.message)
	h.entries[0] = entry{}
	h.entries = h.entries[1:] // append moves the rest once the array is full
}

// clear forgets everything.
func (h *history) clear() {
	for len(h.entries) > 0 {
		h.drop()
	}
}

// wake tells the readers to look again.
func (h *history) wake() {
	close(h.more)
	h.more = make(chan struct{})
}

// gone returns the number of the latest entry that was dropped.
func (h *history) gone() uint64 { return h.last - uint64(len(h.entries)) }

// after returns at most a page of the entries after a number.
func (h *history) after(seq uint64) []entry {
	rest := h.entries[min(max(seq, h.gone())-h.gone(), uint64(len(h.entries))):]
	n, size := 0, 0
	for n < len(rest) && n < maxPage && (n == 0 || size+len(rest[n].message.Raw) <= maxPageBytes) {
		size += len(rest[n].message.Raw)
		n++
	}
	return append([]entry(nil), rest[:n]...)
}

// find returns the number of the entry with a message's id; ok is false if it is not kept.
func (h *history) find(id string) (seq uint64, ok bool) {
	for i := len(h.entries) - 1; i >= 0; i-- {
		if h.entries[i].message.ID == id {
			return h.entries[i].seq, true
		}
	}
	return 0, false
}
