package view

import (
	"candor/safety"
	"candor/session"
	"candor/session/brief"
)

// EditedInfo has the parameters as a person changed them before they approved the call, whole but for
// secrets, and who that was. A call that nobody changed has none of it.
type EditedInfo struct {
	Edited   *safety.JSON `json:"edited_parameters,omitempty"`
	EditedBy *safety.Text `json:"edited_by,omitempty"`
}

func editedInfo(params safety.JSON, by safety.Text) EditedInfo {
	if params.Null() {
		return EditedInfo{}
	}
	return EditedInfo{&params, orNull(by)}
}

func editedOf(c session.Call) EditedInfo {
	if c.Approval == nil {
		return EditedInfo{}
	}
	return editedInfo(c.Approval.Edited, c.Approval.EditedBy)
}

// editedObject returns what a call is about with the parameters as a person changed them, nothing if nobody did.
func editedObject(params safety.JSON) (object brief.Line) {
	if params.Null() {
		return object
	}
	return brief.Object(params)
}

// editedText returns the parameters as a person changed them, "" if nobody did.
func editedText(c session.Call) string {
	edited, _ := c.Edited()
	return jsonText(edited)
}
