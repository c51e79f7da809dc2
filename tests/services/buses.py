"""The brokers that the services here speak to, alike: listen at a place, send to a place with an id.

`connect(SERVER)` takes the server's address and chooses by its scheme. A message has `data`, `id` (None without one) and `reply`.
Libraries are imported where they are used, so that a test needs only those of its own broker.
"""

import asyncio
from collections import namedtuple

Heard = namedtuple("Heard", "data id reply")


async def connect(server):
    scheme = server.split("://")[0]
    bus = {"nats": Nats, "tls": Nats, "amqp": Rabbit, "amqps": Rabbit, "pulsar": Pulsar, "kafka": Kafka}[scheme]()
    await bus.open(server)
    return bus


class Nats:
    async def open(self, server):
        import nats

        self.client = await nats.connect(server)

    def inbox(self):
        return self.client.new_inbox()

    async def listen(self, place, hear):
        async def take(message):
            await hear(Heard(message.data, (message.headers or {}).get("id"), message.reply))

        await self.client.subscribe(place, cb=take)

    async def send(self, place, data, id, reply=None):
        await self.client.publish(place, data, reply=reply or "", headers={"id": id} if id else None)

    async def flush(self):
        await self.client.flush()


class Rabbit:
    async def open(self, server):
        import aio_pika

        self.pika = aio_pika
        self.connection = await aio_pika.connect(server)
        self.channel = await self.connection.channel(publisher_confirms=False)
        self.exchanges = {}

    def inbox(self):
        return None

    async def exchange(self, place):
        if place not in self.exchanges:
            kind = self.pika.ExchangeType.FANOUT
            self.exchanges[place] = await self.channel.declare_exchange(place, kind, durable=True)
        return self.exchanges[place]

    async def listen(self, place, hear):
        queue = await self.channel.declare_queue(exclusive=True)
        await queue.bind(await self.exchange(place), routing_key="")

        async def take(message):
            await hear(Heard(message.body, message.headers.get("id"), None))

        await queue.consume(take, no_ack=True)

    async def send(self, place, data, id, reply=None):
        message = self.pika.Message(data, headers={"id": id} if id else {}, content_type="application/json")
        await (await self.exchange(place)).publish(message, routing_key="", mandatory=False)

    async def flush(self):
        pass


class Pulsar:
    async def open(self, server):
        import pulsar

        self.client = pulsar.Client(server, logger=quiet())
        self.producers = {}

    def inbox(self):
        return None

    async def listen(self, place, hear):
        loop, ready = asyncio.get_running_loop(), asyncio.Event()

        def take(consumer, message):
            consumer.acknowledge(message)
            if "probe" in message.properties():
                loop.call_soon_threadsafe(ready.set)
                return
            heard = Heard(message.data(), message.properties().get("id"), None)
            asyncio.run_coroutine_threadsafe(hear(heard), loop)

        self.consumer = self.client.subscribe(place, f"foreign-{id(self)}", message_listener=take)
        # The broker drops what comes before it knows that this consumer takes messages, and the client does not say when that is.
        producer = self.client.create_producer(place)
        while not ready.is_set():
            producer.send(b"", properties={"probe": ""})
            try:
                await asyncio.wait_for(ready.wait(), 0.2)
            except asyncio.TimeoutError:
                pass
        producer.close()

    async def send(self, place, data, id, reply=None):
        if place not in self.producers:
            options = {"batching_enabled": True, "block_if_queue_full": True}
            self.producers[place] = self.client.create_producer(place, **options)
        self.producers[place].send_async(data, lambda *_: None, properties={"id": id} if id else {})

    async def flush(self):
        for producer in self.producers.values():
            await asyncio.get_running_loop().run_in_executor(None, producer.flush)


class Kafka:
    async def open(self, server):
        import aiokafka

        self.kafka = aiokafka
        self.brokers = server.removeprefix("kafka://")
        self.producer = aiokafka.AIOKafkaProducer(bootstrap_servers=self.brokers, max_request_size=20_000_000)
        await self.producer.start()
        self.tasks = set()

    def inbox(self):
        return None

    async def listen(self, place, hear):
        from aiokafka.admin import AIOKafkaAdminClient, NewTopic

        admin = AIOKafkaAdminClient(bootstrap_servers=self.brokers)
        await admin.start()
        if place not in await admin.list_topics():
            await admin.create_topics([NewTopic(place, num_partitions=1, replication_factor=1)])
        await admin.close()
        consumer = self.kafka.AIOKafkaConsumer(bootstrap_servers=self.brokers, fetch_max_wait_ms=50)
        await consumer.start()
        # Without a topic named before, it knows of none until it asks.
        await consumer._client.add_topic(place)
        partitions = [self.kafka.TopicPartition(place, row) for row in consumer.partitions_for_topic(place)]
        consumer.assign(partitions)
        # What comes from here on is heard, whatever comes when.
        for partition, end in (await consumer.end_offsets(partitions)).items():
            consumer.seek(partition, end)

        async def take():
            async for message in consumer:
                id = dict(message.headers).get("id")
                await hear(Heard(message.value, id.decode() if id else None, None))

        self.tasks.add(asyncio.create_task(take()))

    async def send(self, place, data, id, reply=None):
        await self.producer.send(place, data, headers=[("id", id.encode())] if id else [])

    async def flush(self):
        await self.producer.flush()


def quiet():
    import logging

    logger = logging.getLogger("pulsar")
    logger.setLevel(logging.CRITICAL)
    logger.addHandler(logging.NullHandler())
    return logger
