package tool

import "candor/agent"

// ReadOnly returns t, marked as a tool that changes nothing and sends nothing.
func ReadOnly(t agent.Tool) agent.Tool { return readOnly{t} }

// readOnly is a tool that only reads.
type readOnly struct{ agent.Tool }

// Spec implements agent.Tool.
func (r readOnly) Spec() agent.Spec {
	s := r.Tool.Spec()
	s.ReadOnly = true
	return s
}

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
