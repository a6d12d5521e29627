package app_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// bytesBelow returns the bytes of all files below a folder.
func bytesBelow(t *testing.T, folder string) string {
	t.Helper()
	var all strings.Builder
	require.NoError(t, filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		all.Write(raw)
		return err
	}))
	return all.String()
}

func TestADeletedThreadIsGoneForItsOwnerAndFromTheFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "data")
	settings := app.Settings{Storage: app.StorageSettings{Dir: folder}}
	s := apptest.StartModel(t, settings)
	thread, origin := s.Begin("ann")
	s.Send("ann", thread, "remember purple elephants")
	s.RunTurns("ann", thread, 1)
	other, _ := s.Begin("ann")
	s.Send("ann", other, "remember yellow elephants")
	s.RunTurns("ann", other, 1)
	require.Contains(t, bytesBelow(t, folder), "purple")

	assert.Equal(t, http.StatusNotFound, s.Do("bob", http.MethodDelete, "/api/chat/threads/"+thread, "").Status)
	require.Equal(t, http.StatusNoContent, s.Do("ann", http.MethodDelete, "/api/chat/threads/"+thread, "").Status)
	assert.Equal(t, http.StatusNotFound, s.Do("ann", http.MethodDelete, "/api/chat/threads/"+thread, "").Status)
	assert.Equal(t, http.StatusNotFound, s.Get("ann", "/api/chat/history?thread_id="+thread).Status)
	assert.NotContains(t, s.Get("ann", "/api/chat/threads").Body, thread)
	assert.NotContains(t, s.Get("ann", "/api/chat/search?q=purple").Body, "elephants")
	kept := bytesBelow(t, folder)
	assert.NotContains(t, kept, "purple")
	assert.Contains(t, kept, "yellow")
	frames := s.Everything("ann", origin)
	assert.Equal(t, "thread_deleted", frames[len(frames)-1].Event)
	for _, f := range frames[:len(frames)-1] {
		assert.NotContains(t, f.Data, "purple")
	}
}

func TestADeletedJobIsGoneAndItsWorkerIsRefused(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "data")
	s := apptest.StartModel(t, app.Settings{Storage: app.StorageSettings{Dir: folder}})
	id, token := s.NewJob("count purple elephants")
	open := s.Do("ann", http.MethodDelete, "/api/jobs/"+id, "")
	assert.Equal(t, http.StatusConflict, open.Status)
	assert.Contains(t, open.Body, "job_open")
	end := `{"events":[{"id":"1","event":"result","success":true,"message":"three"}]}`
	require.Less(t, s.PostEvents(id, token, end).Status, 300)
	require.Equal(t, http.StatusNoContent, s.Do("ann", http.MethodDelete, "/api/jobs/"+id, "").Status)
	assert.Equal(t, http.StatusNotFound, s.Get("ann", "/api/jobs/"+id).Status)
	again := s.PostEvents(id, token, `{"events":[{"id":"2","event":"status","message":"on"}]}`).Status
	assert.Contains(t, []int{http.StatusUnauthorized, http.StatusNotFound}, again)
	assert.NotContains(t, bytesBelow(t, folder), "purple")
}
