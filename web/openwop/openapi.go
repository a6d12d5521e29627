package openwop

import (
	"net/http"
	"regexp"
	"strings"

	"candor/web/openapi"
)

// describe handles GET /v1/openapi.json: the routes, for anybody.
func (s *Server) describe(w http.ResponseWriter, _ *incoming) error {
	return sendEncoded(w, http.StatusOK, s.openAPI)
}

// describeRoutes returns the OpenAPI document of a table.
func describeRoutes(table []endpoint) record {
	paths := record{}
	for _, e := range table {
		for _, at := range e.paths() {
			path := segmentName.ReplaceAllString(strings.ReplaceAll(at.path, `\:`, "\x00"), "{$1}")
			path = strings.ReplaceAll(path, "\x00", ":")
			if e.name == "forkRun" {
				path += ":fork"
			}
			if paths[path] == nil {
				paths[path] = record{}
			}
			paths[path].(record)[strings.ToLower(e.method)] = e.operation(path, at.version)
		}
	}
	return record{
		"openapi": "3.1.0",
		"info":    record{"title": "OpenWOP of Candor", "version": wireV2},
		"paths":   paths,
		"components": record{
			"securitySchemes": record{"bearer": record{"type": "http", "scheme": "bearer"}},
			"schemas": record{"Error": record{
				"type": "object", "required": []string{"error", "message"}, "additionalProperties": false,
				"properties": record{
					"error": record{"type": "string"}, "message": record{"type": "string"},
					"details": record{"type": "object"},
				},
			}},
		},
	}
}

// about returns what the server's own OpenAPI document says of an endpoint. What it takes and answers is
// OpenWOP's.
func (e endpoint) about() openapi.Operation {
	op := openapi.Operation{Summary: e.summary, Headers: []openapi.Parameter{{Name: versionHeader}},
		Answers: []openapi.Answer{{Body: openapi.Anything{}, Text: "As OpenWOP has it"}}}
	if strings.HasSuffix(e.path, "/events") {
		op.Answers = append(op.Answers, openapi.Answer{Kind: "text/event-stream"})
	}
	if e.public {
		op.Access = openapi.Nobody
	}
	if e.method == http.MethodPost {
		op.Body = openapi.Anything{}
	}
	return op
}

// segmentName matches a parameter of a path as Echo writes it.
var segmentName = regexp.MustCompile(`:([a-z]+)`)

// parameterName matches one as OpenAPI writes it.
var parameterName = regexp.MustCompile(`\{([a-z]+)\}`)

// operation returns what OpenAPI says of an endpoint at a path.
func (e endpoint) operation(path string, v Version) record {
	parameters := []record{}
	for _, m := range parameterName.FindAllStringSubmatch(path, -1) {
		parameters = append(parameters,
			record{"name": m[1], "in": "path", "required": true, "schema": record{"type": "string"}})
	}
	name := e.name
	if v == V2 {
		name += "V2"
		parameters = append(parameters, record{"name": versionHeader, "in": "header",
			"schema": record{"type": "string", "const": "2"}})
	}
	if strings.Contains(path, "{tenant}") {
		name += "OfTenant"
	}
	failure := record{"description": "A refusal",
		"content": record{"application/json": record{"schema": record{"$ref": "#/components/schemas/Error"}}}}
	out := record{
		"operationId": name, "summary": e.summary, "parameters": parameters,
		"responses": record{"2XX": record{"description": "The answer"}, "default": failure},
	}
	if !e.public {
		out["security"] = []record{{"bearer": []string{}}}
	}
	if e.method == http.MethodPost {
		out["requestBody"] = record{"content": record{"application/json": record{"schema": record{"type": "object"}}}}
	}
	return out
}
