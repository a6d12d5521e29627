package agui

import (
	"crypto/rand"
	"net/http"
	"strings"

	"candor/session"
	"candor/web/access"
)

// answerCommand streams the answer to an input whose last message is a command, such as
// /reasoning 2: a run with one text message. ok is false for every other input. The
// command begins no turn, so it leaves nothing in the log that a replay could repeat. A
// client that may see less than everything gets a refusal, since the answer has every
// reason.
func (s *Server) answerCommand(
	w http.ResponseWriter, r *http.Request, who access.Caller, own *session.Session, thread string, level Level,
	in *Input,
) (ok bool, err error) {
	last := in.last()
	words := last.words()
	if s.options.Command == nil || last.Role != "user" || !strings.HasPrefix(strings.TrimSpace(words), "/") {
		return false, nil
	}
	answer, ok, err := s.options.Command(own, thread, words)
	if !ok || err != nil {
		return ok, err
	}
	if s.level(who, level) != Full {
		answer = "Reasoning is limited here, so this command cannot show it."
	}
	run := Run{Head: Head{Type: RunStarted}, ThreadID: in.ThreadID, RunID: in.RunID}
	begin, finish := run, run
	begin.ParentRunID = in.ParentRunID
	if in.version1() {
		begin.ProtocolVersion = protocolVersion
	}
	finish.Type, finish.Outcome = RunFinished, &Outcome{Type: "success"}
	message := "command_" + rand.Text() // of the log there is nothing to name it by
	s.open(w, r).send(&begin,
		&Start{Head{Type: TextStart}, message, "assistant"},
		&Content{Head{Type: TextContent}, message, strings.TrimRight(answer, "\n")},
		&Mark{Head{Type: TextEnd}, message}, &finish)
	return true, nil
}
