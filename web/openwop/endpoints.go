package openwop

import (
	"net/http"
	"strings"

	"candor/web/problem"
)

// endpoint is a row of the table that becomes the routes and the OpenAPI document.
type endpoint struct {
	method, path string // below /v1, or the root in version 2; {run} is the id of a run
	name         string // the operation's, in OpenAPI
	summary      string

	rooted bool // the path is the same in each version, and not below /v1
	either bool // the version is that of the header alone
	public bool // nobody has to be known
	begins bool // counts among the user's messages; a server with the fixtures lets a suite run as fast as it can
	counts bool // bounds by itself how many of its requests are open

	serve func(w http.ResponseWriter, in *incoming) error
}

// endpoints returns the table.
func (s *Server) endpoints() []endpoint {
	get, post := http.MethodGet, http.MethodPost
	return []endpoint{
		{method: get, path: "/.well-known/openwop", name: "discover", rooted: true, either: true, public: true,
			summary: "What this server supports", serve: s.discover},
		{method: get, path: "/openapi.json", name: "describe", public: true,
			summary: "This document", serve: s.describe},
		{method: get, path: "/workflows/{workflow}", name: "getWorkflow",
			summary: "A workflow's definition", serve: s.workflow},
		{method: post, path: "/runs", name: "createRun", begins: len(s.fixtures()) == 0,
			summary: "Start a run of a workflow", serve: s.once(s.create)},
		{method: post, path: `/runs\:bulk-cancel`, name: "bulkCancelRuns",
			summary: "Not supported", serve: s.once(refuse)},
		{method: get, path: "/runs/{run}", name: "getRun",
			summary: "A run's state", serve: s.snapshot},
		{method: get, path: "/runs/{run}/events", name: "streamRunEvents", counts: true,
			summary: "A run's events, as server-sent events or, by Accept, as JSON", serve: s.events},
		{method: get, path: "/runs/{run}/events/poll", name: "pollRunEvents", counts: true,
			summary: "A run's events after a sequence number, as soon as there are some", serve: s.poll},
		{method: post, path: "/runs/{run}/cancel", name: "cancelRun",
			summary: "Stop a run", serve: s.once(s.cancel)},
		{method: post, path: "/runs/{run}/interrupts/{node}", name: "resumeNode",
			summary: "Answer what a node of a run asks", serve: s.once(s.resume)},
		// The path of an action is a run's, and a colon and the action's name behind it.
		{method: post, path: "/runs/{run}", name: "forkRun",
			summary: "Replay a run, as {run}:fork", serve: s.once(s.act)},
		{method: post, path: "/interrupts/{token}", name: "resumeByToken",
			summary: "Not supported", serve: s.once(refuse)},
		{method: get, path: "/runs/{run}/artifacts", name: "listArtifacts",
			summary: "Not supported", serve: refusePage},
		{method: post, path: "/webhooks", name: "registerWebhook",
			summary: "Not supported", serve: s.once(refuse)},
	}
}

// pathOf is a path of an endpoint in one version, as Echo writes it.
type pathOf struct {
	version Version
	path    string
}

// paths returns where an endpoint is mounted. The id of a run of version 2 has a slash, so its
// route exists with one segment, for clients that escape it, and with two.
func (e endpoint) paths() []pathOf {
	path := strings.NewReplacer("{", ":", "}", "").Replace(e.path)
	if e.rooted {
		return []pathOf{{V1, path}}
	}
	all := []pathOf{{V1, "/v1" + path}, {V2, path}}
	if strings.Contains(path, ":run/") || strings.HasSuffix(path, ":run") {
		all = append(all, pathOf{V2, strings.Replace(path, ":run", ":tenant/:run", 1)})
	}
	return all
}

// versionHeader names the version of the protocol in requests and answers.
const versionHeader = "OpenWOP-Version"

// agree settles the request's version. A path below /v1 speaks version 1, any other version 2,
// unless either is true: then the header chooses, and version 1 is taken without one.
func (in *incoming) agree(w http.ResponseWriter, either bool) error {
	asked := in.Header.Get(versionHeader)
	switch {
	case either && asked == "2":
		in.version = V2
	case asked == "", asked == "1" && in.version == V1, asked == "2" && in.version == V2:
	default:
		return problem.New(http.StatusNotAcceptable, "protocol_version_unsupported",
			"This path does not support the version of OpenWOP that the request asks for. "+
				"Paths below /v1 use version 1, the others version 2.").
			With("supported", []string{"1", "2"})
	}
	if in.version == V2 {
		w.Header().Set(versionHeader, "2")
	}
	return nil
}
