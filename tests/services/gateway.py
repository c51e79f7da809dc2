"""A stand-in for TrustGraph's gateway, for what the real one does only by accident.

    gateway.py PORT [CERTIFICATE KEY]

Lets in who says the token tg_good, over HTTP and over the socket. What it answers is said by the MCP tool's name or the prompt's id in the request
(see the functions below). Prints READY. Ends when standard input is closed.
"""

import asyncio
import json
import ssl
import sys
import threading

from aiohttp import WSMsgType, web


def piece(text, last=False):
    return {"text": text, "object": "", "end_of_stream": last}


class Caller:
    """One request on the socket."""

    def __init__(self, socket, frame, transport):
        self.socket, self.frame, self.transport, self.id = socket, frame, transport, frame["id"]

    async def say(self, text, last=False, id=None):
        await self.socket.send_json({"id": id or self.id, "response": piece(text, last), "complete": last})

    async def stream(self):
        for text in ("one ", "two "):
            await self.say(text)
        await self.say("three", True)

    async def what(self):
        await self.say(json.dumps({name: self.frame.get(name) for name in ("workspace", "flow", "service", "request")}), True)

    async def silent(self):
        pass

    async def no_end(self):
        for text in ("one ", "two"):
            await self.say(text)

    async def not_json(self):
        await self.socket.send_str("nonsense")

    async def list(self):
        await self.socket.send_str("[1]")

    async def nothing(self):
        await self.socket.send_json({"id": self.id, "complete": True})

    async def not_utf8(self):
        self.transport.write(b"\x81\x01\xff")

    async def foreign(self):
        await self.say("not yours", True, id="somebody-else")
        await self.say("yours", True)

    async def no_id(self):
        await self.socket.send_json({"error": {"type": "error", "message": "Bad message"}, "complete": True})
        await self.say("yours", True)

    async def twice(self):
        for _ in range(2):
            await self.say("once", True)

    async def late(self):
        await self.say("in time", True)
        await self.say("too late")

    async def endless(self):
        while not self.socket.closed:
            await self.say("more ")
            await asyncio.sleep(0)

    async def many(self):
        for row in range(20_000):
            await self.say(f"{row} ")
        await self.say("", True)

    async def huge(self):
        for _ in range(100):
            await self.say("x" * 1_000_000)
        await self.say("", True)

    async def close(self):
        await self.say("one")
        await self.socket.close(message=b"enough\x1b[31m")


async def socket(request):
    socket = web.WebSocketResponse(max_msg_size=52428800)
    await socket.prepare(request)
    let_in, tasks = False, set()
    async for message in socket:
        if message.type != WSMsgType.TEXT:
            break
        frame = json.loads(message.data)
        if frame.get("type") == "auth":
            let_in = frame["token"] == "tg_good"
            said = {"type": "auth-ok", "default_workspace": "lab"} if let_in else {"type": "auth-failed", "error": "auth failure"}
            await socket.send_json(said)
        elif not let_in:
            error = {"type": "auth-required", "message": "auth failure"}
            await socket.send_json({"id": frame["id"], "error": error, "complete": True})
        elif frame["service"] == "config":
            nothing = {"version": 0, "values": [], "directory": [], "config": {}}
            await socket.send_json({"id": frame["id"], "response": nothing, "complete": True})
        else:
            asked = frame["request"].get("name") or frame["request"].get("id")
            does = getattr(Caller(socket, frame, request.transport), asked.replace("-", "_"))
            tasks.add(asyncio.ensure_future(does()))
    return socket


async def post(request):
    if request.headers.get("Authorization") != "Bearer tg_good":
        return web.json_response({"error": "auth failure"}, status=401)
    body = await request.json()
    asked = body.get("name") or body.get("id")
    if asked == "what":
        return web.json_response(piece(json.dumps({"path": request.path, "body": body}), True))
    if asked == "silent":
        await asyncio.Event().wait()
    if asked == "not-json":
        return web.Response(text="nonsense", content_type="text/plain")
    if asked == "not-utf8":
        return web.Response(body=b'{"text": "\xff"}')
    if asked == "page":
        return web.Response(text="<html>gone", status=502)
    if asked == "elsewhere":
        raise web.HTTPFound("http://127.0.0.1:1/steal")
    if asked == "huge":
        return web.json_response(piece("x" * 10_000_000, True))
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    for text in ("one ", "two "):
        await response.write(b"data: " + json.dumps(piece(text)).encode() + b"\n\n")
    if asked == "stream":
        await response.write(b": and so on\ndata: " + json.dumps(piece("three", True)).encode() + b"\n\n")
    if asked == "no-end":
        await asyncio.Event().wait()
    if asked == "close":
        request.transport.abort()
    return response


async def main(port, *files):
    app = web.Application()
    app.add_routes([web.get("/api/v1/socket", socket), web.post("/{path:.*}", post)])
    encryption = None
    if files:
        encryption = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        encryption.load_cert_chain(*files)
    runner = web.AppRunner(app, handler_cancellation=True)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", int(port), ssl_context=encryption, reuse_address=True).start()
    print("READY", flush=True)
    ended, loop = asyncio.Event(), asyncio.get_running_loop()
    threading.Thread(target=lambda: (sys.stdin.read(), loop.call_soon_threadsafe(ended.set)), daemon=True).start()
    await ended.wait()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
