"""Asks a model for the reason of each call: a property of the tool's schema that the tool never sees."""

import contextlib
import contextvars
import copy
import functools
import inspect
import json
import sys
import traceback
import typing

REASON = "rationale"
REASON_TEXT = "One sentence: why this call now, and what you expect it to show."

WITHIN = contextvars.ContextVar("candor_call", default=None)  # the call that code runs within


def with_reason(schema):
    """Returns a tool's JSON Schema with a first property for the model's reason. One that the tool has stays."""
    properties = (schema or {}).get("properties", {})
    if REASON in properties:
        return schema
    asked = {REASON: {"type": "string", "description": REASON_TEXT}}
    required = [REASON, *(schema or {}).get("required", [])]
    return {**(schema or {}), "type": "object", "properties": {**asked, **properties}, "required": required}


def take_reason(args):
    """Splits a call's arguments into the reason and what the tool is to see."""
    rest = {name: value for name, value in (args or {}).items() if name != REASON}
    reason = (args or {}).get(REASON)
    return (reason if isinstance(reason, str) else ""), rest


def reasoned(function):
    """Returns a function with a first parameter for the model's reason, which it does not pass on.

    It stands right above the function, below what makes a tool of it, such as LangChain's @tool and the Agents SDK's
    @function_tool: these read a tool's schema from the parameters. Of the Agents SDK it takes what has a schema, too:
    agent.as_tool(…, hooks=hooks), and handoff(agent).
    """
    for schema, call in ("params_json_schema", "on_invoke_tool"), ("input_json_schema", "on_invoke_handoff"):
        if hasattr(function, schema):
            return _reasoned_tool(function, schema, call)
    told = inspect.signature(function)
    if REASON in told.parameters:
        return function  # its own
    parameters = list(told.parameters.values())
    # The Agents SDK gives a tool its context first, and then the arguments by their places.
    place = 1 if parameters and "Context" in str(parameters[0].annotation) else 0

    def without(args, named):
        rest = {name: value for name, value in named.items() if name != REASON}
        return (args[:place] + args[place + 1:] if len(args) > place else args), rest

    if inspect.iscoroutinefunction(function):
        async def unasked(*args, **named):
            args, named = without(args, named)
            with within(args[0] if place and args else None):
                return await function(*args, **named)
    else:
        def unasked(*args, **named):
            args, named = without(args, named)
            with within(args[0] if place and args else None):
                return function(*args, **named)

    asks = typing.Annotated[str, REASON_TEXT]
    parameters.insert(place, inspect.Parameter(REASON, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=asks))
    out = functools.wraps(function)(unasked)
    out.__signature__ = told.replace(parameters=parameters)
    out.__annotations__ = {REASON: asks, **getattr(function, "__annotations__", {})}
    return out


def _reasoned_tool(tool, schema, call):
    out, invoke, own = copy.copy(tool), getattr(tool, call), getattr(tool, schema)
    asked = with_reason(own)
    setattr(out, schema, asked)

    async def unasked(context, arguments):
        if asked is not own:
            with contextlib.suppress(ValueError):  # the library says better what is wrong with it
                arguments = json.dumps(take_reason(json.loads(arguments or "{}"))[1])
        with within(context if call == "on_invoke_tool" else None):
            return await invoke(context, arguments)

    setattr(out, call, unasked)
    return out


@contextlib.contextmanager
def within(context):
    """Lets hooks know the call that what runs is within, by a context of the Agents SDK that says which call it is."""
    if getattr(context, "tool_call_id", None) is None:
        yield
        return
    outer = WITHIN.get()
    of = WITHIN.set({"id": context.tool_call_id, "name": getattr(context, "tool_name", None) or "tool", "outer": outer})
    try:
        yield
    finally:
        WITHIN.reset(of)


def inner_name(names, outer, tool):
    """Returns a name for the agent within a call of a tool, below that of the agent that called, which no other has."""
    name = f"{outer}/{tool}" if outer else tool
    names[name] = names.get(name, 0) + 1
    return name if names[name] == 1 else f"{name} {names[name]}"


def safely(hook):
    """Returns an asynchronous hook that says on standard error what went wrong in it, and lets the agent go on."""
    @functools.wraps(hook)
    async def safe(*args, **named):
        try:
            return await hook(*args, **named)
        except Exception:
            print(f"candor: a hook failed. The agent goes on without it.\n{traceback.format_exc()}", file=sys.stderr)
    return safe
