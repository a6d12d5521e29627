package jetstream

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	js "github.com/nats-io/nats.go/jetstream"

	"candor/session/journal"
)

// store is an opened cluster.
type store struct {
	client
	options  Options
	names    names
	heads    heads
	bell     bell
	serving  serving
	waiting  atomic.Int64
	closing  sync.Once
	warnings []string
}

// Open connects to NATS, makes the streams that are not there, and finishes what a process left
// half erased. It fails if a stream is there and is not as it has to be.
func Open(ctx context.Context, o Options) (*journal.Cluster, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &store{options: o, names: names{prefix: o.Name, shards: o.Shards}}
	nc, err := o.connect(s.bell.ring)
	if err != nil {
		return nil, err
	}
	s.client = client{nc: nc, timeout: o.Timeout}
	if err := s.open(ctx); err != nil {
		nc.Close()
		return nil, err
	}
	return &journal.Cluster{
		Engine: journal.Engine{
			Frames: frames{s}, Directory: directory{s}, Snapshots: snapshots{s},
			Status: s.status, Close: s.close,
		},
		Feed: feed{s}, Leases: leases{s}, Commands: commands{s},
	}, nil
}

// open does what of Open needs a connection.
func (s *store) open(ctx context.Context) (err error) {
	if s.js, err = js.New(s.nc, js.WithDefaultTimeout(s.timeout)); err != nil {
		return err
	}
	if err := s.ready(ctx); err != nil {
		return err
	}
	s.warnings = outdated(s.nc)
	return s.finishErasures(ctx)
}

// outdated says whether the servers have a version that an operator should replace.
func outdated(nc *nats.Conn) (all []string) {
	var major, minor int
	_, err := fmt.Sscanf(nc.ConnectedServerVersion(), "%d.%d", &major, &minor)
	if err != nil || major < 2 || major == 2 && minor < 14 {
		all = append(all, fmt.Sprintf("The NATS server has version %s; before 2.14 it is known to lose messages.",
			nc.ConnectedServerVersion()))
	}
	return all
}

// status asks the servers, for two seconds at most.
func (s *store) status() journal.Status {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	st := journal.Status{
		Name:    "NATS JetStream at " + s.options.hosts(),
		Waiting: int(s.waiting.Load()), Warnings: s.warnings,
	}
	if s.nc.IsClosed() {
		st.Ready = journal.ErrClosed
		return st
	}
	if !s.nc.IsConnected() {
		st.Ready = fmt.Errorf("%w: there is no connection to NATS", journal.ErrUnavailable)
		return st
	}
	// One question gives the sizes of all streams, and says that JetStream answers.
	list := s.js.ListStreams(ctx, js.WithStreamListSubject(s.options.Name+".>"))
	found := 0
	for info := range list.Info() {
		st.Bytes += int64(info.State.Bytes)
		found++
	}
	if err := list.Err(); err != nil {
		st.Ready = fmt.Errorf("%w: %w", journal.ErrUnavailable, err)
	} else if needed := len(s.names.configs(1)); found < needed {
		st.Ready = fmt.Errorf("%w: %d of %d streams answer", journal.ErrUnavailable, found, needed)
	}
	return st
}

// close ends the connection, after the commands that are being answered.
func (s *store) close() error {
	s.closing.Do(func() {
		s.serving.stopAll()
		s.bell.ring()
		s.nc.Close()
	})
	return nil
}
