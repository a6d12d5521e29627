package tool

import "candor/agent"

// WithApproval returns t with the given approval mode instead of its own.
func WithApproval(t agent.Tool, mode agent.Approval) agent.Tool { return needsApproval{t, mode} }

// needsApproval is a tool with another approval mode.
type needsApproval struct {
	agent.Tool
	mode agent.Approval
}

// Spec implements agent.Tool.
func (n needsApproval) Spec() agent.Spec {
	s := n.Tool.Spec()
	s.Approval = n.mode
	return s
}
