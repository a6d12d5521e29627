package tool

import "candor/agent"

// Asking is t with a person asked before it runs, in the given mode.
func Asking(t agent.Tool, mode agent.Approval) agent.Tool { return asking{t, mode} }

type asking struct {
	agent.Tool
	mode agent.Approval
}

func (a asking) Spec() agent.Spec {
	s := a.Tool.Spec()
	s.Approval = a.mode
	return s
}
