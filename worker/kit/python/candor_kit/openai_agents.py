"""Hooks for the OpenAI Agents SDK for Python. Each run becomes a job:

    @function_tool
    @reasoned
    def search(query: str) -> str: ...

    hooks = CandorHooks(title="My agent", prompt=question)
    await Runner.run(agent, question, hooks=hooks)
"""

import json
import time

from agents import RunHooks

from .client import Job
from .reason import safely, take_reason

# How the SDK tells of a tool that raised, unless the tool has a function of its own for it. Hooks hear no more.
FAILURE = "An error occurred while running the tool."


class CandorHooks(RunHooks):
    """Tells of the runs that it is given to. The options are those of Job."""

    def __init__(self, **options):
        super().__init__()
        self._options, self._runs = options, {}

    def _run(self, context):
        """Returns what is known of a run. Its usage is one object in all its contexts, those of tools included."""
        key = id(context.usage)
        if key not in self._runs:
            # The usage is kept, so that no other object gets its id.
            self._runs[key] = {"usage": context.usage, "job": Job(**self._options), "calls": [], "first": None}
        return self._runs[key]

    @safely
    async def on_agent_start(self, context, agent):
        run = self._run(context)
        run["first"] = run["first"] or agent.name

    @safely
    async def on_llm_end(self, context, agent, response):
        run = self._run(context)
        calls, texts = [], []
        for item in response.output:
            if item.type == "function_call":
                reason, rest = take_reason(_parsed(item.arguments))
                calls.append({"id": item.call_id, "name": item.name, "input": rest, "reason": reason})
            elif item.type == "message":
                texts += [getattr(part, "text", "") for part in item.content]
        usage = {"input_tokens": response.usage.input_tokens, "output_tokens": response.usage.output_tokens}
        run["job"].answered("".join(texts), calls=calls, usage=usage, agent=_name(run, agent))
        run["calls"] = (run["calls"] + calls)[-100:]

    @safely
    async def on_tool_start(self, context, agent, tool):
        run, id = self._run(context), getattr(context, "tool_call_id", None)
        # A context of a tool says which call it is. Others leave the oldest of that tool that has not begun.
        of = [c for c in run["calls"] if "begun" not in c and (c["id"] == id if id else c["name"] == tool.name)]
        if of:
            of[0]["begun"] = time.monotonic()

    @safely
    async def on_tool_end(self, context, agent, tool, result):
        run, id = self._run(context), getattr(context, "tool_call_id", None)
        of = [c for c in run["calls"] if "begun" in c and (c["id"] == id if id else c["name"] == tool.name)]
        call = of[0] if of else {"id": id or tool.name, "name": tool.name}
        run["calls"] = [c for c in run["calls"] if c is not call]
        text = str(result)
        ended = {"error": text} if text.startswith(FAILURE) else {"output": result}
        run["job"].returned(call["id"], call["name"], begun=call.get("begun"), agent=_name(run, agent), **ended)

    @safely
    async def on_agent_end(self, context, agent, output):
        run = self._runs.pop(id(context.usage), None)
        if run:
            run["job"].end(True, output if isinstance(output, str) else str(output))


def _name(run, agent):
    """Returns the name of an agent that was handed the run, None for the one that it began with."""
    return None if agent.name == run["first"] else agent.name


def _parsed(arguments):
    try:
        out = json.loads(arguments or "{}")
    except ValueError:
        return {"arguments": arguments}
    return out if isinstance(out, dict) else {"arguments": out}
