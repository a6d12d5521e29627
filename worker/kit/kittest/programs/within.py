"""Plays the libraries as handlers.py does, with an agent that calls another in a tool, or hands the run over to it.

The first argument is langchain, agents or plain, which is agents with tools that are not reasoned; the second is what
is asked."""

import asyncio
import json
import sys
import uuid
from types import SimpleNamespace as Object

import handlers  # noqa: F401: it plays the libraries
from chat import ask, look
from candor_kit import reasoned, with_reason

PROMPT = sys.argv[2]
LOOK, SCOUT = ({"type": "object", "properties": {name: {"type": "string"}}, "required": [name]}
               for name in ("path", "input"))


def langchain():
    from candor_kit.langchain import CandorHandler
    handler = CandorHandler(title="My agent")

    def agent(prompt, schemas, tools, parent=None):
        root, messages = uuid.uuid4(), [{"role": "user", "content": prompt}]
        handler.on_chain_start({}, {"messages": [("user", prompt)]}, run_id=root, parent_run_id=parent)
        while True:
            run = uuid.uuid4()
            handler.on_chat_model_start({}, [[Object(content=prompt)]], run_id=run, parent_run_id=root)
            message, calls, usage = ask(messages, schemas)
            messages.append(message)
            said = Object(content=message["content"], tool_calls=calls, usage_metadata=usage,
                          response_metadata={"finish_reason": message["finish_reason"]})
            handler.on_llm_end(Object(generations=[[Object(message=said)]]), run_id=run, parent_run_id=root)
            for call in calls:
                run = uuid.uuid4()
                handler.on_tool_start({"name": call["name"]}, "", run_id=run, parent_run_id=root,
                                      tool_call_id=call["id"])
                args = {k: v for k, v in call["args"].items() if k != "rationale"}
                out = tools[call["name"]](**args, run=run)
                handler.on_tool_end(Object(content=out, status="success"), run_id=run)
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": out})
            if not calls:
                handler.on_chain_end({"messages": [said]}, run_id=root)
                return message["content"]

    def scout(input, run):
        return agent(input, {"look": with_reason(LOOK)}, {"look": lambda path, run: look(path)}, run)

    return agent(PROMPT, {"scout": with_reason(SCOUT)}, {"scout": scout})


async def agents(has_reasons):
    from candor_kit.openai_agents import CandorHooks
    hooks = CandorHooks(title="My agent", prompt=PROMPT)

    def tool(name, parameter, does):
        schema = {"type": "object", "properties": {parameter: {"type": "string"}}, "required": [parameter]}
        own = Object(name=name, params_json_schema=schema, on_invoke_tool=does)
        return reasoned(own) if has_reasons else own

    async def run_agent(agent, prompt, context):
        messages = [{"role": "user", "content": prompt}]
        await hooks.on_agent_start(context, agent)
        while True:
            schemas = {t.name: with_reason(t.params_json_schema) for t in agent.tools}
            message, calls, usage = ask(messages, schemas | {h.tool_name: h.input_json_schema for h in agent.handoffs})
            messages.append(message)
            cut = message["finish_reason"] == "length"  # of all stops this SDK tells refusals
            kind, words = ("refusal", "refusal") if cut else ("output_text", "text")
            part = Object(type=kind, **{words: message["content"]})
            items = [Object(type="message", status="completed", content=[part])]
            items += [Object(type="function_call", call_id=c["id"], **c["function"])
                      for c in message.get("tool_calls", [])]
            await hooks.on_llm_end(context, agent, Object(output=items, usage=Object(**usage)))
            for call in items[1:]:
                out, agent = await run_call(agent, call, context)
                messages.append({"role": "tool", "tool_call_id": call.call_id, "content": out})
            if not calls:
                await hooks.on_agent_end(context, agent, message["content"])
                return message["content"]

    async def run_call(agent, call, context):
        for h in agent.handoffs:
            if h.tool_name == call.name:
                to = await h.on_invoke_handoff(context, call.arguments)
                await hooks.on_handoff(context, agent, to)
                await hooks.on_agent_start(context, to)
                return "{}", to
        of = Object(usage=context.usage, tool_call_id=call.call_id, tool_name=call.name)
        does = next(t for t in agent.tools if t.name == call.name)
        await asyncio.gather(hooks.on_tool_start(of, agent, does))  # so no hook can set what the tool sees
        out = await does.on_invoke_tool(of, call.arguments)
        await hooks.on_tool_end(of, agent, does, out)
        return out, agent

    async def looks(context, arguments):
        return look(json.loads(arguments)["path"])

    async def scouts(context, arguments):
        return await run_agent(Object(name="Scout", tools=[looker], handoffs=[]), json.loads(arguments)["input"],
                               context)

    async def hands_over(context, arguments):
        if "rationale" in arguments:
            sys.exit("a handoff was given the reason")
        return Object(name="Billing", tools=[looker], handoffs=[])

    looker = tool("look", "path", looks)
    billing = Object(tool_name="transfer_to_billing", on_invoke_handoff=hands_over,
                     input_json_schema={"type": "object", "properties": {}, "required": []})
    lead = Object(name="Helper", tools=[tool("scout", "input", scouts)], handoffs=[reasoned(billing)])
    return await run_agent(lead, PROMPT, Object(usage=Object()))


print(langchain() if sys.argv[1] == "langchain" else asyncio.run(agents(sys.argv[1] == "agents")))
