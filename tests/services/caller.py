"""A caller in another language than toolcrib's, as TrustGraph's agent calls a tool service.

    caller.py SERVER REQUEST_SUBJECT RESPONSE_SUBJECT BODY

Prints one line of JSON: how many pieces came, their text joined, the error, and what came in the inbox.
"""

import asyncio
import json
import sys

import nats

ID = "fb80c767-27b3-47f3-ab62-2ad55fd95d8c"


async def main(server, request, response, body):
    client = await nats.connect(server)
    heard = asyncio.Queue()
    inbox = []

    async def hear(message):
        if (message.headers or {}).get("id") == ID:
            await heard.put(json.loads(message.data))

    async def keep(message):
        inbox.append(message.data.decode())

    await client.subscribe(response, cb=hear)
    reply = client.new_inbox()
    await client.subscribe(reply, cb=keep)
    await client.publish(request, body.encode(), reply=reply, headers={"id": ID})
    pieces, error, ended = [], None, False
    while not ended:
        piece = await asyncio.wait_for(heard.get(), 20)
        error, ended = piece["error"], piece["end_of_stream"]
        pieces.append(piece["response"])
    await client.flush()
    print(json.dumps({"pieces": len(pieces), "text": "".join(pieces), "error": error, "inbox": inbox}))
    await client.close()


asyncio.run(main(*sys.argv[1:]))
