// Package jetstream keeps journals in the streams of a NATS cluster, which several processes of
// Candor can share.
//
// # The streams
//
// With the name candor, [Open] creates these streams, checks existing ones, and changes none.
//
//	candor-log-0 …    the logs of sessions, spread by a hash of the session's id
//	candor-state      users and their sessions, and what was erased
//	candor-snap       snapshots, in pieces that are sealed
//	candor-lease      leases
//
// A frame is one message on its session's subject, so an append is kept as a whole or not at all. The
// message begins with the frame's numbers, by which a reader finds its place. The operator sets each
// stream's size limit and servers with the nats program.
//
// # One writer
//
// An append names the message that it expects to be the session's last, and the stream's leading server refuses
// it if another one is. So two processes never assign a number twice, whatever they believe. The expected
// message is read from the leading server. Bulk reads may come from any server of the stream; if such a server
// has less, the leading one is asked.
//
// A log never becomes empty again, since an old process might begin it anew: when its last frame is
// erased, a message without a frame follows it, and one stays when the session is removed.
//
// # Erasure
//
// Replace first notes the frames that it is about to erase, then writes the list of the session's
// erased frames, which readers merge into the log, and then has NATS overwrite the messages. If a
// process dies in between, the note stays, and the next Replace or Open completes the erasure. For each
// message that it overwrites, NATS rewrites a file of up to 8 MB.
//
// A server that was away while messages were erased, and until the others compacted their Raft logs, still has
// the bytes when it comes back. So Replace and Remove fail with journal.ErrUnavailable while the cluster
// reports that a server of the session's streams is away. The Raft log of a replicated stream has the bytes
// until NATS compacts it, which takes two to three minutes.
//
// A snapshot is encrypted with a key of its own, which is in a message of the state
// stream. Overwriting that message erases the snapshot.
//
// # Damage
//
// A frame missing between others is detected by the numbers, a frame missing at the end by the last message
// that this process knows of; both are a *journal.Damage. If the servers lost a tail before this process
// began, this package does not detect it, but a snapshot or a reader that had seen the tail does.
//
// # For several processes
//
// A [journal.Cluster] also reports to which sessions other processes appended, with one consumer for each
// stream of logs. It lends leases, which are messages that NATS drops when they expire. It sends commands
// to the process that serves a key, by request and reply.
//
// A lease allows a process to begin work, but does not ensure that it may continue: a process that was
// suspended for a minute does not know that its lease has expired. Only an append that the server refuses
// reliably stops it.
//
// # Where to change what
//
// A new kind of message in a log is a constant in record.go, which reader.peek must know or skip. Small data of a
// session or a user is a cell (cell.go). A new stream is a line in names.configs (streams.go); the requirements of
// Open on it are in differences. errors.go alone decides whether an error of NATS means that a message was kept.
package jetstream
