"""A tool service in another language and with other libraries than toolcrib's: answers on a broker, well or badly.

    responder.py SERVER MODE REQUEST RESPONSE [FILE]

REQUEST and RESPONSE are places as the broker spells them. Says READY on standard output once the server knows its subscription.
Ends when standard input is closed.
"""

import asyncio
import json
import sys

import buses


def chunk(text, last=False):
    return json.dumps({"error": None, "response": text, "end_of_stream": last}).encode()


def greeting(message):
    """Three pieces that show what was understood of the request."""
    body = json.loads(message.data)
    config, arguments = json.loads(body["config"]), json.loads(body["arguments"])
    return [f"Hello {body['user']}, ", f"{arguments['topic']} as ", f"{config['style']}."]


async def main(server, mode, request, response, file=None):
    bus = await buses.connect(server)
    send = bus.send

    async def stream(subject, pieces, id):
        for row, piece in enumerate(pieces):
            await send(subject, chunk(piece, row == len(pieces) - 1), id)

    async def answer(message):
        id = message.id or "unknown"
        if mode == "response":
            await stream(response, greeting(message), id)
        elif mode == "inbox":
            await stream(message.reply, greeting(message), id)
        elif mode == "inbox-without-id":
            await stream(message.reply, greeting(message), None)
        elif mode == "both":
            await stream(response, greeting(message), id)
            await stream(message.reply, greeting(message), id)
        elif mode == "wrong-id":
            await stream(response, ["not ", "for ", "you"], "somebody-else")
        elif mode == "wrong-id-then-right":
            await stream(response, ["not for you"], "somebody-else")
            await stream(response, greeting(message), id)
        elif mode == "unknown-id":
            await send(response, json.dumps({"error": {"type": "tool-service-error", "message": "?"}}).encode(), "unknown")
        elif mode == "no-end":
            await send(response, chunk("one "), id)
            await send(response, chunk("two"), id)
        elif mode == "endless":
            while True:
                await send(response, chunk("more "), id)
                await bus.flush()
        elif mode == "not-json":
            await send(response, b"<html>502 Bad Gateway</html>", id)
        elif mode == "not-utf8":
            await send(response, b'{"response": "caf\xe9", "end_of_stream": true}', id)
        elif mode == "twice":
            await send(response, chunk("once", True), id)
            await send(response, chunk("once", True), id)
        elif mode == "late":
            await send(response, chunk("in time", True), id)
            await send(response, chunk("too late", True), id)
        elif mode == "error":
            error = {"type": "tool-service-error", "message": "the oven is cold"}
            await send(response, json.dumps({"error": error, "response": "", "end_of_stream": True}).encode(), id)
        elif mode == "keep":
            # The body as it came over the wire, before anything has read it.
            with open(file, "wb") as kept:
                kept.write(message.data)
            await send(response, chunk(f"kept {len(message.data)} bytes", True), id)
        elif mode in ("huge", "torrent"):
            rows = 200 if mode == "huge" else 400
            for row in range(rows):
                await send(response, chunk(f"{row:08}" + "x" * 499_992, row == rows - 1), id)
        elif mode == "large":
            for row in range(5):
                await send(response, chunk(f"{row:08}" + "x" * 3_999_992, row == 4), id)
                await bus.flush()
        elif mode == "many":
            for row in range(20_000):
                await send(response, chunk(f"{row} ", row == 19_999), id)
        elif mode != "silent":
            raise SystemExit(f"unknown mode {mode}")
        await bus.flush()

    await bus.listen(request, answer)
    await bus.flush()
    print("READY", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


asyncio.run(main(*sys.argv[1:]))
