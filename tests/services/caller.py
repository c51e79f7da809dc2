"""A caller in another language than toolcrib's, as TrustGraph's agent calls a tool service.

    caller.py SERVER REQUEST RESPONSE BODY

REQUEST and RESPONSE are places as the broker spells them.

Prints one line of JSON: how many pieces came, their text joined, the error, and what came in the inbox.
"""

import asyncio
import json
import os
import sys

import buses

ID = "fb80c767-27b3-47f3-ab62-2ad55fd95d8c"


async def main(server, request, response, body):
    bus = await buses.connect(server)
    heard = asyncio.Queue()
    inbox = []

    async def hear(message):
        if message.id == ID:
            await heard.put(json.loads(message.data))

    async def keep(message):
        inbox.append(message.data.decode())

    await bus.listen(response, hear)
    reply = bus.inbox()
    if reply:
        await bus.listen(reply, keep)
    await bus.send(request, body.encode(), ID, reply)
    await bus.flush()
    pieces, error, ended = [], None, False
    while not ended:
        piece = await asyncio.wait_for(heard.get(), 20)
        error, ended = piece["error"], piece["end_of_stream"]
        pieces.append(piece["response"])
    await bus.flush()
    print(json.dumps({"pieces": len(pieces), "text": "".join(pieces), "error": error, "inbox": inbox}), flush=True)
    # The libraries' threads and open connections end with the process.
    os._exit(0)


asyncio.run(main(*sys.argv[1:]))
