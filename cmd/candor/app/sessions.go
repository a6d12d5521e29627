package app

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"candor/session"
	"candor/session/journal"
	"candor/session/journal/sqlite"
	"candor/web"
)

// StorageSettings say where sessions are. The zero value keeps them in memory, and they end with
// the process.
type StorageSettings struct {
	Dir      string // the folder of a database; "" means memory
	Interval bool   // answer before an event is on the disk, which it is within a second
	Keep     session.Retention
}

// check refuses settings that have no effect without a storage.
func (s StorageSettings) check() error {
	for flag, set := range map[string]bool{
		"--sync interval": s.Interval, "--keep": s.Keep.Age > 0, "--keep-bytes": s.Keep.Bytes > 0,
	} {
		if set && s.Dir == "" {
			return fmt.Errorf("%s has no effect without a storage: add --data DIR, or leave it out", flag)
		}
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
}

// openSessions opens the store of the settings. It fails with an error that names the folder.
func (s Settings) openSessions(newID func() uuid.UUID, log *slog.Logger, recorded eventCounts) (sessions, error) {
	if err := s.Storage.check(); err != nil {
		return sessions{}, err
	}
	limits := s.limits(log, recorded)
	if s.Storage.Dir == "" {
		m := session.NewMemory(newID).Within(limits)
		return sessions{Store: m, holdings: m, remove: m.Remove}, nil
	}
	options := sqlite.Options{Sync: sqlite.Always}
	if s.Storage.Interval {
		options.Sync = sqlite.Interval
	}
	engine, err := sqlite.Open(s.Storage.Dir, options)
	if err != nil {
		return sessions{}, err
	}
	for _, warning := range engine.Status().Warnings {
		log.Warn("storage", "found", warning)
	}
	d := session.NewDurable(engine, newID, limits).Except(web.IsThrowaway)
	return sessions{Store: d, holdings: d, remove: d.Remove, durable: d}, nil
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

// Tend evicts sessions that were not used for idle, and erases what is no longer to be kept, until
// ctx ends. It looks twice per idle period, but at most once a second and at least once a minute.
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
			if n, err := durable.Retain(ctx, keep); err != nil || n > 0 {
				log.Info("older conversations erased", "count", n, "error", err)
			}
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
