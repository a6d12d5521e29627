package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"time"

	"github.com/google/uuid"

	"candor/session"
	"candor/session/journal"
	"candor/session/journal/jetstream"
	"candor/session/journal/sqlite"
	"candor/session/otlp"
	"candor/web"
	"candor/web/view"
)

// StorageSettings say where sessions are. The zero value keeps them in memory, and they end with
// the process.
type StorageSettings struct {
	Dir      string // the folder of a database; "" means memory
	Interval bool   // answer before an event is on the disk, which it is within a second
	Keep     session.Retention

	// SessionDisk is how many bytes the session of a user may take in Dir; 0 means a quarter of the disk.
	SessionDisk int

	// Through wraps the engine of Dir or NATS, such as by one that fails for a test; nil leaves it as it is.
	Through func(journal.Engine) journal.Engine

	// NATS names a cluster whose streams have the sessions, so that several servers can share
	// them; its URL is "" if there is none.
	NATS jetstream.Options
}

// check refuses settings that have no effect without a storage.
func (s StorageSettings) check() error {
	kept := s.Dir != "" || s.NATS.URL != ""
	options := s.NATS
	options.URL = ""
	for _, one := range []struct {
		set         bool
		flag, needs string
		there       bool
	}{
		{s.Interval, "--sync interval", "--data DIR", s.Dir != ""},
		{s.Keep.Age > 0, "--keep", "--data DIR or --nats URL", kept},
		{s.Keep.Bytes > 0, "--keep-bytes", "--data DIR", s.Dir != ""},
		{s.SessionDisk > 0, "--session-disk", "--data DIR", s.Dir != ""},
		{!reflect.DeepEqual(options, jetstream.Options{}), "--nats-…", "--nats URL", s.NATS.URL != ""},
	} {
		if one.set && !one.there {
			return fmt.Errorf("%s has no effect without a storage: add %s, or leave it out", one.flag, one.needs)
		}
	}
	if s.Dir != "" && s.NATS.URL != "" {
		return errors.New("--data and --nats each choose a storage: use one of them")
	}
	return nil
}

// holdings is what a store says of what it holds in memory.
type holdings interface {
	Held() int
	Count() int
	Ready() error
}

// sessions is an app's store.
type sessions struct {
	session.Store
	holdings
	remove  func(ctx context.Context, user string) error
	durable *session.Durable // nil if the sessions are in memory only
	cluster *journal.Cluster // nil unless other servers share them
}

// openSessions opens the store of the settings. It fails with an error that names the folder or the
// servers, and logs what the storage found when it was opened, such as loss. Throwaway sessions are in
// memory in any case.
func (s Settings) openSessions(newID func() uuid.UUID, limits session.Limits, log *slog.Logger) (sessions, error) {
	if err := s.Storage.check(); err != nil {
		return sessions{}, err
	}
	if s.Storage.Dir == "" && s.Storage.NATS.URL == "" {
		m := session.NewMemory(newID).Within(limits)
		return sessions{Store: m, holdings: m, remove: m.Remove}, nil
	}
	engine, cluster, err := s.Storage.open(log)
	if err != nil {
		return sessions{}, err
	}
	if limits.Disk = s.Storage.SessionDisk; limits.Disk == 0 && s.Storage.Dir != "" {
		limits.Disk = int(sqlite.DiskSize(s.Storage.Dir) / 4)
	}
	if s.Storage.Through != nil {
		engine = s.Storage.Through(engine)
	}
	for _, warning := range engine.Status().Warnings {
		log.Warn("storage", "found", warning)
	}
	d := session.NewDurable(engine, newID, limits).Except(web.IsThrowaway)
	return sessions{Store: d, holdings: d, remove: d.Remove, durable: d, cluster: cluster}, nil
}

// open opens the engine, and the cluster if it is one.
func (s StorageSettings) open(log *slog.Logger) (journal.Engine, *journal.Cluster, error) {
	if s.NATS.URL != "" {
		c, err := openCluster(s.NATS, log)
		if err != nil {
			return journal.Engine{}, nil, err
		}
		return c.Engine, c, nil
	}
	options := sqlite.Options{Sync: sqlite.Always}
	if s.Interval {
		options.Sync = sqlite.Interval
	}
	engine, err := sqlite.Open(s.Dir, options)
	return engine, nil, err
}

// indexPath returns how the indexes for searches are named, nil if they are in memory.
func (s StorageSettings) indexPath() func(session string) string {
	if s.Dir == "" {
		return nil
	}
	return func(session string) string { return sqlite.IndexPath(s.Dir, session) }
}

const (
	openTime    = time.Minute     // how long the start waits for a cluster
	attemptTime = 5 * time.Second // how long it waits for an answer; one that elects its leaders gives none
)

// openCluster opens a cluster. One that has just begun may not answer yet.
func openCluster(o jetstream.Options, log *slog.Logger) (*journal.Cluster, error) {
	for begun := time.Now(); ; {
		ctx, cancel := context.WithTimeout(context.Background(), attemptTime)
		c, err := jetstream.Open(ctx, o)
		cancel()
		if !errors.Is(err, journal.ErrUnavailable) || time.Since(begun) > openTime {
			return c, err
		}
		log.Warn("waiting for NATS", "error", err)
		time.Sleep(time.Second)
	}
}

