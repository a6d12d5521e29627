package jetstream

import (
	"context"
	"errors"
	"fmt"

	"candor/session/journal"
)

// The kinds of cells. A cell is the last message of its subject in the stream of state.
const (
	cellUser     = "user"     // of a user: who they are, and their session
	cellErased   = "erased"   // of a session: its erased frames
	cellErasing  = "erasing"  // of a session: what an erasure has not finished yet
	cellSnapshot = "snapshot" // of a session: where its snapshot is, and the key to it
)

// cell returns a cell's message, which is zero if there is none.
func (s *store) cell(ctx context.Context, kind, id string) (message, error) {
	m, err := s.get(ctx, s.names.state(), question{LastFor: s.names.cell(kind, id)})
	if errors.Is(err, errNone) {
		return message{}, nil
	}
	return m, err
}

// setCell puts a value in the place of the cell's message with number before, which is 0 if there
// was none. The bytes of the one before stay until eraseCell.
func (s *store) setCell(ctx context.Context, kind, id string, value []byte, before uint64) (uint64, error) {
	return s.publish(ctx, s.names.state(), s.names.cell(kind, id), value, before)
}

// eraseCell overwrites all messages of a cell before the one with number keep.
func (s *store) eraseCell(ctx context.Context, kind, id string, keep uint64) error {
	return s.eraseBefore(ctx, s.names.state(), s.names.cell(kind, id), keep)
}

// eraseBefore overwrites all messages of a subject before a place in its stream. It asks for one after the
// other, since a purge of the subject would leave their bytes in the files.
func (s *store) eraseBefore(ctx context.Context, stream, subject string, keep uint64) error {
	at := uint64(1)
	for at < keep {
		m, err := s.get(ctx, stream, question{Seq: at, NextFor: subject})
		if errors.Is(err, errNone) || err == nil && m.seq >= keep {
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.erase(ctx, stream, m.seq); err != nil {
			return err
		}
		at = m.seq + 1
	}
	return nil
}

// everyNode fails if a server with messages of the session is away: it would come back with the
// bytes that were erased meanwhile.
func (s *store) everyNode(ctx context.Context, session string) error {
	if s.options.Replicas == 1 {
		return nil
	}
	log, _ := s.names.log(session)
	for _, stream := range []string{log, s.names.state()} {
		st, err := s.js.Stream(ctx, stream)
		if err != nil {
			return askError(err)
		}
		cluster, there := st.CachedInfo().Cluster, 1
		if cluster == nil {
			continue
		}
		for _, r := range cluster.Replicas {
			if r.Current && !r.Offline {
				there++
			}
		}
		if there < s.options.Replicas {
			return fmt.Errorf("%w: only %d of the %d NATS servers that keep it are there, "+
				"and what the others keep cannot be erased", journal.ErrUnavailable, there, s.options.Replicas)
		}
	}
	return nil
}
