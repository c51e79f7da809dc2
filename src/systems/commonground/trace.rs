//! `traceparent`: checked as CommonGround checks it, and children of it for what a message causes.

use std::fmt;

/// `00-{trace id}-{span id}-{flags}`, in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traceparent {
    version: String,
    trace_id: String,
    span_id: String,
    flags: String,
}

/// Why a `traceparent` or trace id is refused; a message that carries it is dropped in silence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceFault {
    Malformed,
    ZeroTrace,
}

impl TraceFault {
    /// The words in the service's log.
    #[must_use]
    pub fn message(self) -> &'static str {
        match self {
            Self::Malformed => "invalid traceparent",
            Self::ZeroTrace => "invalid trace_id",
        }
    }
}

impl Traceparent {
    /// Reads a header. Case is folded; any version and a span of zeros pass.
    ///
    /// # Errors
    /// When it has another shape, or its trace id is all zeros.
    pub fn parse(text: &str) -> Result<Self, TraceFault> {
        let text = text.to_ascii_lowercase();
        let fields: Vec<&str> = text.split('-').collect();
        let [version, trace_id, span_id, flags] = fields[..] else {
            return Err(TraceFault::Malformed);
        };
        let lengths = [(version, 2), (trace_id, 32), (span_id, 16), (flags, 2)];
        if !lengths.iter().all(|(field, length)| is_hex(field, *length)) {
            return Err(TraceFault::Malformed);
        }
        if is_zero(trace_id) {
            return Err(TraceFault::ZeroTrace);
        }
        let [version, trace_id, span_id, flags] =
            [version, trace_id, span_id, flags].map(str::to_owned);
        Ok(Self { version, trace_id, span_id, flags })
    }

    /// A trace's first span. `random` is fresh; zero, which no trace may be, becomes one.
    #[must_use]
    pub fn new_root(random: u128, span: u64) -> Self {
        Self {
            version: "00".into(),
            trace_id: format!("{:032x}", random.max(1)),
            span_id: format!("{:016x}", span.max(1)),
            flags: "01".into(),
        }
    }

    /// The next span of the same trace: what a message that this one caused has to carry.
    #[must_use]
    pub fn child(&self, span: u64) -> Self {
        Self { version: "00".into(), span_id: format!("{:016x}", span.max(1)), ..self.clone() }
    }

    #[must_use]
    pub fn trace_id(&self) -> &str {
        &self.trace_id
    }

    #[must_use]
    pub fn span_id(&self) -> &str {
        &self.span_id
    }
}

impl fmt::Display for Traceparent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}-{}", self.version, self.trace_id, self.span_id, self.flags)
    }
}

/// A trace id as CommonGround keeps it: 32 hexadecimal digits, not all of them zero, in lower case.
/// A UUID with its dashes is one too.
#[must_use]
pub fn trace_id(text: &str) -> Option<String> {
    let mut text = text.to_ascii_lowercase();
    if text.split('-').map(str::len).eq([8, 4, 4, 4, 12]) {
        text.retain(|c| c != '-');
    }
    (is_hex(&text, 32) && !is_zero(&text)).then_some(text)
}

fn is_hex(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_zero(text: &str) -> bool {
    text.bytes().all(|byte| byte == b'0')
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIVEN: &str = "00-4BF92F3577b34da6a3ce929d0e0e4736-0000000000000000-01";

    #[test]
    fn case_is_folded_and_odd_versions_and_empty_spans_pass() {
        let read = Traceparent::parse(GIVEN).unwrap();
        assert_eq!(read.to_string(), GIVEN.to_ascii_lowercase());
        assert!(Traceparent::parse(&GIVEN.replacen("00", "ff", 1)).is_ok());
        assert_eq!(Traceparent::parse(&format!("{GIVEN}-00")), Err(TraceFault::Malformed));
    }

    #[test]
    fn spaces_and_line_ends_are_no_part_of_it() {
        for text in [format!("{GIVEN}\n"), format!(" {GIVEN}")] {
            assert_eq!(Traceparent::parse(&text), Err(TraceFault::Malformed), "{text:?}");
        }
        let id = "4bf92f3577b34da6a3ce929d0e0e4736";
        assert_eq!(trace_id("4BF92F35-77b3-4da6-a3ce-929d0e0e4736").as_deref(), Some(id));
        assert_eq!(trace_id(&format!("{id}\n")), None);
        assert_eq!(trace_id("4bf92f3577b3-4da6-a3ce-929d-0e0e4736"), None);
        assert_eq!(trace_id("00000000-0000-0000-0000-000000000000"), None);
    }

    #[test]
    fn a_child_keeps_the_trace_and_takes_a_span_of_its_own() {
        let read = Traceparent::parse(GIVEN).unwrap();
        let child = read.child(0xab);
        assert_eq!((child.trace_id(), child.span_id()), (read.trace_id(), "00000000000000ab"));
        assert_eq!(Traceparent::parse(&child.to_string()), Ok(child));
        assert!(Traceparent::parse(&Traceparent::new_root(0, 0).to_string()).is_ok());
    }
}
