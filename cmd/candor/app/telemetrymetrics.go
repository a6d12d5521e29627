package app

import (
	"github.com/prometheus/client_golang/prometheus"

	"candor/web/telemetry"
)

// The figures of telemetry that other programs send. The words of what are the program's own.
var (
	telemetryDesc = prometheus.NewDesc("candor_telemetry_items_total",
		"Spans and log records that other programs sent.", []string{"kind"}, nil)
	unreadDesc = prometheus.NewDesc("candor_telemetry_unread_total",
		"Parts of agents in telemetry that could not be read.", []string{"what"}, nil)
)

// telemetryCollector reads a server's counts at each scrape.
type telemetryCollector struct{ of *telemetry.Server }

// Describe implements prometheus.Collector.
func (telemetryCollector) Describe(out chan<- *prometheus.Desc) {
	out <- telemetryDesc
	out <- unreadDesc
}

// Collect implements prometheus.Collector.
func (c telemetryCollector) Collect(out chan<- prometheus.Metric) {
	all := c.of.Counts()
	for kind, n := range map[string]int{"span": all.Spans, "record": all.Records} {
		out <- prometheus.MustNewConstMetric(telemetryDesc, prometheus.CounterValue, float64(n), kind)
	}
	for what, n := range all.Lost {
		out <- prometheus.MustNewConstMetric(unreadDesc, prometheus.CounterValue, float64(n), what)
	}
}
