package agui

import "candor/session"

// agentMeta says who a sub-agent is, for people. The name of SUBAGENT_STARTED is its id, which no other has in its run.
type agentMeta struct {
	Name   string `json:"name,omitempty"`
	Model  string `json:"model,omitempty"`
	Effort string `json:"effort,omitempty"` // of reasoning, which the model is told to make
}

// metaOf returns what is known of an agent, nil if it is nothing.
func metaOf(p session.Profile) Metadata {
	who := agentMeta{p.Name.String(), p.Model.String(), p.Effort.String()}
	if who == (agentMeta{}) {
		return nil
	}
	return Metadata{metaAgent: who}
}
