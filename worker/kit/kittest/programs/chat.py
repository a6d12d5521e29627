"""What the programs in Python share: the model, as OpenAI's chat completions have it, and what the tools do."""

import json
import os
import urllib.request

FILES = {"notes.txt": "port: 8080", "more.txt": "port: 9090"}
PROMPT = "Which port is it?"


def look(path: str) -> str:
    if path not in FILES:
        raise ValueError(f"there is no {path}")
    return FILES[path]


def count(text: str) -> str:
    return f"{len(text)} letters"


def ask(messages, tools):
    """Asks the model. tools has JSON Schemas by name."""
    functions = [{"type": "function", "function": {"name": name, "parameters": s}} for name, s in tools.items()]
    body = {"model": "gpt-5", "messages": messages, "tools": functions}
    url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(urllib.request.Request(url, json.dumps(body).encode())) as answer:
        out = json.load(answer)
    choice, used = out["choices"][0], out["usage"]
    message = {**choice["message"], "finish_reason": choice["finish_reason"]}
    calls = [{"id": c["id"], "name": c["function"]["name"], "args": json.loads(c["function"]["arguments"])}
             for c in message.get("tool_calls", [])]
    usage = {"input_tokens": used["prompt_tokens"], "output_tokens": used["completion_tokens"]}
    return message, calls, usage
