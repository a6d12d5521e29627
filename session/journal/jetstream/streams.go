package jetstream

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	js "github.com/nats-io/nats.go/jetstream"

	"candor/session/journal"
)

// names are those of the streams and subjects of one Candor.
type names struct {
	prefix string
	shards int
}

// log returns the stream that has a session's log, and the subject of the log in it.
func (n names) log(session string) (stream, subject string) {
	h := fnv.New32a()
	_, _ = h.Write([]byte(session))
	shard := int(h.Sum32() % uint32(n.shards))
	return n.logStream(shard), n.logSubject(shard) + "." + tokenOf(session)
}

// logStream is the name of a shard's stream.
func (n names) logStream(shard int) string { return n.prefix + "-log-" + strconv.Itoa(shard) }

// logSubject is what the subjects of its logs begin with.
func (n names) logSubject(shard int) string { return n.prefix + ".log." + strconv.Itoa(shard) }

// state is the stream of cells, each the last message of its subject.
func (n names) state() string { return n.prefix + "-state" }

// cell returns the subject of a cell.
func (n names) cell(kind, id string) string { return n.prefix + ".state." + kind + "." + tokenOf(id) }

// pieces is the stream of snapshots in pieces.
func (n names) pieces() string { return n.prefix + "-snap" }

// snapshot returns the subject of a session's snapshot in pieces.
func (n names) snapshot(session string) string { return n.prefix + ".snap." + tokenOf(session) }

// leaseStream is the stream of leases.
func (n names) leaseStream() string { return n.prefix + "-lease" }

// command is the subject of a key's commands.
func (n names) command(key string) string { return n.prefix + ".cmd." + tokenOf(key) }

// What the metadata of a stream says.
const (
	metaFormat = "candor-format"
	metaShards = "candor-shards"
	format     = "1"
)

// configs returns how the streams have to be.
func (n names) configs(replicas int) []js.StreamConfig {
	meta := map[string]string{metaFormat: format, metaShards: strconv.Itoa(n.shards)}
	config := func(name, subject, about string) js.StreamConfig {
		return js.StreamConfig{
			Name: name, Description: about, Subjects: []string{subject}, Replicas: replicas,
			Storage: js.FileStorage, Retention: js.LimitsPolicy, Discard: js.DiscardNew,
			MaxMsgs: -1, MaxBytes: -1, MaxMsgsPerSubject: -1, MaxMsgSize: -1, MaxConsumers: -1,
			AllowDirect: true, Metadata: maps.Clone(meta),
		}
	}
	var all []js.StreamConfig
	for shard := range n.shards {
		all = append(all, config(n.logStream(shard), n.logSubject(shard)+".*", "Candor: events of sessions"))
	}
	return append(all,
		config(n.state(), n.prefix+".state.*.*", "Candor: users, and what was erased"),
		config(n.pieces(), n.prefix+".snap.*", "Candor: snapshots, sealed"),
		n.leaseConfig(config("", "", "")))
}

// ready makes the streams that are not there and checks the others.
func (s *store) ready(ctx context.Context) error {
	for _, want := range s.names.configs(s.options.Replicas) {
		stream, err := s.js.Stream(ctx, want.Name)
		if errors.Is(err, js.ErrStreamNotFound) {
			stream, err = s.js.CreateStream(ctx, want)
		}
		if err != nil {
			return streamError(want.Name, err)
		}
		if wrong := differences(want, stream.CachedInfo().Config); len(wrong) > 0 {
			return fmt.Errorf("the stream %s is not as Candor needs it: %s. Candor changes no stream that is there; "+
				"change it with the nats program, or choose another name for the streams",
				want.Name, strings.Join(wrong, ", "))
		}
	}
	return nil
}

// streamError says why a stream could neither be found nor made.
func streamError(name string, err error) error {
	switch {
	case errors.Is(err, js.ErrJetStreamNotEnabled), errors.Is(err, js.ErrJetStreamNotEnabledForAccount),
		errors.Is(err, nats.ErrNoResponders):
		return fmt.Errorf("%w: the NATS servers run without JetStream, or too few of them are there yet; "+
			"set jetstream in their configuration", journal.ErrUnavailable)
	default:
		return fmt.Errorf("%w: stream %s: %w", journal.ErrUnavailable, name, err)
	}
}

// differences lists in what a stream differs from what Candor needs. How much it may keep is for
// the operator to say.
func differences(want, have js.StreamConfig) (wrong []string) {
	check := func(what string, want, have any) {
		if want != have {
			wrong = append(wrong, fmt.Sprintf("%s is %v and not %v", what, have, want))
		}
	}
	check("its format", want.Metadata[metaFormat], have.Metadata[metaFormat])
	check("the number of shards", want.Metadata[metaShards], have.Metadata[metaShards])
	check("its subjects", strings.Join(want.Subjects, " "), strings.Join(have.Subjects, " "))
	check("its number of replicas", want.Replicas, have.Replicas)
	check("its storage", want.Storage, have.Storage)
	check("its retention", want.Retention, have.Retention)
	check("its discard policy", want.Discard, have.Discard)
	check("the age at which it drops messages", want.MaxAge, have.MaxAge)
	check("its limit of messages", want.MaxMsgs, have.MaxMsgs)
	check("its limit of messages of a subject", want.MaxMsgsPerSubject, have.MaxMsgsPerSubject)
	check("dropping messages by a time of their own", want.AllowMsgTTL, have.AllowMsgTTL)
	check("the time of its markers", want.SubjectDeleteMarkerTTL, have.SubjectDeleteMarkerTTL)
	check("direct reading", want.AllowDirect, have.AllowDirect)
	check("its permission to delete", !want.DenyDelete && !want.DenyPurge, !have.DenyDelete && !have.DenyPurge)
	check("asynchronous writing", false, have.PersistMode == js.AsyncPersistMode)
	check("being sealed", want.Sealed, have.Sealed)
	check("being a mirror", false, have.Mirror != nil || len(have.Sources) > 0)
	return wrong
}
