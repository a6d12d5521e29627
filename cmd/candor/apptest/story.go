package apptest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Question is a question about the story of testdata/story, and the decision that answers it.
type Question struct {
	Ask string
	Decision
	// Also lists decisions that answer the question as well.
	Also []Decision
}

// Decision names a call of the story by its turn, or as one of the job, its tool and its object.
type Decision struct {
	Turn         int
	Job          bool
	Tool, Object string
}

// StoryFile returns the path of a file of the story.
func StoryFile(t testing.TB, name string) string {
	t.Helper()
	return filepath.Join(Root(t), "testdata", "story", name)
}

// Questions returns the questions about the story that were written together with the search. They show that
// nothing was lost, and say little about the questions of strangers.
func Questions(t testing.TB) []Question {
	t.Helper()
	return readQuestions(t, "questions.json", 20)
}

// QuestionsOfStrangers returns questions of an author who had read the story and knew nothing of the search. Of the
// 60 that were written, every other one is among tuned, with which the search was improved. Nobody read the misses of
// the unseen ones.
func QuestionsOfStrangers(t testing.TB) (tuned, unseen []Question) {
	t.Helper()
	return readQuestions(t, "strangers.json", 30), readQuestions(t, "unseen.json", 30)
}

func readQuestions(t testing.TB, file string, count int) (all []Question) {
	t.Helper()
	require.NoError(t, json.Unmarshal(ReadFixture(t, StoryFile(t, file)), &all))
	require.Len(t, all, count)
	return all
}

// StoryMessages returns what the user of the story says.
func StoryMessages(t testing.TB) []string {
	t.Helper()
	var story struct{ Turns []struct{ Message string } }
	require.NoError(t, json.Unmarshal(ReadFixture(t, StoryFile(t, "script.json")), &story))
	require.Len(t, story.Turns, 32)
	var all []string
	for _, turn := range story.Turns {
		all = append(all, turn.Message)
	}
	return all
}

// TellStory tells the story to a server that replays its script: it sends the messages one after another, denies
// the call that asks a person, and posts the job. call makes a request, which has to be a success, with a token
// or, if that is empty, with the user's.
func TellStory(t testing.TB, call func(method, path, token string, body any) M) {
	t.Helper()
	// The turns are told in one conversation, one after another, as the questions number them. A script answers at
	// once, so polling costs little.
	var thread string
	for n, message := range StoryMessages(t) {
		sent := call(http.MethodPost, "/api/chat/send", "", M{"content": message, "thread_id": thread})
		thread = sent["thread_id"].(string)
		at := fmt.Sprintf("/api/chat/turn?thread_id=%s&turn=%d", thread, n+1)
		Eventually(t, "the turn ends", func() bool {
			turn := call(http.MethodGet, at, "", nil)
			// The one call that asks a person is denied, however often the question is seen before it is answered.
			if asked, ok := turn["pending_approvals"].([]any); ok && len(asked) > 0 {
				call(http.MethodPost, "/api/chat/approval", "",
					M{"request_id": asked[0].(M)["request_id"], "action": "deny"})
			}
			return turn["state"] != "processing" && turn["state"] != "queued"
		})
	}
	job := call(http.MethodPost, "/api/jobs", "",
		M{"title": "Nightly dependency audit", "prompt": "Audit what we depend on."})
	// A job's worker has a token of its own, which no other route takes.
	var events []any
	require.NoError(t, json.Unmarshal(ReadFixture(t, StoryFile(t, "job.json")), &events))
	call(http.MethodPost, fmt.Sprintf("/api/jobs/%s/events", job["job_id"]), job["token"].(string), events)
}
