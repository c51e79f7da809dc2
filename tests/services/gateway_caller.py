"""A caller of a gateway in another language than toolcrib's, with aiohttp.

    gateway_caller.py URL < REQUESTS

URL is http://HOST:PORT. REQUESTS is JSON: a list of {"way", "service", "body", "token", "flow", "patience"}. The way is one of

    post    a POST that takes JSON
    events  a POST that takes a stream of events
    socket  a frame on a WebSocket of its own, after the token
    early   the same before any token
    raw     the bytes of "body" on a bare connection

Prints a list with what came for each: {"status", "messages", "error"}. The error is how it ended where it did not end by itself: "timeout", "closed".
"""

import asyncio
import json
import sys

import aiohttp

ENDS = ("end_of_stream", "end_of_session", "end_of_dialog")


def path(request):
    return f"/api/v1/flow/{request.get('flow', 'default')}/service/{request['service']}"


def read(text):
    try:
        return json.loads(text)
    except ValueError:
        return text if isinstance(text, str) else text.decode(errors="replace")


async def post(session, url, request, came, accept):
    body = request["body"]
    data = body if isinstance(body, str) else json.dumps(body)
    headers = {"Accept": accept}
    if "token" in request:
        headers["Authorization"] = f"Bearer {request['token']}"
    async with session.post(url + path(request), data=data, headers=headers) as response:
        came["status"] = response.status
        if response.content_type != "text/event-stream":
            came["messages"].append(read(await response.read()))
            return
        async for line in response.content:
            if line.startswith(b"data: "):
                message = read(line[6:].rstrip(b"\n"))
                came["messages"].append(message)
                if not isinstance(message, dict) or "error" in message or any(message.get(end) for end in ENDS):
                    return


async def socket(session, url, request, came):
    async with session.ws_connect(url.replace("http", "ws", 1) + "/api/v1/socket") as socket:
        if request["way"] == "socket":
            await socket.send_json({"type": "auth", "token": request.get("token", "")})
            came["status"] = (await socket.receive_json())["type"]
        frame = request["body"]
        if isinstance(frame, dict):
            frame = json.dumps({"id": "call", "service": request["service"], "flow": request.get("flow", "default"), "request": frame})
        await socket.send_str(frame)
        while True:
            message = await socket.receive()
            if message.type != aiohttp.WSMsgType.TEXT:
                came["error"] = "closed"
                return
            message = read(message.data)
            came["messages"].append(message)
            if not isinstance(message, dict) or message.get("complete"):
                return


async def raw(url, request, came):
    host, port = url.split("://")[1].split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(request["body"].encode())
    came["messages"].append((await reader.read(4096)).decode())
    writer.close()


async def ask(session, url, request):
    came = {"status": None, "messages": [], "error": None}
    way = {
        "post": lambda: post(session, url, request, came, "application/json"),
        "events": lambda: post(session, url, request, came, "text/event-stream"),
        "raw": lambda: raw(url, request, came),
    }.get(request["way"], lambda: socket(session, url, request, came))
    try:
        await asyncio.wait_for(way(), request.get("patience", 30))
    except asyncio.TimeoutError:
        came["error"] = "timeout"
    except aiohttp.ClientError:
        came["error"] = "closed"
    return came


async def main(url):
    async with aiohttp.ClientSession() as session:
        print(json.dumps([await ask(session, url, request) for request in json.load(sys.stdin)]))


asyncio.run(main(sys.argv[1]))
