"""Uses a server with the client of the Python SDK `mcp`, 1.x or 2.x, whichever this Python has. Arguments: the era (`legacy`, `auto`), then an
address, or the command that starts the server. Prints a line of JSON for each check."""
import asyncio
import json
import sys
from importlib.metadata import version

import anyio

MAJOR = version("mcp").split(".")[0]
era, *where = sys.argv[1:]


def tell(check, holds, saw=""):
    print(json.dumps({"check": check, "holds": bool(holds), "saw": str(saw)[:200]}), flush=True)


def member(thing, *names):
    return next((getattr(thing, name) for name in names if hasattr(thing, name)), None)


def words(result):
    return "".join(block.text for block in result.content if block.type == "text")


async def check(client, changed):
    """`client` has the same methods in both: list_tools, call_tool."""
    listed = await client.list_tools()
    names = [tool.name for tool in listed.tools]
    tell("the tools are listed", "test_simple_text" in names and "only_after_the_change" not in names, names)
    answered = await client.call_tool("test_simple_text", {})
    tell("a stub answers", words(answered) == "This is a simple text response for testing.", answered)
    failed = await client.call_tool("test_error_handling", {})
    tell("a failure is one, with its cause", member(failed, "isError", "is_error") and "intentionally" in words(failed), failed)
    steps = []

    async def progress(done, total, message):
        steps.append((done, total))

    await client.call_tool("test_tool_with_progress", {}, progress_callback=progress)
    tell("progress is heard", steps == [(0, 100), (50, 100), (100, 100)], steps)
    mixed = await client.call_tool("test_multiple_content_types", {})
    kinds = [block.type for block in mixed.content]
    tell("contents of every kind come through", kinds == ["text", "image", "resource"], kinds)
    hidden = await client.call_tool("only_after_the_change", {})
    tell("a hidden tool says why it is", member(hidden, "isError", "is_error") and "available in changed" in words(hidden), hidden)
    await client.call_tool("test_trigger_tool_change", {})
    with anyio.move_on_after(10):
        await changed.wait()
    tell("other tools are announced", changed.is_set())
    names = [tool.name for tool in (await client.list_tools()).tools]
    tell("and listed", "only_after_the_change" in names, names)


async def with_1():
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamablehttp_client

    changed = anyio.Event()

    async def hear(message):
        if "ToolListChanged" in type(getattr(message, "root", message)).__name__:
            changed.set()

    if where[0].startswith("http"):
        opening = streamablehttp_client(where[0])
    else:
        opening = stdio_client(StdioServerParameters(command=where[0], args=where[1:]))
    async with opening as streams, ClientSession(streams[0], streams[1], message_handler=hear) as session:
        opened = await session.initialize()
        tell("it is connected", opened.protocolVersion == "2025-11-25", opened.protocolVersion)
        await session.send_ping()
        await check(session, changed)


async def with_2():
    from mcp.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    changed = anyio.Event()

    async def hear(message):
        if "ToolListChanged" in type(getattr(message, "root", message)).__name__:
            changed.set()

    server = where[0] if where[0].startswith("http") else stdio_client(StdioServerParameters(command=where[0], args=where[1:]))
    async with Client(server, mode=era, message_handler=hear) as client:
        expected = "2025-11-25" if era == "legacy" else "2026-07-28"
        tell("it is connected", client.protocol_version == expected, client.protocol_version)
        if era == "legacy":
            await check(client, changed)
            return
        async with anyio.create_task_group() as group:

            async def listen(task_status=anyio.TASK_STATUS_IGNORED):
                async with client.listen(tools_list_changed=True) as events:
                    task_status.started()
                    async for _ in events:
                        changed.set()

            await group.start(listen)
            await check(client, changed)
            group.cancel_scope.cancel()


asyncio.run(with_1() if MAJOR == "1" else with_2())
