// Package apptest is the test rig of the packages that need a whole Candor: a server
// to call, a program to run, and fixtures that are used in more than one package. Only
// tests import it.
//
// There are three ways to run Candor, from the closest to the code to the closest to a
// user:
//
//   - [Play] wires an app inside a synctest bubble, without a socket and in fake time.
//     The goldens of testdata/turns come from it.
//   - [Start] puts an app behind a real socket in this process, with the users ann and
//     bob. [Server] has the calls of the API that tests make, and [Stream] reads events
//     as a browser does.
//   - Package program runs candor as its users do, in a process of its own: its Serve runs
//     the candor serve command, its Command any other, for tests that kill it or need its
//     exit status. Package built builds the program once for all tests.
//
// A model is a script, a value of the shape that testdata/turns/*/script.json has;
// [Answering], [Waiting] and [Confiding] make the common ones.
//
// A test waits for a condition with [Eventually], whose bound is far beyond anything a
// loaded machine needs. No test in this repository expects something within a time
// that a slow machine could miss.
//
// Secrets in fixtures are put together at run time, so that no file of the repository
// contains text that looks like a credential.
package apptest

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest/built"
)

// M is a JSON object, as a test writes one down or [Decode] returns it. Numbers that were
// decoded are float64.
type M = map[string]any

// Token is the token of access.LocalUser on the servers of Play and program.Serve.
const Token = "a-token-for-tests-only"

// Root returns the folder of the module, for paths to testdata and as a workspace. It
// looks for go.mod from the working directory upwards, which go test sets to the folder
// of the tested package. Tests must not write below it.
func Root(t testing.TB) string { return built.Root(t) }

// Eventually polls until ok returns true. It fails the test after a minute, which no
// condition needs on any machine; what names the condition.
func Eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	require.Eventually(t, ok, time.Minute, 5*time.Millisecond, what)
}

// Size returns how much of something a test makes: whole, or the short form's part of it, which proves the same in less
// time.
func Size(short, whole int) int {
	if testing.Short() {
		return short
	}
	return whole
}

// JSON encodes a value, for the body of a request or a script.
func JSON(t testing.TB, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	require.NoError(t, err)
	return raw
}

// Decode decodes a JSON object.
func Decode(t testing.TB, raw []byte) M {
	t.Helper()
	var out M
	require.NoError(t, json.Unmarshal(raw, &out), string(raw))
	return out
}
