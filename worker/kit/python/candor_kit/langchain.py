"""A callback handler for LangChain and LangGraph. Each run becomes a job:

    @tool
    @reasoned
    def search(query: str) -> str: ...

    agent.invoke({"messages": messages}, {"callbacks": [CandorHandler(title="My agent")]})

With a job of your own, CandorHandler(job=Job()), all runs are told there, and you end it.
"""

import threading
import time

from langchain_core.callbacks import BaseCallbackHandler

from .client import Job
from .reason import take_reason


class CandorHandler(BaseCallbackHandler):
    """Tells what a run asks of its model and its tools. Its methods may be called by several threads."""

    run_inline = True  # nothing waits here, and reasons stand before what their calls do

    def __init__(self, job=None, **options):
        super().__init__()
        self._job, self._options, self._lock = job, options, threading.Lock()
        self._roots = {}  # runs by id: the root's id
        self._jobs = {}  # jobs by the ids of roots
        self._asked = {}  # calls that no tool has begun, by root
        self._calls = {}  # calls by the ids of their tool's runs

    def _begin(self, run, parent, prompt=""):
        with self._lock:
            root = self._roots[run] = self._roots.get(parent, run)
            if root == run:
                self._jobs[root] = self._job or Job(**{"prompt": prompt, **self._options})

    def _at(self, run):
        with self._lock:
            root = self._roots.get(run)
            return root, self._jobs.get(root)

    def _over(self, run, success=True, message=""):
        with self._lock:
            root = self._roots.pop(run, None)
            job = self._jobs.pop(run, None) if root == run else None
            if root == run:
                self._asked.pop(root, None)
        if job and job is not self._job:
            job.end(success, message)

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
        root, job = self._at(run_id)
        generations = getattr(response, "generations", None)
        message = getattr(generations[0][0], "message", None) if generations and generations[0] else response
        calls = []
        for call in getattr(message, "tool_calls", None) or []:
            reason, rest = take_reason(call["args"])
            calls.append({"id": call["id"], "name": call["name"], "input": rest, "reason": reason})
        used = getattr(message, "usage_metadata", None)
        usage = used and {"input_tokens": used["input_tokens"], "output_tokens": used["output_tokens"]}
        if job:
            job.answered(_text(message), calls=calls, usage=usage)
        with self._lock:
            self._asked.setdefault(root, []).extend(calls)
            del self._asked[root][:-100]
        self._over(run_id, message=_text(message))

    def on_tool_start(self, serialized, input_str, *, run_id, parent_run_id=None, tool_call_id=None, **kwargs):
        self._begin(run_id, parent_run_id)
        root, _ = self._at(run_id)
        name = (serialized or {}).get("name") or kwargs.get("name") or ""
        with self._lock:
            waiting = self._asked.get(root, [])
            # Not every version says which call it is: then it is the oldest of that tool.
            is_it = (lambda c: c["id"] == tool_call_id) if tool_call_id else (lambda c: c["name"] == name)
            call = next((c for c in waiting if is_it(c)), None) or {"id": tool_call_id or str(run_id), "name": name}
            self._asked[root] = [c for c in waiting if c is not call]
            self._calls[run_id] = {**call, "begun": time.monotonic()}

    def on_tool_end(self, output, *, run_id, **kwargs):
        content = getattr(output, "content", output)
        failed = getattr(output, "status", "") == "error"
        self._returned(run_id, **({"error": _text(output)} if failed else {"output": content}))

    def on_tool_error(self, error, *, run_id, **kwargs):
        self._returned(run_id, error=error)

    def _returned(self, run, **ended):
        with self._lock:
            call = self._calls.pop(run, None)
        _, job = self._at(run)
        if call and job:
            job.returned(call["id"], call["name"], begun=call["begun"], **ended)
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
