package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	js "github.com/nats-io/nats.go/jetstream"

	"candor/session/journal"
)

// message is a message of a stream.
type message struct {
	seq     uint64
	subject string
	data    []byte
}

// client asks NATS. It has the questions that package nats.go/jetstream has not, or answers from a
// server that may be behind.
type client struct {
	nc      *nats.Conn
	js      js.JetStream
	timeout time.Duration // of one question
}

// question asks for a message, by one of its fields or by Seq and NextFor.
type question struct {
	Seq      uint64 `json:"seq,omitempty"`
	NextFor  string `json:"next_by_subj,omitempty"` // the first at Seq or behind it
	LastFor  string `json:"last_by_subj,omitempty"`
	Batch    int    `json:"batch,omitempty"`
	MaxBytes int    `json:"max_bytes,omitempty"`
}

// get asks the server that leads the stream. It fails with errNone if there is no such message.
func (c *client) get(ctx context.Context, stream string, q question) (message, error) {
	var answer struct {
		Error   *js.APIError
		Message struct {
			Subject string
			Seq     uint64
			Data    []byte
		}
	}
	if err := c.ask(ctx, "$JS.API.STREAM.MSG.GET."+stream, q, &answer); err != nil {
		return message{}, err
	}
	if answer.Error != nil {
		return message{}, askError(answer.Error)
	}
	return message{seq: answer.Message.Seq, subject: answer.Message.Subject, data: answer.Message.Data}, nil
}

// erase overwrites a message in the stream's files. It is no error if there is none.
func (c *client) erase(ctx context.Context, stream string, seq uint64) error {
	var answer struct{ Error *js.APIError }
	err := c.ask(ctx, "$JS.API.STREAM.MSG.DELETE."+stream, question{Seq: seq}, &answer)
	if err != nil || answer.Error == nil {
		return err
	}
	// A message that is not there, for instance because two processes erase it, is refused by several codes.
	if _, err := c.get(ctx, stream, question{Seq: seq}); errors.Is(err, errNone) {
		return nil
	}
	return askError(answer.Error)
}

// ask sends a question and decodes the answer.
func (c *client) ask(ctx context.Context, subject string, q question, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	raw, err := json.Marshal(q)
	if err != nil {
		return err
	}
	reply, err := c.nc.RequestWithContext(ctx, subject, raw)
	if err != nil {
		return askError(err)
	}
	if err := json.Unmarshal(reply.Data, answer); err != nil {
		return fmt.Errorf("%w: NATS gave an answer that is none: %w", journal.ErrUnavailable, err)
	}
	return nil
}

// The bounds of one batch of messages, which passes the second by one message at most.
const (
	batchLength = 256
	batchBytes  = 4 << 20
)

// batch asks any server of the stream for the messages from q.Seq on, which may have fewer of them
// than the one that leads.
func (c *client) batch(ctx context.Context, stream string, q question) ([]message, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	// The messages of a batch are answers to one request, which package nats.go/jetstream cannot ask for.
	inbox := c.nc.NewInbox()
	sub, err := c.nc.SubscribeSync(inbox)
	if err != nil {
		return nil, askError(err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	q.Batch, q.MaxBytes = batchLength, batchBytes
	raw, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	if err := c.nc.PublishRequest("$JS.API.DIRECT.GET."+stream, inbox, raw); err != nil {
		return nil, askError(err)
	}
	var all []message
	for {
		m, err := sub.NextMsgWithContext(ctx)
		if err != nil {
			return nil, askError(err)
		}
		switch status := m.Header.Get("Status"); status {
		case "":
		case "204", "404": // the end of the batch; no message at all
			return all, nil
		default:
			return nil, fmt.Errorf("%w: NATS answered with status %s", journal.ErrUnavailable, status)
		}
		seq, err := strconv.ParseUint(m.Header.Get(js.SequenceHeader), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%w: NATS gave a message without its number", journal.ErrUnavailable)
		}
		all = append(all, message{seq: seq, subject: m.Header.Get(js.SubjectHeader), data: m.Data})
	}
}

// publish keeps a message whose subject's last message so far has the number expect, or which is
// the first if expect is 0.
func (c *client) publish(ctx context.Context, stream, subject string, b []byte, expect uint64) (uint64, error) {
	if limit := c.nc.MaxPayload() - headerRoom; int64(len(b)) > limit {
		return 0, fmt.Errorf("%w: it has %d bytes and NATS takes %d; raise max_payload of the NATS servers",
			journal.ErrUnavailable, len(b), limit)
	}
	if c.nc.IsClosed() {
		return 0, journal.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return 0, fmt.Errorf("%w: %w", journal.ErrUnavailable, err)
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	ack, err := c.js.PublishMsg(ctx, &nats.Msg{Subject: subject, Data: b},
		js.WithExpectStream(stream), js.WithExpectLastSequencePerSubject(expect))
	if err != nil {
		return 0, sendError(err)
	}
	return ack.Sequence, nil
}

// headerRoom is what the headers of a message take of the largest payload, at most.
const headerRoom = 512
