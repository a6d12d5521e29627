package agent

import (
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAProviderErrorNamesTheStatusAndWrapsItsCause(t *testing.T) {
	err := error(&ProviderError{Failure: Temporary, Status: 503, Err: io.ErrUnexpectedEOF})
	assert.EqualError(t, err, "HTTP 503: unexpected EOF")
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
	assert.EqualError(t, &ProviderError{Err: errors.New("connection refused")}, "connection refused",
		"without a response there is no status")
}
