package view

// ChatEvents has a value of the data of each event of the chat stream, by the event's name, for
// descriptions of the API. Streams also have those of [JobsEvents].
func ChatEvents() map[string]any {
	return map[string]any{
		"status": statusFrame{}, "thinking": thinkingFrame{}, "tool_started": toolStartedFrame{},
		"tool_completed": toolCompletedFrame{}, "tool_result": toolResultFrame{},
		"reasoning_update": reasoningUpdateFrame{}, "approval_needed": approvalNeededFrame{},
		"approval_answered": approvalAnsweredFrame{}, "handoff": handoffFrame{}, "step_text": stepTextFrame{},
		"response": responseFrame{}, "error": errorFrame{}, "note": noteFrame{}, "conclusion": conclusionFrame{},
		"dropped": droppedFrame{}, "thread_deleted": threadDeletedFrame{},
		"decision_rated": decisionRatedFrame{}, "sealed_reasoning": sealedFrame{},
	}
}

// JobsEvents has a value of the data of each event of a job, by the event's name.
func JobsEvents() map[string]any {
	return map[string]any{
		"job_started": jobStartedFrame{}, "job_message": jobMessageFrame{}, "job_tool_use": jobToolUseFrame{},
		"job_tool_result": jobToolResultFrame{}, "job_reasoning": jobReasoningFrame{},
		"job_status": jobStatusFrame{}, "job_result": jobResultFrame{}, "job_deleted": jobDeletedFrame{},
	}
}
