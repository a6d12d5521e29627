package app

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest/built"
	"candor/cmd/candor/secret"
	"candor/safety"
	"candor/session"
	"candor/session/journal/backup"
	"candor/session/journal/jetstream"
)

// startNATS runs a NATS server until the test ends, and returns how a storage names it.
func startNATS(t *testing.T) jetstream.Options {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a NATS server, which the whole tests start")
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, ln.Close())
	built.NewNATS(t, fmt.Sprintf("listen: %q\nmax_payload: 8MB\njetstream { store_dir: %q }\n",
		ln.Addr().String(), t.TempDir())).Start(t)
	return jetstream.Options{URL: "nats://" + ln.Addr().String(), Shards: 2}
}

// said returns text that was cleaned.
func said(text string) safety.Text {
	clean, _ := safety.NewLayer().Mask(text)
	return clean
}

// converse gives ann three threads, of which the last is deleted, and a job.
func converse(t *testing.T, a *App) {
	t.Helper()
	own, err := a.Store.Open(t.Context(), "ann")
	require.NoError(t, err)
	for _, about := range []string{"apples", "pears", "plums"} {
		e, err := own.OpenThread()
		require.NoError(t, err)
		for range 12 {
			turn, err := own.Accept(e.Thread, said("tell me about "+about), nil)
			require.NoError(t, err)
			for _, b := range []session.Body{
				session.ToolCalled{Step: 1, Call: "call_1", Tool: said("clock"), Rationale: session.Fallback()},
				session.ToolReturned{Call: "call_1", Outcome: session.Success}, session.StepEnded{Step: 1},
				session.TurnCompleted{Response: said("the " + about + " are ripe")},
			} {
				_, err := own.Append(turn.Ref, b)
				require.NoError(t, err)
			}
		}
	}
	require.NoError(t, own.EraseThread(t.Context(), own.Active()))
	_, err = own.OpenJob(session.JobOpened{Title: said("harvest"), Prompt: said("pick them")})
	require.NoError(t, err)
}

// shown returns all answers of an app about ann's sessions, byte for byte.
func shown(t *testing.T, a *App) map[string]string {
	t.Helper()
	own, err := a.Store.Open(t.Context(), "ann")
	require.NoError(t, err)
	paths := []string{"/api/chat/threads", "/api/jobs", "/api/chat/search?q=ripe"}
	for _, th := range own.Threads() {
		paths = append(paths, "/api/chat/history?limit=100&thread_id="+th.ID,
			"/api/chat/export?format=jsonl&thread_id="+th.ID)
	}
	for _, j := range own.Jobs() {
		paths = append(paths, "/api/jobs/"+j.ID, "/api/jobs/"+j.ID+"/events")
	}
	answers := map[string]string{}
	for _, path := range paths {
		r := httptest.NewRequest(http.MethodGet, "http://localhost:8080"+path, nil)
		r.Header.Set("Authorization", "Bearer "+annsToken)
		w := httptest.NewRecorder()
		a.ServeHTTP(w, r)
		require.Equal(t, http.StatusOK, w.Code, path)
		answers[path] = w.Body.String()
	}
	return answers
}

// backedUp returns a backup of a storage.
func backedUp(t *testing.T, s BackupSettings) []byte {
	t.Helper()
	var file bytes.Buffer
	_, err := s.Backup(t.Context(), &file, quiet)
	require.NoError(t, err)
	return file.Bytes()
}

