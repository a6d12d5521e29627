package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest"
)

// found is a hit of a search.
type found struct {
	Turn   int    `json:"turn_number"`
	Job    string `json:"job_id"`
	Tool   string `json:"tool_name"`
	Object []struct {
		Text string `json:"text"`
	} `json:"object"`
}

// answers reports whether the hit is a decision that answers the question.
func (f found) answers(q apptest.Question) bool {
	var object strings.Builder
	for _, part := range f.Object {
		object.WriteString(part.Text)
	}
	hit := apptest.Decision{Job: f.Job != "", Tool: f.Tool, Object: object.String()}
	if !hit.Job {
		hit.Turn = f.Turn
	}
	return hit == q.Decision || slices.Contains(q.Also, hit)
}

// TestQuestionsOfPeopleAreAnswered plays the story of testdata/story, asks its questions and counts
// at which hit the right decision stands. The numbers are what the ranking reaches: a change of it that answers fewer
// questions is to be noticed, and one that answers more should raise them.
func TestQuestionsOfPeopleAreAnswered(t *testing.T) {
	tuned, unseen := apptest.QuestionsOfStrangers(t)
	synctest.Test(t, func(t *testing.T) {
		p := apptest.NewPlay(t, apptest.ReadFixture(t, apptest.StoryFile(t, "script.json")))
		defer p.Close()
		tellStory(t, p)
		for _, set := range []struct {
			name         string
			questions    []apptest.Question
			sealed       bool // whoever works on the ranking must not read its misses
			first, third int
		}{
			{name: "written with the search", questions: apptest.Questions(t), first: 20, third: 20},
			{name: "of strangers", questions: tuned, first: 27, third: 28},
			{name: "of strangers, unseen", questions: unseen, sealed: true, first: 23, third: 27},
		} {
			first, third := 0, 0
			for _, q := range set.questions {
				rank := rankOf(t, p, q)
				if !set.sealed {
					t.Logf("%2d  %s", rank, q.Ask)
				}
				if rank == 1 {
					first++
				}
				if rank >= 1 && rank <= 3 {
					third++
				}
			}
			t.Logf("%s: %d of %d at the first hit, %d within three", set.name, first, len(set.questions), third)
			assert.GreaterOrEqual(t, first, set.first, set.name)
			assert.GreaterOrEqual(t, third, set.third, set.name)
		}
	})
}

// rankOf returns the place of the right decision among the hits for a question, 0 if it is not there.
func rankOf(t *testing.T, p *apptest.Play, q apptest.Question) int {
	var got struct{ Hits []found }
	require.NoError(t, json.Unmarshal([]byte(p.Get("/api/chat/search?q="+url.QueryEscape(q.Ask))), &got))
	for i, h := range got.Hits {
		if h.answers(q) {
			return i + 1
		}
	}
	return 0
}

// tellStory sends the messages of the story, denies the call that asks a person, and posts the job.
func tellStory(t *testing.T, p *apptest.Play) {
	// Each message has its own turn in the script, so the order here is that of the story.
	p.Post("/api/chat/thread/new", "")
	for _, message := range apptest.StoryMessages(t) {
		sent := p.Post("/api/chat/send", string(apptest.JSON(t, apptest.M{"content": message})))
		if message == "Tell the customers about the new rates." {
			p.Answer(map[string]string{"call_1": "deny"}, sent["thread_id"].(string))
		}
		time.Sleep(time.Minute) // fake time
	}
	// The job's worker has a token of its own, which no other route takes.
	job := p.Post("/api/jobs", `{"title":"Nightly dependency audit","prompt":"Audit what we depend on."}`)
	req := httptest.NewRequest(http.MethodPost, fmt.Sprintf("http://localhost/api/jobs/%s/events", job["job_id"]),
		strings.NewReader(string(apptest.ReadFixture(t, apptest.StoryFile(t, "job.json")))))
	req.Header.Set("Authorization", "Bearer "+job["token"].(string))
	req.Header.Set("Content-Type", "application/json")
	rec := httptest.NewRecorder()
	p.App.ServeHTTP(rec, req)
	require.Less(t, rec.Code, 300, rec.Body.String())
}
