package session_test

import (
	"context"
	"iter"
	"slices"
	"sync"

	"candor/session/journal"
)

// fakeEngine is an engine in memory, which outlives the stores that are opened on it. fail, if it
// is set, decides about each append.
type fakeEngine struct {
	mu        sync.Mutex
	sessions  map[string]string // by user
	frames    map[string][]journal.Frame
	snapshots map[string][]byte
	fail      func() error
	silent    bool // appends are kept, and neither they nor reads are answered
	reads     int  // frames that were read
}

func newFakeEngine() *fakeEngine {
	return &fakeEngine{
		sessions: map[string]string{}, frames: map[string][]journal.Frame{}, snapshots: map[string][]byte{},
	}
}

func (f *fakeEngine) engine() journal.Engine {
	return journal.Engine{
		Frames: f, Directory: f, Snapshots: f,
		Status: func() journal.Status { return journal.Status{Name: "fake"} }, Close: func() error { return nil },
	}
}

func (f *fakeEngine) Append(_ context.Context, session string, add journal.Frame) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fail != nil {
		if err := f.fail(); err != nil {
			return err
		}
	}
	last := uint64(0)
	if kept := f.frames[session]; len(kept) > 0 {
		last = kept[len(kept)-1].Last
	}
	if last != add.First-1 {
		return journal.ErrConflict
	}
	f.frames[session] = append(f.frames[session], journal.Frame{
		First: add.First, Last: add.Last, Data: slices.Clone(add.Data),
	})
	if f.silent {
		return journal.ErrUnknown
	}
	return nil
}

func (f *fakeEngine) Read(_ context.Context, session string, from uint64) iter.Seq2[journal.Frame, error] {
	f.mu.Lock()
	kept, silent := slices.Clone(f.frames[session]), f.silent
	f.mu.Unlock()
	return func(yield func(journal.Frame, error) bool) {
		if silent {
			yield(journal.Frame{}, journal.ErrUnavailable)
			return
		}
		for _, one := range kept {
			if one.Last < from {
				continue
			}
			f.mu.Lock()
			f.reads++
			f.mu.Unlock()
			if !yield(one, nil) {
				return
			}
		}
	}
}

func (f *fakeEngine) Replace(_ context.Context, session string, with []journal.Frame) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, w := range with {
		kept := slices.DeleteFunc(slices.Clone(f.frames[session]), func(k journal.Frame) bool {
			return k.First >= w.First && k.Last <= w.Last
		})
		at, _ := slices.BinarySearchFunc(kept, w.First, func(k journal.Frame, first uint64) int {
			return int(k.First) - int(first)
		})
		f.frames[session] = slices.Insert(kept, at, w)
	}
	return nil
}

func (f *fakeEngine) Open(_ context.Context, user, id string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.sessions[user] == "" {
		f.sessions[user] = id
	}
	return f.sessions[user], nil
}

func (f *fakeEngine) Users(context.Context) iter.Seq2[journal.Entry, error] {
	return func(yield func(journal.Entry, error) bool) {
		for user, id := range f.sessions {
			if !yield(journal.Entry{User: user, Session: id}, nil) {
				return
			}
		}
	}
}

func (f *fakeEngine) Remove(_ context.Context, user string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	id := f.sessions[user]
	delete(f.sessions, user)
	delete(f.frames, id)
	delete(f.snapshots, id)
	return nil
}

func (f *fakeEngine) Save(_ context.Context, session string, data []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.snapshots[session] = slices.Clone(data)
	return nil
}

func (f *fakeEngine) Load(_ context.Context, session string) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if data := f.snapshots[session]; len(data) > 0 {
		return data, nil
	}
	return nil, journal.ErrNoSnapshot
}

// bytes returns all that the engine keeps of its sessions.
func (f *fakeEngine) bytes() (all string) {
	for id, frames := range f.frames {
		for _, one := range frames {
			all += string(one.Data)
		}
		all += string(f.snapshots[id])
	}
	return all
}
