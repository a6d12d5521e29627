"""Plays a library: it calls the handler's methods as the library's documentation says, since the library itself may not
be installed. The first argument is langchain or agents."""

import asyncio
import inspect
import sys
import types
import uuid
from types import SimpleNamespace as Object

from chat import PROMPT, ask, count, look


def stub(name, **members):
    module = types.ModuleType(name)
    module.__dict__.update(members)
    sys.modules[name] = module


class Base:
    """Has no method, so that one which the handler lacks is seen."""


stub("langchain_core")
stub("langchain_core.callbacks", BaseCallbackHandler=Base)
stub("agents", RunHooks=Base)

from candor_kit import reasoned  # noqa: E402


def schema_of(function):
    """Reads a tool's schema from its parameters, as the libraries do."""
    parameters = inspect.signature(function).parameters
    properties = {}
    for name, p in parameters.items():
        properties[name] = {"type": "string", "description": "".join(getattr(p.annotation, "__metadata__", ()))}
    return {"type": "object", "properties": properties, "required": list(parameters)}


TOOLS = {"look": reasoned(look), "count": reasoned(count)}
SCHEMAS = {name: schema_of(f) for name, f in TOOLS.items()}


def langchain():
    from candor_kit.langchain import CandorHandler
    handler, root, node = CandorHandler(title="My agent"), uuid.uuid4(), uuid.uuid4()
    messages = [{"role": "user", "content": PROMPT}]
    handler.on_chain_start({}, {"messages": [("user", PROMPT)]}, run_id=root, tags=[], metadata={})
    handler.on_chain_start({}, {}, run_id=node, parent_run_id=root, name="agent")
    while True:
        run = uuid.uuid4()
        handler.on_chat_model_start({}, [[Object(content=PROMPT)]], run_id=run, parent_run_id=node)
        message, calls, usage = ask(messages, SCHEMAS)
        messages.append(message)
        said = Object(content=[{"type": "text", "text": message["content"]}], tool_calls=calls, usage_metadata=usage)
        handler.on_llm_end(Object(generations=[[Object(message=said)]]), run_id=run, parent_run_id=node)
        runs = [uuid.uuid4() for _ in calls]
        for call, run in zip(calls, runs):  # all begin before one ends, as those of an answer do
            of = {"tool_call_id": call["id"]} if call["name"] == "look" else {}
            handler.on_tool_start({"name": call["name"]}, str(call["args"]), run_id=run, parent_run_id=node,
                                  inputs=call["args"], **of)
        for call, run in zip(calls, runs):
            try:
                out = TOOLS[call["name"]](**call["args"])
                handler.on_tool_end(Object(content=out, status="success", tool_call_id=call["id"]), run_id=run)
            except ValueError as failure:
                out = str(failure)
                handler.on_tool_error(failure, run_id=run, parent_run_id=node)
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": out})
        if not calls:
            handler.on_chain_end({"messages": [said]}, run_id=node, parent_run_id=root)
            handler.on_chain_end({"messages": [said]}, run_id=root)
            print(message["content"])
            return


async def agents():
    from candor_kit.openai_agents import CandorHooks
    hooks, agent = CandorHooks(title="My agent", prompt=PROMPT), Object(name="Helper")
    messages, context = [{"role": "user", "content": PROMPT}], Object(usage=Object())
    await hooks.on_agent_start(context, agent)
    while True:
        await hooks.on_llm_start(context, agent, "", messages) if hasattr(hooks, "on_llm_start") else None
        message, calls, usage = ask(messages, SCHEMAS)
        messages.append(message)
        items = [Object(type="message", content=[Object(text=message["content"])])]
        for c, raw in zip(calls, message.get("tool_calls", [])):
            items.append(Object(type="function_call", name=c["name"], call_id=c["id"],
                                arguments=raw["function"]["arguments"]))
        await hooks.on_llm_end(context, agent, Object(output=items, usage=Object(**usage)))
        for call in calls:
            of = Object(usage=context.usage, tool_call_id=call["id"])
            await hooks.on_tool_start(of, agent, Object(name=call["name"]))
            try:
                out = TOOLS[call["name"]](*call["args"].values())
            except ValueError as failure:
                out = f"An error occurred while running the tool. Please try again. Error: {failure}"
            await hooks.on_tool_end(of, agent, Object(name=call["name"]), out)
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": out})
        if not calls:
            await hooks.on_agent_end(context, agent, message["content"])
            print(message["content"])
            return


if __name__ == "__main__":
    langchain() if sys.argv[1] == "langchain" else asyncio.run(agents())
