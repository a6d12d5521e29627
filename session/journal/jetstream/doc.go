// Package jetstream keeps journals in the streams of a NATS cluster, which several processes of
// Candor can share.
//
// # The streams
//
// With the name candor, [Open] makes these streams, and checks those that are there. It changes none.
//
//	candor-log-0 …    the logs of sessions, spread by a hash of the session's id
//	candor-state      users and their sessions, and what was erased
//	candor-snap       snapshots, in pieces that are sealed
//	candor-lease      leases
//
// A frame is one message on its session's subject, so an append is kept as a whole or not at all. Before the
// frame stand its numbers, by which a reader finds its place. How much a stream may keep, and on which
// servers, is for the operator to set with the nats program.
//
// # One writer
//
// An append names the message that it expects to be the last of the session, and the server that leads
// the stream refuses it if there is another. So two processes never give a number twice, whatever they
// believe. What an append expects is read from the server that leads. Bulk reads may come from any server of the
// stream; where such a server has less, the one that leads is asked.
//
// A log never becomes empty again, since an old process might begin it anew: when its last frame is
// erased, a message without a frame stands behind it, and one stays when the session is removed.
//
// # Erasure
//
// Replace first notes what it is about to erase, then writes the list of the session's erased frames,
// which readers merge into the log, and then has NATS overwrite the messages. A process that dies in
// between leaves the note, and the next Replace or Open finishes. NATS writes a file of up to 8 MB anew
// for each message it overwrites.
//
// A server that was away while messages were erased, and until the others compacted their Raft logs, keeps the
// bytes when it comes back. So Replace and Remove fail with journal.ErrUnavailable while the cluster says that
// a server of the session's streams is away. The Raft log of a replicated stream has the bytes until NATS
// compacts it, which it does after two to three minutes.
//
// A snapshot is sealed with a key of its own, in a message of the state. Overwriting that
// message is what erases the snapshot.
//
// # What is noticed
//
// A frame that is missing between others is found by the numbers, a frame that is missing at the end by the
// last message that this process knows of; both are a *journal.Damage. A tail that the servers lost
// before this process began is not noticed here, but by a snapshot or a reader that knew it.
//
// # For several processes
//
// A [journal.Cluster] also tells which sessions others appended to, with one consumer for each stream of
// logs; lends leases, which are messages that NATS drops when their time is over; and sends commands to the
// process that serves a key, by request and reply.
//
// A lease tells a process what to begin, not what to keep: a process that was stopped for a minute does not
// know that its lease has ended. Only the append that the server refuses stops it for certain.
//
// # Where to change what
//
// A new kind of message in a log is a constant in record.go, which reader.peek has to know or skip. What belongs to
// a session or a user and is small is a cell (cell.go). A new stream is a line in names.configs (streams.go); what
// Open demands of it is in differences. Whether an error of NATS means that a message was kept is decided in
// errors.go and nowhere else.
package jetstream
