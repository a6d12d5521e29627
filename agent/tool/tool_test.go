package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
	"candor/agent/tool"
	"candor/safety"
)

type greeting struct {
	Name string `json:"name" jsonschema:"who to greet"`
	Loud bool   `json:"loud,omitempty"`
}

func greet(_ context.Context, g greeting) (map[string]string, error) {
	if g.Name == "" {
		return nil, errors.New("nobody to greet")
	}
	return map[string]string{"said": "<Hello & welcome, " + g.Name + ">"}, nil
}

func TestNewMakesAToolFromATypedFunction(t *testing.T) {
	g := tool.New("greet", "Greets somebody.", greet)
	spec := g.Spec()
	assert.Equal(t, "greet", spec.Name)
	assert.Equal(t, "Greets somebody.", spec.Description)
	assert.Equal(t, "object", spec.Schema.Type)
	assert.Equal(t, []string{"name"}, spec.Schema.Required)
	assert.Equal(t, []string{"name", "loud"}, spec.Schema.PropertyOrder)
	assert.Equal(t, "who to greet", spec.Schema.Properties["name"].Description)

	got, err := g.Run(t.Context(), json.RawMessage(`{"name":"Ann"}`))
	require.NoError(t, err)
	assert.Equal(t, `{"said":"<Hello & welcome, Ann>"}`, string(got), "no HTML escapes")

	_, err = g.Run(t.Context(), nil)
	require.EqualError(t, err, "nobody to greet", "missing arguments count as an empty object")
	_, err = g.Run(t.Context(), json.RawMessage(`{"name":7}`))
	assert.ErrorContains(t, err, "the arguments of greet cannot be read")
}

func TestAToolDoesNotStartAfterItsContextEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := tool.New("greet", "", greet).Run(ctx, json.RawMessage(`{"name":"Ann"}`))
	assert.ErrorIs(t, err, context.Canceled)
}

func TestAResultThatCannotBeEncodedIsAnError(t *testing.T) {
	f := tool.New("f", "", func(context.Context, struct{}) (any, error) { return make(chan int), nil })
	_, err := f.Run(t.Context(), nil)
	assert.ErrorContains(t, err, "the result cannot be encoded")
}

func TestNewPanicsWithoutASchema(t *testing.T) {
	assert.PanicsWithValue(t, `tool "f": its arguments are of type "string", not a struct`, func() {
		tool.New("f", "", func(context.Context, string) (string, error) { return "", nil })
	})
	assert.Panics(t, func() {
		tool.New("f", "", func(context.Context, struct{ F func() }) (string, error) { return "", nil })
	})
}

func waits(ctx context.Context, _ struct{}) (string, error) {
	<-ctx.Done()
	return "", ctx.Err()
}

func TestATimeoutNamesTheToolAndTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		_, err := tool.WithTimeout(tool.New("slow", "", waits), 3*time.Second).Run(t.Context(), nil)
		require.EqualError(t, err, "slow was stopped after 3s, its time limit: context deadline exceeded")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 3*time.Second, time.Since(start))
	})
}

func TestATimeoutDoesNotReplaceOtherErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limited := tool.WithTimeout(tool.New("slow", "", waits), time.Minute)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := limited.Run(ctx, nil)
		assert.Equal(t, context.DeadlineExceeded, err, "an interrupt from outside is not the tool's limit")

		greeter := tool.WithTimeout(tool.New("greet", "Greets.", greet), time.Minute)
		assert.Equal(t, "Greets.", greeter.Spec().Description)
		_, err = greeter.Run(t.Context(), nil)
		assert.EqualError(t, err, "nobody to greet")
	})
}

// builtin returns the built-in tools for a folder, by name.
func builtin(t testing.TB, dir string, private ...string) map[string]agent.Tool {
	t.Helper()
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, root.Close()) })
	out := map[string]agent.Tool{}
	for _, b := range tool.Builtin(root, safety.NewLayer(), private...) {
		out[b.Spec().Name] = b
	}
	return out
}

// run calls a tool, which must succeed, and decodes its result.
func run[Out any](t testing.TB, ctx context.Context, b agent.Tool, args string) Out {
	t.Helper()
	raw, err := b.Run(ctx, json.RawMessage(args))
	require.NoError(t, err)
	var out Out
	require.NoError(t, json.Unmarshal(raw, &out))
	return out
}

// fails calls a tool, which must fail, and returns its error.
func fails(t testing.TB, ctx context.Context, b agent.Tool, args string) string {
	t.Helper()
	_, err := b.Run(ctx, json.RawMessage(args))
	require.Error(t, err)
	return err.Error()
}

func TestAToolboxAcceptsTheBuiltinTools(t *testing.T) {
	var all []agent.Tool
	for _, b := range builtin(t, t.TempDir()) {
		all = append(all, b)
	}
	box := &agent.Toolbox{}
	require.NoError(t, box.Replace(all...))
	assert.Equal(t, []string{
		"file_list", "file_read", "file_search", "memory_save", "memory_search", "time",
	}, box.Names())
}

// A tool that changes or sends something must not pass for one that only reads, or nobody
// is asked before it gets a suspicious call.
func TestOnlyToolsThatChangeAndSendNothingAreReadOnly(t *testing.T) {
	acts := map[string]bool{"memory_save": true, "shell": true, "http_get": true, "other": true}
	all := builtin(t, t.TempDir())
	all["shell"], all["http_get"] = tool.Shell(t.TempDir()), tool.HTTPGet(tool.HTTPGetOptions{})
	all["other"] = tool.New("other", "", func(context.Context, struct{}) (string, error) { return "", nil })
	assert.Len(t, all, 9)
	for name, b := range all {
		assert.Equal(t, !acts[name], b.Spec().ReadOnly, name)
		assert.Equal(t, !acts[name], tool.WithApproval(b, agent.ApprovalAsk).Spec().ReadOnly, name)
	}
}

type clockAnswer struct{ Time, Zone, Weekday string }

func TestTimeIsInUTCUnlessAZoneIsGiven(t *testing.T) {
	clock := builtin(t, t.TempDir())["time"]
	synctest.Test(t, func(t *testing.T) {
		ctx, now := t.Context(), time.Now()
		got := run[clockAnswer](t, ctx, clock, `{}`)
		assert.Equal(t, clockAnswer{now.UTC().Format(time.RFC3339), "UTC", now.UTC().Weekday().String()}, got)

		got = run[clockAnswer](t, ctx, clock, `{"zone":"Asia/Kolkata"}`)
		assert.Equal(t, "Asia/Kolkata", got.Zone)
		at, err := time.Parse(time.RFC3339, got.Time)
		require.NoError(t, err)
		assert.True(t, at.Equal(now))
		_, offset := at.Zone()
		assert.Equal(t, 5*3600+1800, offset)
	})
}

func TestAnUnknownZoneIsExplained(t *testing.T) {
	clock := builtin(t, t.TempDir())["time"]
	for _, zone := range []string{"Mars/Olympus", "Local", "../etc/passwd", "/etc/localtime"} {
		const advice = "give an IANA name such as Europe/Berlin, or leave zone out for UTC"
		assert.Equal(t, fmt.Sprintf("there is no time zone %q; %s", zone, advice),
			fails(t, t.Context(), clock, `{"zone":"`+zone+`"}`))
	}
}
