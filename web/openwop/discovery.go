package openwop

import (
	"net/http"
	"strings"

	"candor/web/problem"
)

// Versions of the protocol as discovery names them.
const (
	wireV1 = "1.0"
	wireV2 = "2.0"
)

// record is a JSON object of a document.
type record map[string]any

// discover handles GET /.well-known/openwop: what the server supports, for anybody.
func (s *Server) discover(w http.ResponseWriter, in *incoming) error {
	return sendEncoded(w, http.StatusOK, s.documents[in.version])
}

// families returns what both versions say of the server's capabilities, at the root of their
// documents.
func (s *Server) families(v Version) record {
	out := record{
		"implementation": record{"name": "candor"},
		"agents": record{
			"supported":    true,
			"modelClasses": []string{"reasoning", "tool-using", "chat"},
			"reasoning": record{
				"verbosity":  verbosityName(v, least(Summary, s.options.Verbosity)),
				"tokenLimit": DefaultTokenLimit,
				"streaming":  !s.options.Whole && s.options.Verbosity != Off,
			},
		},
		"toolHooks": record{
			"supported": true, "prePostEvents": true, "perToolAuthorization": false, "perToolRateLimit": false,
		},
		"replay":     record{"supported": true, "modes": []string{"replay"}},
		"compliance": record{"defaultMode": "mask"},
	}
	if fixtures := s.fixtures(); len(fixtures) > 0 {
		out["fixtures"] = fixtures
		out["conformance"] = record{"mockAgent": true}
	}
	return out
}

// fixtures returns the ids of the workflows that exist for tests of clients.
func (s *Server) fixtures() (ids []string) {
	for _, d := range s.options.Workflows {
		if strings.HasPrefix(d.ID, "conformance-") {
			ids = append(ids, d.ID)
		}
	}
	return ids
}

// discoveryV1 returns what version 1 tells of the server. Limits of what it does not have are 0, since clients of that
// version expect the members.
func (s *Server) discoveryV1() record {
	out := s.families(V1)
	out["protocolVersion"] = wireV1
	out["protocolVersions"], out["preferredVersion"] = []string{wireV1, wireV2}, wireV1
	out["supportedEnvelopes"] = []string{} // models' envelopes, of which there are none
	out["schemaVersions"] = record{}
	out["limits"] = record{
		"clarificationRounds": 0, "schemaRounds": 0, "envelopesPerTurn": 0, "maxRequestBodyBytes": maxBody,
	}
	return out
}

// discoveryV2 returns what version 2 tells of the server, with the version of the event log.
func (s *Server) discoveryV2() record {
	out := s.families(V2)
	out["protocolVersions"], out["preferredVersion"] = []string{wireV1, wireV2}, wireV2
	out["eventLogSchemaVersion"] = eventLogSchemaVersion
	return out
}

// workflow handles GET /v1/workflows/{workflow}: its definition.
//
// Errors: not_found.
func (s *Server) workflow(w http.ResponseWriter, in *incoming) error {
	for _, d := range s.options.Workflows {
		if d.ID == in.PathValue("workflow") {
			return sendEncoded(w, http.StatusOK, d.Body)
		}
	}
	return problem.New(http.StatusNotFound, "not_found",
		"There is no such workflow. The server has chat, and those listed in fixtures of "+
			"GET /.well-known/openwop.")
}

// verbosityName returns what a version calls a verbosity.
func verbosityName(v Version, l Verbosity) string {
	if v == V2 && l == Off {
		return "none"
	}
	return string(l)
}
