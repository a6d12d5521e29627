package main

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	commonpb "go.opentelemetry.io/proto/slim/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"

	"candor/cmd/candor/apptest"
	"candor/safety"
	"candor/session/otlp"
	"candor/web/access"
)

// otlpOf describes what a collector is sent of a thread's first turn, with its content: each span
// below its parent, with its attributes, and then the logs.
func otlpOf(t *testing.T, p *apptest.Play, thread string) string {
	t.Helper()
	own, err := p.App.Store.Open(t.Context(), access.LocalUser)
	require.NoError(t, err)
	turn, err := own.Turn(thread, 1)
	require.NoError(t, err)
	events, err := own.TurnEvents(thread, 1)
	require.NoError(t, err)
	spans, logs := otlp.Project(turn, safety.Text{}, events,
		otlp.About{Provider: "script", Model: "script", Content: true})
	require.NotEmpty(t, spans)
	var b strings.Builder
	begun := spans[0].StartTimeUnixNano
	after := func(at uint64) time.Duration { return time.Duration(at - begun) }
	fmt.Fprintf(&b, "trace %x\n", spans[0].TraceId)
	var describe func(parent, indent string)
	describe = func(parent, indent string) {
		for _, s := range spans {
			if hex.EncodeToString(s.ParentSpanId) != parent {
				continue
			}
			fmt.Fprintf(&b, "\n%s%s\n", indent, s.Name)
			indent := indent + "    "
			fmt.Fprintf(&b, "%sspan %x, %s, from %s to %s\n", indent, s.SpanId, shortKind(s),
				after(s.StartTimeUnixNano), after(s.EndTimeUnixNano))
			if s.Status != nil {
				fmt.Fprintf(&b, "%s%s %q\n", indent, s.Status.Code, s.Status.Message)
			}
			describeAttributes(&b, indent, s.Attributes)
			describe(hex.EncodeToString(s.SpanId), indent)
		}
	}
	describe("", "")
	for _, l := range logs {
		fmt.Fprintf(&b, "\nlog %s after %s, of span %x\n    %q\n", l.EventName, after(l.TimeUnixNano), l.SpanId,
			l.Body.GetStringValue())
		require.Equal(t, spans[0].TraceId, l.TraceId)
		describeAttributes(&b, "    ", l.Attributes)
	}
	return b.String()
}

func shortKind(s *tracepb.Span) string { return strings.TrimPrefix(s.Kind.String(), "SPAN_KIND_") }

func describeAttributes(b *strings.Builder, indent string, all []*commonpb.KeyValue) {
	for _, a := range all {
		switch v := a.Value.Value.(type) {
		case *commonpb.AnyValue_StringValue:
			fmt.Fprintf(b, "%s%s = %q\n", indent, a.Key, v.StringValue)
		case *commonpb.AnyValue_IntValue:
			fmt.Fprintf(b, "%s%s = %d\n", indent, a.Key, v.IntValue)
		case *commonpb.AnyValue_DoubleValue:
			fmt.Fprintf(b, "%s%s = %g\n", indent, a.Key, v.DoubleValue)
		case *commonpb.AnyValue_BoolValue:
			fmt.Fprintf(b, "%s%s = %t\n", indent, a.Key, v.BoolValue)
		case *commonpb.AnyValue_ArrayValue:
			for _, one := range v.ArrayValue.Values {
				fmt.Fprintf(b, "%s%s has %q\n", indent, a.Key, one.GetStringValue())
			}
		}
	}
}