// share lets the sessions be those of several servers, if their storage is a cluster: the chat serves what
// others are asked about its turns, and the store reads what they append. The returned function ends
// that and waits for it; the turns of the app have to have ended before, since others take them for lost.
func (a *App) share(log *slog.Logger) (stop func()) {
	if a.store.cluster == nil {
		return func() {}
	}
	a.chat.Share(a.store.cluster)
	ctx, cancel := context.WithCancel(context.Background())
	wait := a.store.durable.Share(ctx, *a.store.cluster, log)
	return func() {
		cancel()
		wait()
	}
}

// StorageStatus returns what the storage says of itself.
func (a *App) StorageStatus() journal.Status {
	if a.store.durable != nil {
		return a.store.durable.Status()
	}
	return journal.Status{Name: "memory"}
}

// Describe says in a line where sessions are and what they survive.
func (s StorageSettings) Describe() string {
	switch {
	case s.NATS.URL != "":
		return "NATS JetStream, shared with other servers of the same cluster"
	case s.Dir == "":
		return "memory; they end with this process (--data DIR keeps them)"
	case s.Interval:
		return s.Dir + "; the last second may be lost if the machine fails"
	}
	return s.Dir
}

// The times of a store's housekeeping.
const (
	// cacheTime is for how long a session stays in memory after its last use if a storage has it.
	cacheTime   = 15 * time.Minute
	retainEvery = time.Hour
)

// Tend keeps the store in order until ctx ends: it evicts sessions that were not used for idle, and
// erases what is no longer to be kept. It looks twice per idle period, but at most once a second and at
// least once a minute. Where a storage has the sessions, evicting one only forgets it, after 15 minutes at
// most; what is no longer to be kept is looked for when Tend begins and then once an hour, by one of the
// servers that share a cluster.
func (a *App) Tend(ctx context.Context, idle time.Duration, keep session.Retention, log *slog.Logger) {
	durable := a.store.durable
	if durable != nil {
		idle = min(idle, cacheTime)
	}
	tick := time.NewTicker(max(time.Second, min(time.Minute, idle/2)))
	defer tick.Stop()
	retained := time.Time{}
	for {
		if durable != nil && time.Since(retained) >= retainEvery {
			retained = time.Now()
			a.retain(ctx, keep, log)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			n, err := a.store.Evict(ctx, time.Now().Add(-idle))
			if err != nil || n > 0 {
				log.Info("idle sessions dropped", "count", n, "error", err)
			}
		}
	}
}

// retain erases what is no longer to be kept, unless another server has just done so.
func (a *App) retain(ctx context.Context, keep session.Retention, log *slog.Logger) {
	if c := a.store.cluster; c != nil {
		if _, err := c.Acquire(ctx, "retention", retainEvery/2); err != nil {
			return
		}
	}
	if n, err := a.store.durable.Retain(ctx, keep); err != nil || n > 0 {
		log.Info("older conversations erased", "count", n, "error", err)
	}
}

// The reasons for which requests should go to another server for now.
const (
	starting     = "mcp_servers_starting" // one of the MCP servers has neither answered nor failed yet
	shuttingDown = "shutting_down"
	storeRefuses = "store_refuses"
	diskFull     = "disk_full" // only reading and deleting
)

// notReady returns why requests should go elsewhere; nothing if they should come here.
func (a *App) notReady() (reasons []string) {
	if a.stopping.Load() {
		reasons = append(reasons, shuttingDown)
	}
	switch err := a.store.Ready(); {
	case errors.Is(err, journal.ErrDiskFull):
		reasons = append(reasons, diskFull)
	case err != nil:
		reasons = append(reasons, storeRefuses)
	}
	if slices.ContainsFunc(a.mcpServers(), func(s web.MCPServer) bool { return s.State == mcpStarting }) {
		reasons = append(reasons, starting)
	}
	return reasons
}

// DefaultMemory is the memory of the process unless a setting says otherwise: room for four
// users whose sessions are full, with as much again for requests under way and the garbage
// collector.
const DefaultMemory = 2 << 30

// limits returns what sessions may hold. What is dropped to make room is counted and logged, without
// text; what is recorded is counted and, unless exporter is nil, exported.
func (s Settings) limits(log *slog.Logger, counts eventCounts, exporter *otlp.Exporter) session.Limits {
	return session.Limits{
		Session: s.SessionMemory, Process: cmp.Or(s.Memory, DefaultMemory) / 2,
		Index: session.Indexing{Open: sqlite.OpenIndex, Path: s.Storage.indexPath(), Describe: view.Describe},
		OnEvent: func(own *session.Session, up session.Update) {
			counts.add(up)
			exporter.Observe(own, up.Event)
		},
		OnDrop: func(own *session.Session, what session.Dropped, bytes int) {
			counts.dropped.Add(float64(bytes))
			turns, runs := 0, 0
			for _, t := range what.Threads {
				turns += t.Turns
			}
			for _, j := range what.Jobs {
				runs += j.Runs
			}
			log.Warn("older parts of a session dropped from memory", "session", own.ID(), "user", own.User(),
				"bytes", bytes, "threads", len(what.Threads), "their_turns", turns, "jobs", len(what.Jobs),
				"their_runs", runs)
		},
	}
}
