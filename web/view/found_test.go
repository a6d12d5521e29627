package view

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"candor/session"
)

// What was read is counted whatever was found, so that one can say 6 of 1,243.
func TestASearchSaysHowMuchItRead(t *testing.T) {
	now := time.Now()
	one, other := aTurn("t", 1, now), aTurn("t", 2, now)
	job := Document{At: now, Job: &session.Job{ID: "j", Title: said("tidy up")}}
	// The job has no events, so all there is of it is its title.
	want := Searched{Decisions: 4, Texts: 3, Places: 2}
	for _, words := range []string{"", "finished", "nowhere"} {
		assert.Equal(t, want, find(words, nil, one, other, job).Searched, words)
	}
	rejected := map[string][]string{"tool": {"none"}, "outcome": {"none"}}
	assert.Equal(t, want, find("logs", rejected, one, other, job).Searched, "facets change nothing of it")
}
