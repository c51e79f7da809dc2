"""TrustGraph's own joke service on RabbitMQ or Kafka: upstream's program, with the two queue names that it spells for Pulsar respelt.

Arguments go to upstream's program. Ends when standard input is closed.
"""

import os
import sys
import threading

from trustgraph.base import ReceiverPool, SenderPool
from trustgraph.base.async_kafka_backend import AsyncKafkaBackend
from trustgraph.tool_service.joke import service


def respelt(method):
    async def add(self, topic, **rest):
        if topic.startswith("non-persistent://"):
            space, kind, name = topic.removeprefix("non-persistent://").split("/", 2)
            topic = f"{kind}:{space}:{name}"
        return await method(self, topic=topic, **rest)

    return add


def from_the_first(method):
    """A consumer that reads its topic from the beginning: upstream's own passes over what comes while it still joins its group."""

    async def create(self, *given, **rest):
        return await method(self, *given, **{**rest, "initial_position": "earliest"})

    return create


def end_with_parent():
    sys.stdin.read()
    os._exit(0)


SenderPool.add_producer = respelt(SenderPool.add_producer)
ReceiverPool.add_consumer = respelt(ReceiverPool.add_consumer)
AsyncKafkaBackend.create_consumer = from_the_first(AsyncKafkaBackend.create_consumer)
threading.Thread(target=end_with_parent, daemon=True).start()
service.run()