// The erased thread is named nowhere in the file, and each of the three storages answers alike.
//
// From a folder to NATS and back, each beside the server that uses the storage, all answers stay the same.
func TestABackupGoesFromOneStorageToTheOtherAndBack(t *testing.T) {
	first := offlineSettings(t)
	first.Storage.Dir, first.Storage.Interval = filepath.Join(t.TempDir(), "data"), true
	_, err := secret.KeyIn(first.Storage.Dir)
	require.NoError(t, err)
	_, err = secret.TokenIn(first.Storage.Dir)
	require.NoError(t, err)
	a := appOf(t, first)
	converse(t, a)
	want := shown(t, a)
	require.Contains(t, want["/api/chat/search?q=ripe"], "pears")
	keyFile := filepath.Join(t.TempDir(), "key")

	second := offlineSettings(t)
	second.Storage.NATS = startNATS(t)
	file := backedUp(t, BackupSettings{Storage: first.Storage})
	assert.Contains(t, string(file), "the pears are ripe")
	assert.NotContains(t, string(file), "plums", "what was deleted is in no backup")
	toNATS := BackupSettings{Storage: second.Storage, KeyFile: keyFile}
	_, err = toNATS.Restore(t.Context(), bytes.NewReader(file), quiet)
	require.NoError(t, err)
	b := appOf(t, second)
	assert.Equal(t, want, shown(t, b))

	third := offlineSettings(t)
	third.Storage.Dir = filepath.Join(t.TempDir(), "new", "data")
	file = backedUp(t, toNATS)
	_, err = BackupSettings{Storage: third.Storage}.Restore(t.Context(), bytes.NewReader(file), quiet)
	require.NoError(t, err)
	assert.Equal(t, want, shown(t, appOf(t, third)))
	for _, key := range []string{keyFile, filepath.Join(third.Storage.Dir, "key")} {
		before, err := os.ReadFile(filepath.Join(first.Storage.Dir, "key"))
		require.NoError(t, err)
		after, err := os.ReadFile(key)
		require.NoError(t, err)
		assert.Equal(t, string(before), string(after))
		info, err := os.Stat(key)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
	_, err = toNATS.Restore(t.Context(), bytes.NewReader(file), quiet)
	require.ErrorIs(t, err, backup.ErrNotEmpty)
}

// A folder is not there at all, or whole; in NATS no user has a session. The last case is a file that changes between
// the check and the restore, which is also what a full disk or a lost connection looks like.
func TestARestoreLeavesNothingHalfDone(t *testing.T) {
	from := offlineSettings(t)
	from.Storage.Dir, from.Storage.Interval = filepath.Join(t.TempDir(), "data"), true
	converse(t, appOf(t, from))
	file := backedUp(t, BackupSettings{Storage: from.Storage})
	altered := bytes.Clone(file)
	altered[len(altered)/2] ^= 1
	place := t.TempDir()
	to := BackupSettings{Storage: StorageSettings{Dir: filepath.Join(place, "data")}}
	nats := BackupSettings{Storage: StorageSettings{NATS: startNATS(t)}}
	for says, bad := range map[string][]byte{
		"altered": altered, "cut off": file[:len(file)-1], "not a backup": []byte("no"),
	} {
		_, err := to.Restore(t.Context(), bytes.NewReader(bad), quiet)
		require.ErrorContains(t, err, says)
		left, err := os.ReadDir(place)
		require.NoError(t, err)
		assert.Empty(t, left, says)
		_, err = nats.Restore(t.Context(), bytes.NewReader(bad), quiet)
		require.ErrorContains(t, err, says)
	}
	require.NoError(t, os.Mkdir(to.Storage.Dir, 0o700))
	_, err := to.Restore(t.Context(), bytes.NewReader(file), quiet)
	require.NoError(t, err, "into an empty folder")
	_, err = to.Restore(t.Context(), bytes.NewReader(file), quiet)
	require.ErrorIs(t, err, backup.ErrNotEmpty)
	left, err := os.ReadDir(place)
	require.NoError(t, err)
	assert.Len(t, left, 1)

	_, err = nats.Restore(t.Context(), &endsEarly{Reader: bytes.NewReader(file)}, quiet)
	require.ErrorContains(t, err, "the partial restore is not served")
	var none bytes.Buffer
	r, err := nats.Backup(t.Context(), &none, quiet)
	require.NoError(t, err)
	assert.Zero(t, r.Sessions, "no user has a part")
}

// endsEarly is a backup that is whole when it is checked and cut when it is restored.
type endsEarly struct {
	*bytes.Reader
	seeks int
}

func (e *endsEarly) Seek(offset int64, whence int) (int64, error) {
	e.seeks++
	return e.Reader.Seek(offset, whence)
}

func (e *endsEarly) Read(p []byte) (int, error) {
	if e.seeks > 1 && e.Len() < int(e.Size())/2 {
		return 0, io.ErrUnexpectedEOF
	}
	return e.Reader.Read(p)
}

// A byte of the database is flipped, as a bad disk does. The backup is made, says which session it lacks, and the
// command fails, so that whoever runs it every night gets to know.
func TestABackupSaysWhatIsMissingInIt(t *testing.T) {
	s := offlineSettings(t)
	s.Storage.Dir, s.Storage.Interval = filepath.Join(t.TempDir(), "data"), true
	a := appOf(t, s)
	converse(t, a)
	own, err := a.Store.Open(t.Context(), "ann")
	require.NoError(t, err)
	a.Close(t.Context())
	name := filepath.Join(s.Storage.Dir, "candor.db")
	raw, err := os.ReadFile(name)
	require.NoError(t, err)
	at := bytes.Index(raw, []byte("the pears are ripe"))
	require.Positive(t, at)
	raw[at] ^= 1
	require.NoError(t, os.WriteFile(name, raw, 0o600))
	var logs strings.Builder
	log := slog.New(slog.NewTextHandler(&logs, nil))
	r, err := BackupSettings{Storage: s.Storage}.Backup(t.Context(), io.Discard, log)
	require.ErrorIs(t, err, ErrIncomplete)
	require.Len(t, r.LeftOut, 1)
	assert.Contains(t, logs.String(), own.ID())
	assert.Contains(t, logs.String(), "damaged at event")
}

// The key is what sealed reasoning and the tokens of jobs need, and a secret, so both choices have to hold.
func TestABackupHasTheKeyUnlessItIsToBeLeftOut(t *testing.T) {
	s := offlineSettings(t)
	s.Storage.Dir, s.Storage.Interval = filepath.Join(t.TempDir(), "data"), true
	converse(t, appOf(t, s))
	key, err := secret.KeyIn(s.Storage.Dir)
	require.NoError(t, err)
	digits := key.Values()[0]
	with := BackupSettings{Storage: s.Storage}
	assert.Contains(t, string(backedUp(t, with)), digits)
	with.NoKeys = true
	assert.NotContains(t, string(backedUp(t, with)), digits)
	with = BackupSettings{Storage: s.Storage, KeyFile: filepath.Join(t.TempDir(), "none")}
	_, err = with.Backup(t.Context(), io.Discard, quiet)
	require.ErrorIs(t, err, os.ErrNotExist, "a file that was named has to be there")
	_, err = BackupSettings{}.Backup(t.Context(), io.Discard, quiet)
	require.ErrorContains(t, err, "--data DIR or --nats URL")
}
