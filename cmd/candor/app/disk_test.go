package app_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/safety"
	"candor/session"
)

// smallDisk mounts a disk of 64 MiB in memory, which goes with the test.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("THIS TEST PROVED NOTHING HERE: a disk of 64 MiB cannot be mounted: %v %s", err, out)
	}
	t.Cleanup(func() { assert.NoError(t, exec.Command("umount", "-l", dir).Run()) })
	return filepath.Join(dir, "data")
}

// sizes lists the files of a folder.
func sizes(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	require.NoError(t, filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if info, failed := d.Info(); failed == nil && !d.IsDir() {
			fmt.Fprintf(&all, " %s %d KiB", filepath.Base(name), info.Size()>>10)
		}
		return err
	}))
	return all.String()
}

// fillUp records turns of a user, each of them large, in threads of ten, until one is refused.
func fillUp(t *testing.T, s *session.Session) (threads []string, err error) {
	t.Helper()
	cleaner := safety.NewLayer()
	large, _ := cleaner.Mask(strings.Repeat("ten bytes\n", 20_000))
	for n := range 1000 {
		if n%10 == 0 {
			e, err := s.OpenThread()
			if err != nil {
				return threads, err
			}
			threads = append(threads, e.Thread)
		}
		e, err := s.Accept(threads[len(threads)-1], safety.Literal("go on"), nil)
		if err != nil {
			return threads, err
		}
		if _, err := s.Append(e.Ref, session.TurnCompleted{Response: large}); err != nil {
			_, ended := s.Append(e.Ref, session.TurnInterrupted{})
			require.NoError(t, ended, "an end has room")
			return threads, err
		}
	}
	return threads, nil
}

// tell records a turn of a user, and returns its thread.
func tell(t *testing.T, s *session.Session, text string) string {
	t.Helper()
	opened, err := s.OpenThread()
	require.NoError(t, err)
	e, err := s.Accept(opened.Thread, safety.Literal("what of it?"), nil)
	require.NoError(t, err)
	said, _ := safety.NewLayer().Mask(text)
	_, err = s.Append(e.Ref, session.TurnCompleted{Response: said})
	require.NoError(t, err)
	return opened.Thread
}

// One user writes for ever. The default share stops them, and the other notices nothing.
func TestAUserWhoFillsTheDiskIsStoppedByTheirShare(t *testing.T) {
	dir := smallDisk(t)
	settings := app.Settings{Storage: app.StorageSettings{Dir: dir}}
	s := apptest.StartModel(t, settings)
	hers := tell(t, s.Session("ann"), "purple elephants")
	threads, err := fillUp(t, s.Session("bob"))
	require.ErrorIs(t, err, session.ErrDiskFull)
	t.Log("bob is stopped at", len(threads), "threads:", sizes(t, dir))
	r := s.Post("bob", "/api/chat/send", `{"content":"more","thread_id":"`+threads[0]+`"}`)
	// A short message may still fit below the share; a long one does not.
	if r.Status >= 300 {
		assert.Equal(t, http.StatusInsufficientStorage, r.Status, r.Body)
	}
	assert.Equal(t, http.StatusOK, s.Get("", "/api/health/ready").Status, "the server has room for others")
	tell(t, s.Session("ann"), "yellow elephants")

	s.App.Close(t.Context())
	s = apptest.StartModel(t, settings)
	assert.Contains(t, s.Get("ann", "/api/chat/history?thread_id="+hers).Body, "purple elephants")
	require.Equal(t, http.StatusNoContent, s.Do("ann", http.MethodDelete, "/api/chat/threads/"+hers, "").Status)
	for _, id := range threads {
		require.Equal(t, http.StatusNoContent, s.Do("bob", http.MethodDelete, "/api/chat/threads/"+id, "").Status)
	}
	t.Log("after both deleted:", sizes(t, dir))
	again, err := fillUp(t, s.Session("bob"))
	require.ErrorIs(t, err, session.ErrDiskFull)
	assert.InDelta(t, len(threads), len(again), 2, "what was deleted makes room")
	assert.Contains(t, s.Get("ann", "/api/chat/search?q=yellow").Body, "elephants")
}

// Both users may take the whole disk, and do; then something else takes the rest of it.
func TestOnAFullDiskEverybodyReadsAndDeletes(t *testing.T) {
	dir := smallDisk(t)
	settings := app.Settings{Storage: app.StorageSettings{Dir: dir, SessionDisk: 1 << 30}}
	s := apptest.StartModel(t, settings)
	hers := tell(t, s.Session("ann"), "purple elephants")
	threads, err := fillUp(t, s.Session("bob"))
	require.ErrorIs(t, err, session.ErrStorage)
	require.ErrorContains(t, err, "is full")
	t.Log("full:", sizes(t, dir))
	notReady := func() {
		t.Helper()
		r := s.Get("", "/api/health/ready")
		assert.Equal(t, http.StatusServiceUnavailable, r.Status)
		assert.Contains(t, r.Body, "disk_full")
	}
	notReady()
	for path, body := range map[string]string{
		"/api/chat/send": `{"content":"hello","thread_id":"` + hers + `"}`, "/api/jobs": `{"title":"t","prompt":"p"}`,
	} {
		r := s.Post("ann", path, body)
		assert.Equal(t, http.StatusServiceUnavailable, r.Status, path)
		assert.Contains(t, r.Body, "storage_failed", path)
	}
	filler := filepath.Join(filepath.Dir(dir), "filler")
	f, err := os.Create(filler)
	require.NoError(t, err)
	for err == nil {
		_, err = f.Write(make([]byte, 1<<16))
	}
	require.NoError(t, f.Close())

	s.App.Close(t.Context())
	s = apptest.StartModel(t, settings)
	assert.Contains(t, s.Logs.String(), "is full", "the start names it")
	notReady()
	assert.Contains(t, s.Get("ann", "/api/chat/history?thread_id="+hers).Body, "purple elephants")
	require.Equal(t, http.StatusNoContent, s.Do("ann", http.MethodDelete, "/api/chat/threads/"+hers, "").Status)
	assert.NotContains(t, bytesBelow(t, dir), "purple")
	for _, id := range threads {
		require.Equal(t, http.StatusNoContent, s.Do("bob", http.MethodDelete, "/api/chat/threads/"+id, "").Status)
	}
	s.App.Close(t.Context())
	require.NoError(t, os.Remove(filler))
	s = apptest.StartModel(t, settings)
	assert.Equal(t, http.StatusOK, s.Get("", "/api/health/ready").Status)
	tell(t, s.Session("ann"), "yellow elephants")
	t.Log("after deleting and removing what else was there:", sizes(t, dir))
}
