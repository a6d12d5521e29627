"""A callback handler for LangChain and LangGraph. Each run becomes a job:

    @tool
    @reasoned
    def search(query: str) -> str: ...

    agent.invoke({"messages": messages}, {"callbacks": [CandorHandler(title="My agent")]})

With a job of your own, CandorHandler(job=Job()), all runs are told there, and you end it. An agent that a tool calls
stands below the tool's call.
"""

import threading
import time

from langchain_core.callbacks import BaseCallbackHandler

from .client import Job
from .reason import inner_name, take_reason


class CandorHandler(BaseCallbackHandler):
    """Tells what a run asks of its model and its tools. Its methods may be called by several threads."""

    run_inline = True  # nothing waits here, and reasons stand before what their calls do

    def __init__(self, job=None, **options):
        super().__init__()
        self._job, self._options, self._lock = job, options, threading.Lock()
        self._runs = {}  # agents by the ids of their runs: the job, who it is, and asked: calls that no tool has begun
        self._calls = {}  # calls by the ids of their tool's runs
        self._names = {}  # of agents within calls

    def _begin(self, run, parent, prompt=""):
        with self._lock:
            call = self._calls.get(parent)
            if call:  # of a tool, which so calls a model: that is another agent
                if "inner" not in call:
                    of = self._runs[parent]
                    name = inner_name(of["names"], of["agent"], call["name"])
                    call["inner"] = {**of, "root": None, "agent": name, "caller": call["id"], "asked": []}
                self._runs[run] = call["inner"]
            elif parent in self._runs:
                self._runs[run] = self._runs[parent]
            else:
                job, names = self._job or Job(**{"prompt": prompt, **self._options}), self._names if self._job else {}
                self._runs[run] = {"root": run, "job": job, "names": names, "agent": None, "caller": None, "asked": []}

    def _over(self, run, success=True, message=""):
        with self._lock:
            of = self._runs.pop(run, None)
        if of and of["root"] == run and of["job"] is not self._job:
            of["job"].end(success, message)

    def on_chain_start(self, serialized, inputs, *, run_id, parent_run_id=None, **kwargs):
        self._begin(run_id, parent_run_id, _asked(inputs))

    def on_chain_end(self, outputs, *, run_id, **kwargs):
        messages = outputs.get("messages") if isinstance(outputs, dict) else None
        self._over(run_id, message=_text(messages[-1] if messages else outputs))

    def on_chain_error(self, error, *, run_id, **kwargs):
        self._over(run_id, False, str(error))

    def on_chat_model_start(self, serialized, messages, *, run_id, parent_run_id=None, **kwargs):
        self._begin(run_id, parent_run_id, _text(messages[0][-1]) if messages and messages[0] else "")

    def on_llm_start(self, serialized, prompts, *, run_id, parent_run_id=None, **kwargs):
        self._begin(run_id, parent_run_id, prompts[0] if prompts else "")

    def on_llm_error(self, error, *, run_id, **kwargs):
        self._over(run_id, False, str(error))

    def on_llm_end(self, response, *, run_id, **kwargs):
        of = self._runs.get(run_id)
        generations = getattr(response, "generations", None)
        message = getattr(generations[0][0], "message", None) if generations and generations[0] else response
        calls = []
        for call in getattr(message, "tool_calls", None) or []:
            reason, rest = take_reason(call["args"])
            calls.append({"id": call["id"], "name": call["name"], "input": rest, "reason": reason})
        used = getattr(message, "usage_metadata", None)
        usage = used and {"input_tokens": used["input_tokens"], "output_tokens": used["output_tokens"]}
        if of:
            of["job"].answered(_text(message), calls=calls, usage=usage, stop=_stop(message), agent=of["agent"],
                               caller=of["caller"])
            with self._lock:
                of["asked"] = (of["asked"] + calls)[-100:]
        self._over(run_id, message=_text(message))

    def on_tool_start(self, serialized, input_str, *, run_id, parent_run_id=None, tool_call_id=None, **kwargs):
        self._begin(run_id, parent_run_id)
        name = (serialized or {}).get("name") or kwargs.get("name") or ""
        with self._lock:
            of = self._runs[run_id]
            # Not every version says which call it is: then it is the oldest of that tool.
            is_it = (lambda c: c["id"] == tool_call_id) if tool_call_id else (lambda c: c["name"] == name)
            call = next((c for c in of["asked"] if is_it(c)), None) or {"id": tool_call_id or str(run_id), "name": name}
            of["asked"] = [c for c in of["asked"] if c is not call]
            self._calls[run_id] = {**call, "begun": time.monotonic()}

    def on_tool_end(self, output, *, run_id, **kwargs):
        content = getattr(output, "content", output)
        failed = getattr(output, "status", "") == "error"
        self._returned(run_id, **({"error": _text(output)} if failed else {"output": content}))

    def on_tool_error(self, error, *, run_id, **kwargs):
        self._returned(run_id, error=error)

    def _returned(self, run, **ended):
        with self._lock:
            call, of = self._calls.pop(run, None), self._runs.get(run)
        if call and of:
            of["job"].returned(call["id"], call["name"], begun=call["begun"], agent=of["agent"], **ended)
        self._over(run)


def _text(message):
    """Returns the text of a message, or of what a graph returned."""
    content = getattr(message, "content", message)
    if isinstance(content, list):
        return "".join(p if isinstance(p, str) else p.get("text", "") for p in content if isinstance(p, (str, dict)))
    return content if isinstance(content, str) else ""


def _asked(inputs):
    """Returns what was asked: the last of the messages, which may be objects, dicts or pairs, or a text."""
    last = inputs
    if isinstance(inputs, dict):
        last = inputs.get("messages") or inputs.get("input") or ""
    if isinstance(last, list):
        last = last[-1] if last else ""
    if isinstance(last, (tuple, list)):
        last = last[-1] if last else ""
    return _text(last.get("content", "") if isinstance(last, dict) else last)


def _stop(message):
    """Returns why the model stopped, as its provider's package has it among what it says of a message."""
    if (getattr(message, "additional_kwargs", None) or {}).get("refusal"):
        return "refusal"
    about = getattr(message, "response_metadata", None) or {}
    names = "finish_reason", "stop_reason", "finishReason", "stopReason", "done_reason"
    why = (about.get("incomplete_details") or {}).get("reason") or next((about[n] for n in names if about.get(n)), None)
    return str(why) if why else None
