package app

import (
	"github.com/prometheus/client_golang/prometheus"

	"candor/agent"
)

// The figures of reasons by model and tool. source is model or fallback, as in rationale_source.
var (
	callsDesc = prometheus.NewDesc("candor_tool_calls_total",
		"Tool calls, by whose reason they have: the model's, or our fallback.", []string{"model", "tool",
			"source"}, nil)
	coverageDesc = prometheus.NewDesc("candor_rationale_coverage",
		"Share of tool calls that came with the model's own reason.", []string{"model", "tool"}, nil)
)

// coverageCollector reads a dispatcher's counts at each scrape. The dispatcher is the
// only place that counts, so the status route and the metrics always agree.
type coverageCollector struct{ d *agent.Dispatcher }

// Describe implements prometheus.Collector.
func (coverageCollector) Describe(out chan<- *prometheus.Desc) {
	out <- callsDesc
	out <- coverageDesc
}

// Collect implements prometheus.Collector.
func (c coverageCollector) Collect(out chan<- prometheus.Metric) {
	for _, row := range c.d.Coverage() {
		reasoned, rest := float64(row.Reasoned), float64(row.Calls-row.Reasoned)
		out <- prometheus.MustNewConstMetric(callsDesc, prometheus.CounterValue, reasoned, row.Model, row.Tool, "model")
		out <- prometheus.MustNewConstMetric(callsDesc, prometheus.CounterValue, rest, row.Model, row.Tool, "fallback")
		share := reasoned / float64(row.Calls)
		out <- prometheus.MustNewConstMetric(coverageDesc, prometheus.GaugeValue, share, row.Model, row.Tool)
	}
}
