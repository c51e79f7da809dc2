"""A NATS micro service made with the library of NATS itself (nats-py), which answers $SRV.PING, INFO and STATS on its own.

    micro.py SERVER [ANNOUNCEMENT]

It has an endpoint with a schema, one with a descriptor and one with neither. With ANNOUNCEMENT, a document, it also sends that to
tool-descriptors whenever somebody asks there. Says READY on standard output once the server knows its subscriptions. Ends when
standard input is closed.
"""

import asyncio
import json
import sys

import nats
import nats.micro

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string", "description": "The city, such as Bern"}},
    "required": ["city"],
}
DESCRIPTOR = {
    "tool": {"sum": {"type": "tool-service", "name": "sum", "description": "Adds two numbers", "service": "sums", "arguments": []}},
    "tool-service": {"sums": {"id": "sums", "request-queue": "request:tg:sums", "response-queue": "response:tg:sums"}},
}


async def forecast(request):
    body = json.loads(request.data)
    city = json.loads(body["arguments"])["city"]
    await request.respond(json.dumps({"error": None, "response": f"Rain in {city}", "end_of_stream": True}).encode())


async def main(server, announcement=None):
    bus = await nats.connect(server)
    weather = await nats.micro.add_service(bus, name="weather", version="1.4.2", description="Tells the weather of a city")
    await weather.add_endpoint(name="forecast", subject="weather.forecast", handler=forecast, metadata={"schema": json.dumps(SCHEMA)})
    maths = await nats.micro.add_service(bus, name="maths", version="0.1.0", description="Adds")
    await maths.add_endpoint(name="sum", handler=forecast, metadata={"descriptor": json.dumps(DESCRIPTOR)})
    plain = await nats.micro.add_service(bus, name="plain", version="0.0.1")
    await plain.add_endpoint(name="do", handler=forecast)

    async def announce(message):
        if message.reply and not message.data:
            await bus.publish(message.reply, announcement.encode())

    if announcement:
        await bus.subscribe("tool-descriptors", cb=announce)
    await bus.flush()
    print("READY", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await bus.close()


asyncio.run(main(*sys.argv[1:]))
