package openwop

import (
	"errors"
	"net/http"

	"candor/session"
	"candor/web/problem"
)

// The refusals of this package. Their codes are those of the protocol's registry.
var (
	errNotFound = problem.New(http.StatusNotFound, "not_found",
		"You have no such run; it may have been deleted with its thread. "+
			"POST /runs, or POST /v1/runs in version 1, starts one.")
	errGone = problem.New(http.StatusGone, "replay_source_missing",
		"The run was dropped from memory to make room for newer ones.")
	errUnsupported = problem.New(http.StatusNotImplemented, "capability_not_provided",
		"This server does not offer this part of OpenWOP. GET /.well-known/openwop says what it offers.")
	errTerminal = problem.New(http.StatusConflict, "run_terminal",
		"The run has ended, so there is nothing to stop.")
	errResolved = problem.New(http.StatusConflict, "interrupt_already_resolved",
		"This question has been answered, or the run went on without an answer.")
	errNoInterrupt = problem.New(http.StatusNotFound, "interrupt_not_found",
		"This node of the run has no open question. Open questions are in its node.suspended events.")
	errOtherInterrupt = problem.New(errNoInterrupt.Status, errNoInterrupt.Code,
		"This node of the run has no question with this interruptId. The run's x-candor-interrupts lists them.")
	errSeveral = problem.New(http.StatusConflict, "run_state_conflict",
		"This node of the run has several questions. Name one of them by its interruptId, "+
			"which is in node.suspended and in the run's x-candor-interrupts.")
	errPostOnly = problem.New(http.StatusMethodNotAllowed, "method_not_allowed",
		"This path accepts only POST.")
	errNotEnded = problem.New(http.StatusConflict, "run_state_conflict",
		"The run has not ended, so it cannot be replayed. Wait for its end, or cancel it.")
)

// badRequest returns the refusal of a request that has a mistake. message must hold no input.
func badRequest(message string) *problem.Problem {
	return problem.New(http.StatusBadRequest, "validation_error", message)
}

// registeredCodes are the protocol's names for the registeredCodes that every route of the server may answer with.
var registeredCodes = map[string]string{
	"unauthorized": "unauthenticated", "limited_token": "forbidden", "cross_origin": "forbidden",
	"not_json": "unsupported_media_type", "body_too_large": "payload_too_large",
	"empty_body": "validation_error", "invalid_utf8": "validation_error", "invalid_json": "validation_error",
	"body_unreadable": "validation_error", "token_in_query": "unauthenticated",
	"too_many_requests": "rate_limited", "too_fast": "rate_limited",
}

// renamed gives an error the code that the protocol has for it.
func renamed(err error) error {
	if errors.Is(err, session.ErrBusy) {
		return problem.New(http.StatusTooManyRequests, "rate_limited",
			"The thread's queue of runs is full. Wait until one ends, or cancel one.").
			With("max", session.MaxWaiting)
	}
	p, ok := errors.AsType[*problem.Problem](err)
	if !ok || registeredCodes[p.Code] == "" {
		return err
	}
	out := *p
	out.Code = registeredCodes[p.Code]
	if out.Code == "unauthenticated" {
		out.Status = http.StatusUnauthorized
	}
	return &out
}

// refuse answers a request for what the protocol lists and this server does not do.
func refuse(*incoming, []byte) (changed, error) { return changed{}, errUnsupported }

// refusePage is refuse for a route that only reads.
func refusePage(http.ResponseWriter, *incoming) error { return errUnsupported }
