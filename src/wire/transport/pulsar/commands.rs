//! Pulsar's commands, as far as we speak them: protobuf messages whose numbers are the protocol's.

use prost::{Message, Oneof, encoding::decode_key};

/// Every frame begins with one of these.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct BaseCommand {
    #[prost(int32, required, tag = "1")]
    pub kind: i32,
    #[prost(oneof = "Command", tags = "2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,23,24")]
    pub command: Option<Command>,
}

impl From<Command> for BaseCommand {
    fn from(command: Command) -> Self {
        let mut bytes = Vec::new();
        command.encode(&mut bytes);
        // A command's kind is the number of its field.
        let kind = decode_key(&mut bytes.as_slice()).map_or(0, |(tag, _)| tag);
        Self { kind: i32::try_from(kind).unwrap_or_default(), command: Some(command) }
    }
}

#[derive(Clone, PartialEq, Oneof)]
pub(crate) enum Command {
    #[prost(message, tag = "2")]
    Connect(Connect),
    #[prost(message, tag = "3")]
    Connected(Connected),
    #[prost(message, tag = "4")]
    Subscribe(Subscribe),
    #[prost(message, tag = "5")]
    Producer(Producer),
    #[prost(message, tag = "6")]
    Send(Send),
    #[prost(message, tag = "7")]
    SendReceipt(SendReceipt),
    #[prost(message, tag = "8")]
    SendError(SendError),
    #[prost(message, tag = "9")]
    Message(Delivery),
    #[prost(message, tag = "10")]
    Ack(Ack),
    #[prost(message, tag = "11")]
    Flow(Flow),
    #[prost(message, tag = "12")]
    Unsubscribe(Unsubscribe),
    #[prost(message, tag = "13")]
    Success(Success),
    #[prost(message, tag = "14")]
    Error(Refusal),
    #[prost(message, tag = "15")]
    CloseProducer(CloseProducer),
    #[prost(message, tag = "16")]
    CloseConsumer(CloseConsumer),
    #[prost(message, tag = "17")]
    ProducerSuccess(ProducerSuccess),
    #[prost(message, tag = "18")]
    Ping(Ping),
    #[prost(message, tag = "19")]
    Pong(Pong),
    #[prost(message, tag = "23")]
    Lookup(Lookup),
    #[prost(message, tag = "24")]
    LookupResponse(LookupResponse),
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct KeyValue {
    #[prost(string, required, tag = "1")]
    pub key: String,
    #[prost(string, required, tag = "2")]
    pub value: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Connect {
    #[prost(string, required, tag = "1")]
    pub client_version: String,
    #[prost(bytes = "vec", optional, tag = "3")]
    pub auth_data: Option<Vec<u8>>,
    #[prost(int32, optional, tag = "4")]
    pub protocol_version: Option<i32>,
    #[prost(string, optional, tag = "5")]
    pub auth_method_name: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Connected {
    #[prost(string, required, tag = "1")]
    pub server_version: String,
    #[prost(int32, optional, tag = "3")]
    pub max_message_size: Option<i32>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Subscribe {
    #[prost(string, required, tag = "1")]
    pub topic: String,
    #[prost(string, required, tag = "2")]
    pub subscription: String,
    /// [`EXCLUSIVE`] or [`SHARED`].
    #[prost(int32, required, tag = "3")]
    pub sharing: i32,
    #[prost(uint64, required, tag = "4")]
    pub consumer: u64,
    #[prost(uint64, required, tag = "5")]
    pub request: u64,
    #[prost(bool, optional, tag = "8")]
    pub durable: Option<bool>,
}

/// Each subscriber has a subscription of its own.
pub(crate) const EXCLUSIVE: i32 = 0;
/// All who name the same subscription share its messages.
pub(crate) const SHARED: i32 = 1;

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Producer {
    #[prost(string, required, tag = "1")]
    pub topic: String,
    #[prost(uint64, required, tag = "2")]
    pub producer: u64,
    #[prost(uint64, required, tag = "3")]
    pub request: u64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Send {
    #[prost(uint64, required, tag = "1")]
    pub producer: u64,
    #[prost(uint64, required, tag = "2")]
    pub sequence: u64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct SendReceipt {
    #[prost(uint64, required, tag = "1")]
    pub producer: u64,
    #[prost(uint64, required, tag = "2")]
    pub sequence: u64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct SendError {
    #[prost(uint64, required, tag = "1")]
    pub producer: u64,
    #[prost(uint64, required, tag = "2")]
    pub sequence: u64,
    #[prost(int32, required, tag = "3")]
    pub error: i32,
    #[prost(string, required, tag = "4")]
    pub message: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct MessageId {
    #[prost(uint64, required, tag = "1")]
    pub ledger: u64,
    #[prost(uint64, required, tag = "2")]
    pub entry: u64,
    #[prost(int32, optional, tag = "3")]
    pub partition: Option<i32>,
}

/// A message for one of our consumers.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Delivery {
    #[prost(uint64, required, tag = "1")]
    pub consumer: u64,
    #[prost(message, optional, tag = "2")]
    pub id: Option<MessageId>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Ack {
    #[prost(uint64, required, tag = "1")]
    pub consumer: u64,
    /// 0: this message alone.
    #[prost(int32, required, tag = "2")]
    pub kind: i32,
    #[prost(message, repeated, tag = "3")]
    pub ids: Vec<MessageId>,
}

/// How many more messages may be sent to a consumer.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Flow {
    #[prost(uint64, required, tag = "1")]
    pub consumer: u64,
    #[prost(uint32, required, tag = "2")]
    pub permits: u32,
}

/// Ends the subscription itself, with all that waits in it.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Unsubscribe {
    #[prost(uint64, required, tag = "1")]
    pub consumer: u64,
    #[prost(uint64, required, tag = "2")]
    pub request: u64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Success {
    #[prost(uint64, required, tag = "1")]
    pub request: u64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Refusal {
    #[prost(uint64, required, tag = "1")]
    pub request: u64,
    #[prost(int32, required, tag = "2")]
    pub error: i32,
    #[prost(string, required, tag = "3")]
    pub message: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct CloseProducer {
    #[prost(uint64, required, tag = "1")]
    pub producer: u64,
    #[prost(uint64, required, tag = "2")]
    pub request: u64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct CloseConsumer {
    #[prost(uint64, required, tag = "1")]
    pub consumer: u64,
    #[prost(uint64, required, tag = "2")]
    pub request: u64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ProducerSuccess {
    #[prost(uint64, required, tag = "1")]
    pub request: u64,
    #[prost(string, required, tag = "2")]
    pub name: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Ping {}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Pong {}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Lookup {
    #[prost(string, required, tag = "1")]
    pub topic: String,
    #[prost(uint64, required, tag = "2")]
    pub request: u64,
    #[prost(bool, optional, tag = "3")]
    pub authoritative: Option<bool>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct LookupResponse {
    #[prost(string, optional, tag = "1")]
    pub url: Option<String>,
    #[prost(string, optional, tag = "2")]
    pub url_tls: Option<String>,
    /// [`REDIRECTED`], [`FOUND`], or else it failed.
    #[prost(int32, optional, tag = "3")]
    pub response: Option<i32>,
    #[prost(uint64, required, tag = "4")]
    pub request: u64,
    #[prost(bool, optional, tag = "5")]
    pub authoritative: Option<bool>,
    #[prost(int32, optional, tag = "6")]
    pub error: Option<i32>,
    #[prost(string, optional, tag = "7")]
    pub message: Option<String>,
    #[prost(bool, optional, tag = "8")]
    pub through_proxy: Option<bool>,
}

/// Ask the broker at that address.
pub(crate) const REDIRECTED: i32 = 0;
/// The broker at that address has the topic.
pub(crate) const FOUND: i32 = 1;

/// What is before a message's payload.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Metadata {
    #[prost(string, required, tag = "1")]
    pub producer: String,
    #[prost(uint64, required, tag = "2")]
    pub sequence: u64,
    /// Milliseconds since 1970.
    #[prost(uint64, required, tag = "3")]
    pub published: u64,
    #[prost(message, repeated, tag = "4")]
    pub properties: Vec<KeyValue>,
    /// 0: none.
    #[prost(int32, optional, tag = "8")]
    pub compression: Option<i32>,
    /// Set when the payload is a batch, be it of one.
    #[prost(int32, optional, tag = "11")]
    pub batched: Option<i32>,
}

/// What is before each message of a batch.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct SingleMetadata {
    #[prost(message, repeated, tag = "1")]
    pub properties: Vec<KeyValue>,
    #[prost(int32, required, tag = "3")]
    pub size: i32,
}
