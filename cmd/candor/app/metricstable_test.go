package app

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
	"candor/session"
	"candor/session/journal"
	"candor/session/otlp"
	"candor/web"
)

// described returns the names of the program's own metrics and the labels of each.
func described(t *testing.T) map[string][]string {
	t.Helper()
	lead, memory := newTestAgent(t, offlineSettings(t)), session.NewMemory(nil)
	chat := agent.NewChat(memory, lead, 0)
	t.Cleanup(func() { chat.Close(t.Context()) })
	m := newMetrics()
	m.register(storageFigures(func() journal.Status { return journal.Status{} })...)
	m.register(telemetryCollector{})
	store := sessions{Store: memory, holdings: memory}
	server := web.New(web.Options{Store: memory, Log: quiet})
	m.register(figuresOf(lead, store, chat, server, newTestExporter(t))...)
	found := make(chan *prometheus.Desc)
	go func() {
		m.registry.Describe(found)
		close(found)
	}()
	parts := regexp.MustCompile(`fqName: "(candor_\w+)".*constLabels: {([^}]*)}, variableLabels: {([^}]*)}`)
	names := map[string][]string{}
	for d := range found {
		if p := parts.FindStringSubmatch(d.String()); p != nil {
			labels := regexp.MustCompile(`=[^,]*`).ReplaceAllString(p[2], "") + "," + p[3]
			names[p[1]] = strings.FieldsFunc(labels, func(r rune) bool { return r == ',' })
		}
	}
	return names
}

// newTestExporter returns an exporter to a collector that is not there.
func newTestExporter(t *testing.T) *otlp.Exporter {
	t.Helper()
	s := Settings{OTLP: OTLPSettings{URL: "http://127.0.0.1:1"}}
	x, err := s.export("m", quiet)
	require.NoError(t, err)
	t.Cleanup(x.Close)
	return x
}

func TestTheTableOfMetricsIsTrue(t *testing.T) {
	raw, err := os.ReadFile("../../../docs/operating.md")
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(raw), "<!-- metrics -->")
	table, _, found := strings.Cut(table, "<!-- end of metrics -->")
	require.True(t, found)
	names := described(t)
	require.GreaterOrEqual(t, len(names), 20)
	code := regexp.MustCompile("`([^`]+)`")
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 || !strings.Contains(cells[1], "candor_") {
			continue
		}
		name := strings.Trim(cells[1], " `")
		labels, known := names[name]
		assert.True(t, known, "the program has no %s", name)
		listed := []string{}
		for _, l := range code.FindAllStringSubmatch(cells[2], -1) {
			listed = append(listed, l[1])
		}
		slices.Sort(listed)
		slices.Sort(labels)
		assert.Equal(t, labels, listed, name)
		delete(names, name)
	}
	assert.Empty(t, names, "not in the table")
}
