"""Gives random results of an MCP tool to Unique's own toolkit and to toolcrib, and prints where the ToolCallResponse differs.

    PYTHON tests/real/unique/responses.py --toolcrib target/debug/toolcrib [--results 200] [--seed 1]

PYTHON is the Python of an environment that has the package unique-toolkit.
"""

import argparse
import asyncio
import json
import logging
import os
import pathlib
import random
import subprocess
import sys
import tempfile
from collections import Counter
from types import SimpleNamespace
from unittest.mock import MagicMock

from unique_toolkit.agentic.tools.mcp import tool_wrapper
from unique_toolkit.language_model.schemas import LanguageModelFunction

# A server with one tool, which answers with the result of the row that it is asked for.
SERVER = """
import json, sys
results = json.load(open(sys.argv[1]))
tools = [{"name": "joke", "inputSchema": {"type": "object", "properties": {"row": {"type": "integer"}}},
          "_meta": {"unique.app/context-requirements": {"required": [], "optional": ["unique.app/chat/chat-id"], "accepts_custom": False}}}]
for line in sys.stdin:
    message = json.loads(line)
    id, method = message.get("id"), message.get("method")
    if method == "initialize":
        answer = {"result": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}}
    elif method == "tools/list":
        answer = {"result": {"tools": tools}}
    elif method == "tools/call":
        answer = {"result": results[message["params"]["arguments"]["row"]]}
    else:
        answer = {"error": {"code": -32601, "message": "no such method"}}
    if id is not None:
        print(json.dumps({"jsonrpc": "2.0", "id": id, **answer}), flush=True)
"""

REFERENCE = "unique.app/reference"
ODD = [None, True, 0, 1, -3, 1.0, 2.5, "", "x", "7", " 7 ", "7.0", "é😀", [], {}, {"a": 1}]
TEXTS = ["", " ", "one", "two\nlines", "é ☎", "<b>", '{"a": 1.0}']


def odd_or(dice, value, chance=0.12):
    return dice.choice(ODD) if dice.random() < chance else value


def spelled(dice, name):
    head, *rest = name.split("_")
    return name if dice.random() < 0.5 else head + "".join(word.capitalize() for word in rest)


def meta_of(dice):
    reference = {"name": "n", "sequence_number": dice.choice([0, 1, "2"]), "source": "s", "source_id": "i", "url": "https://x"}
    chunk = {"id": "c", "text": "chunk", "order": 2, "key": "k", "chunk_id": "ch", "url": "u", "title": "t", "start_page": 1, "end_page": 2}
    members = {}
    for kind, target in ((reference, {}), (chunk, members)):
        for name, value in kind.items():
            if dice.random() < (0.06 if kind is reference else 0.4):
                continue
            target[spelled(dice, name)] = odd_or(dice, value, 0.05)
        if kind is reference:
            members[REFERENCE] = odd_or(dice, target, 0.05)
    return members


def block_of(dice):
    kind = dice.choice(["text", "text", "text", "image", "audio", "resource", "resource_link", "new"])
    block = {"type": odd_or(dice, kind, 0.03)}
    if kind == "text" and dice.random() < 0.95:
        block["text"] = odd_or(dice, dice.choice(TEXTS), 0.06)
    if kind == "image":
        block["data"] = dice.choice(["aGk=", "", "aGk", "iVBORw0KGgo="])
        if dice.random() < 0.8:
            block["mimeType"] = dice.choice(["image/png", "image/gif", "x/y"])
    if kind in ("audio", "resource"):
        block["data"] = "aGk="
    if dice.random() < 0.3:
        block["_meta"] = odd_or(dice, meta_of(dice), 0.05)
    return odd_or(dice, block, 0.02)


def result_of(dice):
    result = {"content": [block_of(dice) for _ in range(dice.choice([0, 1, 1, 2, 3]))]}
    if dice.random() < 0.15:
        result["structuredContent"] = {"a": dice.choice(ODD)}
    if dice.random() < 0.1:
        result["isError"] = dice.choice([True, False])
    if dice.random() < 0.05:
        del result["content"]
    if dice.random() < 0.05:
        result = {"result": result}
    return result


def real_response(result, arguments):
    wrapper = object.__new__(tool_wrapper.MCPToolWrapper)
    wrapper.name, wrapper.logger = "joke", MagicMock()
    wrapper._mcp_server = SimpleNamespace(name="$MCP_SERVER")
    wrapper._event = MagicMock()
    wrapper._create_or_update_message_log = lambda **_: None

    async def answered(_):
        return result

    wrapper._call_mcp_tool_via_sdk = answered
    tool_wrapper.upload_content_from_bytes = lambda **_: SimpleNamespace(id="$CONTENT_ID")
    call = LanguageModelFunction(id="$CALL_ID", name="joke", arguments=arguments)
    return asyncio.run(wrapper.run(call)).model_dump(mode="json")


def our_response(program, place, environment, row):
    ran = subprocess.run(
        [program, "call", "joke", "--connection", "real", "--context", "chat-id=c", f"row:={row}", "--json", "--no-history", "-w", str(place)],
        capture_output=True, text=True, check=False, env=environment,
    )
    events = [json.loads(line) for line in ran.stdout.splitlines()]
    views = [event["body"] for event in events if event.get("stage") == "unique-response"]
    if len(views) != 1:
        sys.exit(f"row {row}: {len(views)} responses\n{ran.stdout}{ran.stderr}")
    return views[0]


def known_chunks(response):
    """A chunk with the members that toolcrib shows; the toolkit adds some of its own."""
    for chunk in response["content_chunks"] or []:
        for name in set(chunk) - {"id", "text", "order", "key", "chunk_id", "url", "title", "start_page", "end_page", "score", "object", "metadata"}:
            del chunk[name]
    return response


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--toolcrib", required=True)
    parser.add_argument("--results", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    program = str(pathlib.Path(options.toolcrib).resolve())
    dice = random.Random(options.seed)
    results = [result_of(dice) for _ in range(options.results)]
    counts = Counter()
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder) / "workspace"
        place.mkdir()
        (place / "server.py").write_text(SERVER)
        (place / "results.json").write_text(json.dumps(results))
        (place / "toolcrib.toml").write_text("")
        environment = {**os.environ, "HOME": folder}
        for name in ("CONFIG", "STATE", "DATA", "CACHE"):
            environment.pop(f"XDG_{name}_HOME", None)
        for words in (["mcp", "add", "real", "--", sys.executable, str(place / "server.py"), str(place / "results.json")], ["mcp", "keep", "real"]):
            subprocess.run([program, *words], cwd=place, env=environment, check=True, capture_output=True)
        for row, result in enumerate(results):
            real = known_chunks(real_response(result, {"row": row}))
            ours = our_response(program, place, environment, row)
            counts["results"] += 1
            counts["with chunks"] += bool(real["content_chunks"])
            counts["with images"] += bool(real["image_data_urls"])
            counts["errors"] += bool(real["error_message"])
            if ours != real:
                counts["DIFFERENT"] += 1
                print(f"row {row}: {json.dumps(result)[:700]}")
                for member in real.keys() | ours.keys():
                    if real.get(member) != ours.get(member):
                        print(f"  {member}: the toolkit {real.get(member)!r}\n  {' ' * len(member)}  toolcrib    {ours.get(member)!r}")
    for what, count in sorted(counts.items()):
        print(f"{count:6} {what}")
    sys.exit(counts["DIFFERENT"] > 0)


if __name__ == "__main__":
    main()
