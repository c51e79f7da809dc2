//! How a mock answers, as said on the command line.

use std::time::Duration;

use clap::Args;

use super::arguments::parse_pause;
use crate::engine::stub::mock::{MOST_PIECES, MockOptions, MockSource, PAUSE, PIECES};

#[derive(Args, Clone, Debug, Default)]
pub(crate) struct MockFlags {
    /// Answer in place of the service, which gets no call: by the tool's own stub (stubs/TOOL.yaml)
    /// or else with an example made from its output schema, with its newest kept answer, the
    /// arguments (echo), or --mock-text
    #[arg(
        long,
        value_name = "SOURCE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "stub",
        value_parser = parse_source
    )]
    mock: Option<MockSource>,

    /// With --mock: answer with this text
    #[arg(long, value_name = "TEXT", requires = "mock")]
    mock_text: Option<String>,

    /// With --mock: the seed of the example; the same seed gives the same example
    #[arg(long, value_name = "NUMBER", default_value_t = 0, requires = "mock")]
    mock_seed: u64,

    /// With --mock: the number of chunks to stream
    #[arg(
        long,
        alias = "mock-pieces",
        value_name = "COUNT",
        default_value_t = PIECES,
        requires = "mock",
        value_parser = clap::value_parser!(u16).range(1..=i64::from(MOST_PIECES))
    )]
    mock_chunks: u16,

    /// With --mock: the delay before the first chunk
    #[arg(long, value_name = "TIME", requires = "mock", value_parser = parse_pause)]
    mock_delay: Option<Duration>,

    /// With --mock: the delay between chunks
    #[arg(long, value_name = "TIME", requires = "mock", value_parser = parse_pause)]
    mock_pause: Option<Duration>,

    /// With --mock: fail with this error, after the text of --mock-text if given
    #[arg(long, value_name = "TYPE:MESSAGE", requires = "mock")]
    mock_error: Option<String>,
}

impl MockFlags {
    /// How the mock answers, as a person would see a service stream; `None`: nothing is mocked.
    pub fn options(&self) -> Option<MockOptions> {
        self.options_with_pause(PAUSE)
    }

    /// The same where nobody watches: it answers at once, unless the flags say otherwise.
    pub fn unwatched_options(&self) -> Option<MockOptions> {
        self.options_with_pause(Duration::ZERO)
    }

    fn options_with_pause(&self, pause: Duration) -> Option<MockOptions> {
        let source = self.mock.clone()?;
        Some(MockOptions {
            source: self.mock_text.clone().map_or(source, MockSource::Text),
            seed: self.mock_seed,
            pieces: self.mock_chunks,
            delay: self.mock_delay.unwrap_or_default(),
            pause: self.mock_pause.unwrap_or(pause),
            error: self.mock_error.as_deref().map(split_error),
        })
    }
}

/// `type: message`; a type alone has no message.
fn split_error(text: &str) -> (String, String) {
    let (kind, message) = text.split_once(':').unwrap_or((text, ""));
    (kind.trim().to_owned(), message.trim().to_owned())
}

fn parse_source(text: &str) -> Result<MockSource, String> {
    let words = || MockSource::WORDS.map(|(_, word, _)| word).join(", ");
    MockSource::from_word(text).ok_or_else(|| format!("write one of {}", words()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_waits_for_a_mock_that_nobody_watches() {
        let flags = |mock_pause| MockFlags {
            mock: Some(MockSource::Stub),
            mock_pause,
            ..MockFlags::default()
        };
        let pause = |flags: MockFlags| flags.unwatched_options().map(|options| options.pause);
        assert_eq!(pause(flags(None)), Some(Duration::ZERO));
        assert_eq!(pause(flags(Some(PAUSE))), Some(PAUSE));
        assert_eq!(flags(None).options().map(|options| options.pause), Some(PAUSE));
        assert_eq!(MockFlags::default().unwatched_options(), None);
    }
}
