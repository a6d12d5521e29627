package app_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest"
)

// panel is a graph of the dashboard: what it is called, in what unit Grafana shows it, and its
// queries with their legends.
type panel struct {
	title, unit string
	queries     [][2]string
}

// panels are the dashboard's, row by row, two in each. make dashboard writes them to
// docs/grafana.json.
var panels = []panel{
	{"Turns", "ops", [][2]string{
		{`sum by (state) (rate(candor_turns_total[$__rate_interval]))`, "{{state}}"}}},
	{"What runs and what waits", "short", [][2]string{
		{`sum(candor_turns_running)`, "turns running"}, {`sum by (queue) (candor_queue_length)`, "{{queue}} waiting"}}},
	{"Time of a turn", "s", [][2]string{
		{quantile("0.5", "candor_turn_duration_seconds"), "p50"},
		{quantile("0.99", "candor_turn_duration_seconds"), "p99"}}},
	{"What a step costs besides its model and tools", "s", [][2]string{
		{quantile("0.5", "candor_step_overhead_seconds"), "p50"},
		{quantile("0.99", "candor_step_overhead_seconds"), "p99"}}},
	{"Share of calls without a reason of the model", "percentunit", [][2]string{
		{`sum(rate(candor_rationales_total{source="fallback"}[$__rate_interval])) / ` +
			`sum(rate(candor_rationales_total[$__rate_interval]))`, "all calls"},
		{`sum by (model) (rate(candor_tool_calls_total{source="fallback"}[$__rate_interval])) / ` +
			`sum by (model) (rate(candor_tool_calls_total[$__rate_interval]))`, "{{model}}"}}},
	{"Tools with the least reasons", "percentunit", [][2]string{
		{`bottomk(5, avg by (tool) (candor_rationale_coverage))`, "{{tool}}"}}},
	{"Found by safety, by rule", "ops", [][2]string{
		{`sum by (rule, effect) (rate(candor_redactions_total[$__rate_interval]))`, "{{rule}} {{effect}}"}}},
	{"Withheld as a whole", "ops", [][2]string{
		{`sum by (text) (rate(candor_blocked_total[$__rate_interval]))`, "{{text}}"}}},
	{"Guesses at secrets", "ops", [][2]string{
		{`sum(rate(candor_secret_guesses_total[$__rate_interval]))`, "known secrets of others"}}},
	{"Event streams and requests", "short", [][2]string{
		{`sum(candor_streams)`, "streams"}, {`sum(candor_requests)`, "requests"}}},
	{"What became of streams", "ops", [][2]string{
		{`sum(rate(candor_streams_resumed_total[$__rate_interval]))`, "resumed"},
		{`sum(rate(candor_resyncs_total[$__rate_interval]))`, "began anew"},
		{`sum(rate(candor_streams_cut_off_total[$__rate_interval]))`, "cut off: the client did not read"}}},
	{"Events", "ops", [][2]string{
		{`sum by (kind) (rate(candor_events_total[$__rate_interval]))`, "{{kind}}"},
		{`sum(rate(candor_unrecorded_events_total[$__rate_interval]))`, "not recorded"}}},
	{"Sessions", "short", [][2]string{{`sum(candor_sessions)`, "sessions"}}},
	{"Memory", "bytes", [][2]string{
		{`sum(candor_session_bytes)`, "charged to sessions"},
		{`sum(process_resident_memory_bytes{job="candor"})`, "process"},
		{`sum(rate(candor_dropped_bytes_total[$__rate_interval]))`, "dropped each second"}}},
	{"Storage", "bytes", [][2]string{{`sum(candor_storage_bytes)`, "on disk"}}},
	{"Storages that take events", "short", [][2]string{{`min(candor_storage_ready)`, "the worst"}}},
	{"Turns for the collector of traces", "ops", [][2]string{
		{`sum by (result) (rate(candor_otlp_turns_total[$__rate_interval]))`, "{{result}}"}}},
	{"Telemetry of other agents", "ops", [][2]string{
		{`sum by (kind) (rate(candor_telemetry_items_total[$__rate_interval]))`, "{{kind}}"},
		{`sum by (what) (rate(candor_telemetry_unread_total[$__rate_interval]))`, "not read: {{what}}"}}},
	{"Processor time", "short", [][2]string{
		{`sum(rate(process_cpu_seconds_total{job="candor"}[$__rate_interval]))`, "processors"}}},
}

// quantile returns the query for a quantile of a histogram.
func quantile(q, histogram string) string {
	return "histogram_quantile(" + q + ", sum by (le) (rate(" + histogram + "_bucket[$__rate_interval])))"
}

// grafanaPanel returns a panel as Grafana reads it, at its place.
func (p panel) grafanaPanel(at int) apptest.M {
	var targets []apptest.M
	for i, q := range p.queries {
		targets = append(targets, apptest.M{"expr": q[0], "legendFormat": q[1], "refId": string(rune('A' + i))})
	}
	return apptest.M{
		"id": at + 1, "type": "timeseries", "title": p.title,
		"datasource":  apptest.M{"type": "prometheus", "uid": "${source}"},
		"fieldConfig": apptest.M{"defaults": apptest.M{"unit": p.unit, "min": 0}, "overrides": []any{}},
		"gridPos":     apptest.M{"h": 8, "w": 12, "x": at % 2 * 12, "y": at / 2 * 8},
		"targets":     targets,
	}
}

func TestTheDashboardIsThatOfThePanels(t *testing.T) {
	var drawn []apptest.M
	for i, p := range panels {
		drawn = append(drawn, p.grafanaPanel(i))
	}
	raw, err := json.MarshalIndent(apptest.M{
		"title": "Candor", "uid": "candor", "schemaVersion": 39, "editable": true, "refresh": "30s",
		"time": apptest.M{"from": "now-6h", "to": "now"}, "panels": drawn,
		"templating": apptest.M{"list": []apptest.M{{
			"name": "source", "label": "Prometheus", "type": "datasource", "query": "prometheus",
		}}},
	}, "", "  ")
	require.NoError(t, err)
	apptest.CompareGolden(t, filepath.Join(apptest.Root(t), "docs", "grafana.json"), string(raw)+"\n")
}

// The names in docs/operating.md are the program's own: TestTheTableOfMetricsIsTrue.
func TestTheDashboardShowsEachMetricAndNoOther(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join(apptest.Root(t), "docs", "operating.md"))
	require.NoError(t, err)
	raw, err := os.ReadFile(filepath.Join(apptest.Root(t), "docs", "grafana.json"))
	require.NoError(t, err)
	names := func(text []byte, pattern string) (all []string) {
		for _, m := range regexp.MustCompile(pattern).FindAllSubmatch(text, -1) {
			all = append(all, strings.TrimSuffix(string(m[1]), "_bucket"))
		}
		slices.Sort(all)
		return slices.Compact(all)
	}
	listed := names(doc, "(?m)^\\| `(candor_\\w+)`")
	require.NotEmpty(t, listed)
	assert.Equal(t, listed, names(raw, `(candor_\w+)[\[{)]`))
}
