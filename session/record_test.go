package session_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
	"candor/session/journal"
)

// filled returns a value of a type with something in each field, or in some of them.
func filled(r *rand.Rand, typ reflect.Type) reflect.Value {
	v := reflect.New(typ).Elem()
	if r.IntN(5) == 0 {
		return v
	}
	switch typ {
	case reflect.TypeFor[safety.Text]():
		v.Set(reflect.ValueOf(words(r.IntN(40))))
		return v
	case reflect.TypeFor[safety.JSON]():
		value, _ := cleaner.CleanJSON(fmt.Appendf(nil, ` {"a": [%d, "<&>\u2028", null]} `, r.IntN(9)))
		v.Set(reflect.ValueOf(value))
		return v
	case reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.UnixMicro(r.Int64N(1 << 50)).UTC()))
		return v
	}
	switch typ.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprint("s", r.IntN(99)))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(r.Int64() - r.Int64())
	case reflect.Float64:
		v.SetFloat(r.Float64())
	case reflect.Pointer:
		v.Set(reflect.New(typ.Elem()))
		v.Elem().Set(filled(r, typ.Elem()))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(typ, r.IntN(3), 3))
		for i := range v.Len() {
			v.Index(i).Set(filled(r, typ.Elem()))
		}
	case reflect.Struct:
		for i := range typ.NumField() {
			v.Field(i).Set(filled(r, typ.Field(i).Type))
		}
	default:
		panic(typ)
	}
	return v
}

// randomEvents returns events of every kind, with what the log sets.
func randomEvents(r *rand.Rand) (events []session.Event) {
	at := time.UnixMicro(1_700_000_000_000_000).UTC()
	for i, b := range bodies {
		events = append(events, session.Event{
			Seq: uint64(i + 7), At: at.Add(time.Duration(i) * time.Second), Session: "s",
			Ref: filled(r, reflect.TypeFor[session.Ref]()).Interface().(session.Ref), Key: fmt.Sprint(i), Ignored: i,
			Body: filled(r, reflect.TypeOf(b)).Interface().(session.Body),
		})
	}
	return events
}

func TestEventsAreReadBackAsTheyWere(t *testing.T) {
	for seed := range uint64(200) {
		events := randomEvents(rand.New(rand.NewPCG(seed, 0)))
		back, err := session.Codec("s", 7, events)
		require.NoError(t, err)
		require.Equal(t, events, back, "seed %d", seed)
	}
}

func TestARecordThatIsNotWholeIsRefusedWithItsPlace(t *testing.T) {
	events := randomEvents(rand.New(rand.NewPCG(1, 1)))
	record := session.EncodeEvents(events)
	batch := journal.Batch{First: 7, Last: 7 + uint64(len(events)) - 1}
	for cut := range len(record) {
		batch.Payload = record[:cut]
		_, err := session.DecodeEvents("s", batch)
		damage := new(journal.Damage)
		require.ErrorAs(t, err, &damage, "cut to %d bytes", cut)
		assert.Equal(t, uint64(7), damage.First)
	}
	batch.Payload = append(record[:len(record):len(record)], 0)
	_, err := session.DecodeEvents("s", batch)
	require.ErrorContains(t, err, "1 bytes follow it")
}

func TestARecordOfAnUnknownKindOrFieldIsRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		body      session.Body
		from, to  string
		complaint string
	}{
		"kind":  {session.StepWaits{Step: 3}, "StepWaits", "StepSleep", `unknown kind "StepSleep"`},
		"field": {session.StepWaits{Step: 3}, "Step\x06", "Stop\x06", `StepWaits has no field "Stop"`},
	} {
		t.Run(name, func(t *testing.T) {
			record := session.EncodeEvents([]session.Event{{Body: tt.body}})
			changed := []byte(replaceOnce(t, string(record), tt.from, tt.to))
			_, err := session.DecodeEvents("s", journal.Batch{First: 1, Last: 1, Payload: changed})
			require.ErrorContains(t, err, tt.complaint)
		})
	}
}

func FuzzRecordsOfStrangers(f *testing.F) {
	for seed := range uint64(3) {
		f.Add(session.EncodeEvents(randomEvents(rand.New(rand.NewPCG(seed, 2)))[:9]))
	}
	f.Fuzz(func(t *testing.T, record []byte) {
		events, err := session.DecodeEvents("s", journal.Batch{First: 1, Last: 9, Payload: record})
		if err != nil {
			return
		}
		again, err := session.DecodeEvents("s", journal.Batch{First: 1, Last: 9, Payload: session.EncodeEvents(events)})
		require.NoError(t, err)
		require.Equal(t, session.EncodeEvents(events), session.EncodeEvents(again))
	})
}

// replaceOnce replaces the last of a text within another.
func replaceOnce(t *testing.T, in, from, to string) string {
	t.Helper()
	at := strings.LastIndex(in, from)
	require.Positive(t, at)
	return in[:at] + to + in[at+len(from):]
}
