"""An agent without a library: a loop that asks a model, and tells the kit."""

import sys
import time

from chat import PROMPT, ask, count, look
from candor_kit import Job, take_reason, with_reason

tools = {"look": look, "count": count}
schemas = {"look": with_reason({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}),
           "count": with_reason({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]})}
messages = [{"role": "user", "content": PROMPT}]
job = Job(prompt=PROMPT)
while True:
    message, asked, usage = ask(messages, schemas)
    messages.append(message)
    calls = []
    for call in asked:
        reason, rest = take_reason(call["args"])
        calls.append({"id": call["id"], "name": call["name"], "input": rest, "reason": reason})
    job.answered(message["content"], calls=calls, usage=usage)
    for call in calls:
        begun = time.monotonic()
        try:
            output = tools[call["name"]](**call["input"])
            job.returned(call["id"], call["name"], output=output, begun=begun)
        except ValueError as failure:
            output = str(failure)
            job.returned(call["id"], call["name"], error=failure, begun=begun)
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": output})
    if not calls:
        job.end(message=message["content"])
        print(message["content"])
        sys.exit()
