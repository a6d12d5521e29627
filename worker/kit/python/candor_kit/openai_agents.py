"""Hooks for the OpenAI Agents SDK for Python. Each run becomes a job:

    @function_tool
    @reasoned
    def search(query: str) -> str: ...

    hooks = CandorHooks(title="My agent", prompt=question)
    await Runner.run(agent, question, hooks=hooks)

What an agent does within a call stands below the call if it has the hooks: reasoned(scout.as_tool(…, hooks=hooks)).
"""

import json
import re
import time

from agents import RunHooks

from .client import Job
from .reason import WITHIN, inner_name, safely, take_reason

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
            self._runs[key] = {"usage": context.usage, "job": Job(**self._options), "calls": [], "who": {}, "names": {}}
        return self._runs[key]

    def _who(self, run, agent):
        """Returns an agent's name, None for the one that the run began with, the call that it came by, and whether it
        works within that call."""
        call, begun = WITHIN.get(), [c["id"] for c in run["calls"] if "begun" in c]
        if call and "agent" not in call:
            call["agent"] = inner_name(run["names"], (call["outer"] or {}).get("agent"), call["name"])
        key, who = (call and call["id"], agent.name), (call and call["agent"], call and call["id"], bool(call))
        if not call and run["who"] and begun:  # it is within a call whose tool is not reasoned
            who = agent.name, begun[0] if len(begun) == 1 else "unknown", True
        return run["who"].setdefault(key, who)

    @safely
    async def on_agent_start(self, context, agent):
        self._who(self._run(context), agent)

    @safely
    async def on_llm_end(self, context, agent, response):
        run = self._run(context)
        name, caller, inner = self._who(run, agent)
        calls, texts, stop = [], [], None
        for item in response.output:
            if item.type == "function_call":
                reason, rest = take_reason(_parsed(item.arguments))
                calls.append({"id": item.call_id, "name": item.name, "input": rest, "reason": reason})
            elif item.type == "message":
                texts += [getattr(part, "text", None) or getattr(part, "refusal", "") for part in item.content]
                refused = any(getattr(part, "type", "") == "refusal" for part in item.content)
                stop = "refusal" if refused else stop or getattr(item, "status", None)
        usage = {"input_tokens": response.usage.input_tokens, "output_tokens": response.usage.output_tokens}
        run["job"].answered("".join(texts), calls=calls, usage=usage, agent=name, stop=stop,
                            caller=caller if calls or inner else None)
        run["calls"] = (run["calls"] + [{**c, "agent": name} for c in calls])[-100:]

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
        call = of[0] if of else {"id": id or tool.name, "name": tool.name, "agent": self._who(run, agent)[0]}
        text = str(result)
        self._returned(run, call, **({"error": text} if text.startswith(FAILURE) else {"output": result}))

    @safely
    async def on_handoff(self, context, from_agent, to_agent):
        run, (name, _, inner) = self._run(context), self._who(self._run(context), from_agent)
        waiting = [c for c in run["calls"] if "begun" not in c and c["agent"] == name]
        usual = "transfer_to_" + re.sub(r"[^a-z0-9]+", "_", to_agent.name.lower())
        call = next((c for c in waiting if c["name"].lower() == usual), waiting[0] if waiting else None)
        if call:
            self._returned(run, call, output={"assistant": to_agent.name})
            path = f"{name}/{to_agent.name}" if name else to_agent.name
            within = WITHIN.get()
            run["who"].setdefault((within and within["id"], to_agent.name), (path, call["id"], inner))

    def _returned(self, run, call, **ended):
        run["calls"] = [c for c in run["calls"] if c is not call]
        run["job"].returned(call["id"], call["name"], begun=call.get("begun"), agent=call["agent"], **ended)

    @safely
    async def on_agent_end(self, context, agent, output):
        run = self._runs.get(id(context.usage))
        if run and not self._who(run, agent)[2]:
            del self._runs[id(context.usage)]
            run["job"].end(True, output if isinstance(output, str) else str(output))


def _parsed(arguments):
    try:
        out = json.loads(arguments or "{}")
    except ValueError:
        return {"arguments": arguments}
    return out if isinstance(out, dict) else {"arguments": out}
