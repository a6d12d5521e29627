package jetstream

import (
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
	js "github.com/nats-io/nats.go/jetstream"

	"candor/session/journal"
)

// errNone means that the message asked for is not in the stream.
var errNone = errors.New("no such message")

// storeFailed is the code of a server that could not write a message, or took it for too much.
const storeFailed js.ErrorCode = 10077

// sendError says what the error of a publish means for the message.
func sendError(err error) error {
	var refused *js.APIError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused):
		return fmt.Errorf("%w: %s (NATS error %d)", refusal(refused), refused.Description, refused.ErrorCode)
	case errors.Is(err, js.ErrNoStreamResponse), errors.Is(err, nats.ErrNoResponders):
		return fmt.Errorf("%w: no NATS server has the stream, or too few of its servers run", journal.ErrUnavailable)
	case errors.Is(err, nats.ErrConnectionClosed):
		return fmt.Errorf("%w: %w", journal.ErrUnknown, journal.ErrClosed)
	case errors.Is(err, nats.ErrReconnectBufExceeded):
		return fmt.Errorf("%w: the connection to NATS is lost", journal.ErrUnavailable)
	default:
		// A timeout, above all: the server may have the message, or get it still.
		return fmt.Errorf("%w: %w", journal.ErrUnknown, err)
	}
}

// refusal says whether a server that answered with an error may have kept the message.
func refusal(e *js.APIError) error {
	switch {
	case e.ErrorCode == js.JSErrCodeStreamWrongLastSequence,
		e.ErrorCode == js.JSErrCodeStreamWrongLastSequenceConstant:
		return journal.ErrConflict
	case e.ErrorCode == storeFailed && !strings.Contains(e.Description, "exceeded"):
		// A server that leads could not write, and the others may have written.
		return journal.ErrUnknown
	default:
		return journal.ErrUnavailable
	}
}

// askError says what the error of a question means. A question that nobody answers changed nothing.
func askError(err error) error {
	var refused *js.APIError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused) && refused.ErrorCode == js.JSErrCodeMessageNotFound:
		return errNone
	case errors.As(err, &refused):
		return fmt.Errorf("%w: %s (NATS error %d)", journal.ErrUnavailable, refused.Description, refused.ErrorCode)
	case errors.Is(err, nats.ErrConnectionClosed):
		return journal.ErrClosed
	default:
		return fmt.Errorf("%w: %w", journal.ErrUnavailable, err)
	}
}
