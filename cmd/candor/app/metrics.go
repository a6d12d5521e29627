package app

import (
	"net/http"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"candor/agent"
	"candor/session/journal"
	"candor/session/otlp"
	"candor/web"
	"candor/web/telemetry"
)

// metrics are an app's figures for Prometheus. Their names and labels are an interface:
// dashboards and alerts refer to them. A label is a word of the program, the id of a rule, or the
// name of the operator's model or of a tool that the operator offers; never text of a user or a
// model.
type metrics struct {
	registry *prometheus.Registry
	recorded eventCounts
	overhead prometheus.Histogram
}

// newMetrics returns metrics of which none is registered.
func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(), recorded: newEventCounts(),
		overhead: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "candor_step_overhead_seconds",
			Help: "What a step that called tools cost besides its model, its tools and waiting.",
			// From 16 µs to 16 s.
			Buckets: prometheus.ExponentialBuckets(16e-6, 4, 11),
		}),
	}
	m.register(m.recorded, m.overhead, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// register adds figures. Two of one name are a mistake of the program.
func (m *metrics) register(more ...prometheus.Collector) { m.registry.MustRegister(more...) }

// handler serves the figures in Prometheus' text format.
func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// count returns a figure that only grows, gauge one that changes. Both are read at each scrape.
func count(name, help string, read func() float64) prometheus.Collector {
	return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, read)
}

// gauge returns a metric whose value is read when somebody asks.
func gauge(name, help string, read func() float64) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read)
}

// queue returns the length of one of the queues.
func queue(name string, read func() float64) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "candor_queue_length", Help: "What waits: messages for their turn, approvals for a person, appends " +
			"for the storage, and turns that ended for the collector.",
		ConstLabels: prometheus.Labels{"queue": name},
	}, read)
}

// figuresOf reads the figures of an app's parts. exporter may be nil.
func figuresOf(
	lead *agent.Dispatcher, store sessions, chat *agent.Chat, server *web.Server, exporter *otlp.Exporter,
) []prometheus.Collector {
	all := slices.Concat(dispatcherFigures(lead), memoryFigures(store), chatFigures(chat), serverFigures(server))
	if store.durable != nil {
		all = append(all, storageFigures(store.durable.Status)...)
	}
	if exporter != nil {
		all = append(all, exportFigures(exporter)...)
	}
	return all
}

// dispatcherFigures reads what a dispatcher counts.
func dispatcherFigures(d *agent.Dispatcher) []prometheus.Collector {
	return []prometheus.Collector{
		coverageCollector{d},
		count("candor_unrecorded_events_total", "Events that could not be recorded; their turns went on.",
			func() float64 { return float64(d.Unrecorded()) }),
	}
}

// memoryFigures reads what sessions hold.
func memoryFigures(memory holdings) []prometheus.Collector {
	return []prometheus.Collector{
		gauge("candor_session_bytes", "What all sessions are charged; they may hold half of --memory.",
			func() float64 { return float64(memory.Held()) }),
		gauge("candor_sessions", "Sessions that the store holds, one for each user.",
			func() float64 { return float64(memory.Count()) }),
	}
}

// storageFigures reads what a storage says of itself.
func storageFigures(status func() journal.Status) []prometheus.Collector {
	return []prometheus.Collector{
		gauge("candor_storage_bytes", "What the storage of sessions uses on disk; 0 if it does not say.",
			func() float64 { return float64(status().Bytes) }),
		queue("appends", func() float64 { return float64(status().Waiting) }),
		gauge("candor_storage_ready", "1 while the storage takes events, else 0.", func() float64 {
			if status().Ready != nil {
				return 0
			}
			return 1
		}),
	}
}

// chatFigures reads what a chat has to do.
func chatFigures(c *agent.Chat) []prometheus.Collector {
	return []prometheus.Collector{
		gauge("candor_turns_running", "Turns that run now.", func() float64 { return float64(c.Load().Running) }),
		queue("messages", func() float64 { return float64(c.Load().Waiting) }),
		queue("approvals", func() float64 { return float64(c.Load().Approvals) }),
	}
}

// serverFigures reads what a server has open.
func serverFigures(s *web.Server) []prometheus.Collector {
	return []prometheus.Collector{
		gauge("candor_streams", "Event streams of chats and jobs that are open.",
			func() float64 { return float64(s.Load().Streams) }),
		gauge("candor_requests", "Requests under way, streams not counted.",
			func() float64 { return float64(s.Load().Requests) }),
		count("candor_streams_resumed_total", "Event streams that continued from where their client was.",
			func() float64 { return float64(s.Load().Resumed) }),
		count("candor_resyncs_total", "Times that a client was told that its position is gone.",
			func() float64 { return float64(s.Load().Resynced) }),
		count("candor_secret_guesses_total", "Known secrets in texts of people who do not own them.",
			func() float64 { return float64(s.Load().Guesses) }),
		count("candor_streams_cut_off_total", "Event streams that ended because their client did not read.",
			func() float64 { return float64(s.Load().CutOff) }),
	}
}

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
