package claude

import (
	"encoding/json"
	"errors"

	"candor/attach"
	"candor/attach/rows"
)

// Spawned returns the sighting that a sub-agent began, read from the file agent-ID.meta.json beside its session file,
// which names the call that started it. session and sub are the ids in the file's path.
func Spawned(meta []byte, session, sub string) (attach.Sighting, error) {
	// The program keeps more in the file, such as how deep sub-agents stand in one another, which the places of the
	// session files do not show.
	var in struct {
		Type   string `json:"agentType"`
		Call   string `json:"toolUseId"`
		Model  string `json:"model"`
		Effort string `json:"effort"`
		Shape  string `json:"requestShape"`
	}
	if json.Unmarshal(meta, &in) != nil || !rows.OptionalID(in.Call) || !rows.IsID(session) || !rows.IsID(sub) {
		return attach.Sighting{}, errors.New("this is not a description of a sub-agent, or it is damaged")
	}
	kind, _ := rows.Shorten(in.Type)
	model, _ := rows.Shorten(in.Model)
	effort, _ := rows.Shorten(in.Effort)
	return attach.Sighting{Agent: agent, Session: session, Channel: attach.File, Sub: sub, Call: in.Call,
		Spawned: &attach.Spawned{Kind: kind, Model: model, Effort: effort, Background: in.Shape == "background"}}, nil
}
