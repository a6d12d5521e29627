package command

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"candor/cmd/candor/terminal"
	"candor/web/client"
)

// Errors about which the program has said all there is to say by the time it ends, but for errFound,
// whose exit status is 3.
var (
	errReported = errors.New("there is nothing to show, as reported")
	errUnwell   = errors.New("a check failed")
	errFound    = errors.New("secrets were found")
)

// isReported reports whether a person has read already what went wrong.
func isReported(err error) bool {
	_, ended := errors.AsType[serverExit](err)
	return ended || errors.Is(err, errReported) || errors.Is(err, errUnwell) || errors.Is(err, terminal.ErrFailed)
}

// misuse is a mistake in how the program was called. Its exit status is 2.
type misuse struct{ error }

// Unwrap returns the error.
func (m misuse) Unwrap() error { return m.error }

// misused returns a mistake in how the program was called, in the words of fmt.Errorf.
func misused(format string, args ...any) error { return misuse{fmt.Errorf(format, args...)} }

// isMisuse reports whether an error is a mistake in how the program was called: one of misused, which
// has those of the library that parses flags, or one that begins with the name of the flag at fault. Package app
// names flags first as well, since it knows the settings but not where they came from; so a new check
// of a flag has the right exit status by its words alone.
func isMisuse(err error) bool {
	_, ok := errors.AsType[misuse](err)
	return ok || strings.HasPrefix(err.Error(), "--")
}

// errUnknownToken says of a token that a server refused where a person sets it.
var errUnknownToken = errors.New("the server does not know this token: set CANDOR_TOKEN to one of its tokens, or " +
	"name a file that has one with --token-file. candor serve prints the token that it made")

// explained returns an error in words for somebody who called a command, and not the API. The server says of a
// refused token in which header it is sent, which is of no use to a person with a shell; the code stays, so
// that a report of the error can be traced to its answer.
func explained(err error) error {
	if refused, ok := errors.AsType[*client.Error](err); ok && refused.Status == http.StatusUnauthorized {
		return fmt.Errorf("%w (%s)", errUnknownToken, refused.Code)
	}
	return err
}

// withoutCapital returns a message as it is written behind a colon: without the capital of a sentence. A word
// of capitals, such as the name of a variable, stays.
func withoutCapital(message string) string {
	first, size := utf8.DecodeRuneInString(message)
	second, _ := utf8.DecodeRuneInString(message[size:])
	if !unicode.IsUpper(first) || !unicode.IsLower(second) && second != ' ' {
		return message
	}
	return string(unicode.ToLower(first)) + message[size:]
}
