//! What answers in the place of services: the rules of a stub file, and mocks.

use std::{collections::HashSet, path::PathBuf};

use clap::Args;

use crate::{
    cli::{
        call::mock_of, mock_options::MockFlags, opened::OpenWorkspace, out::CommandOutput, stubs,
    },
    model::{
        problem::Problem,
        stub::{MOCK_CONNECTION, StubService},
        tool::Tool,
    },
};

#[derive(Args, Debug)]
pub(super) struct AnswerSources {
    /// Answer by the rules of a stub file; tools named in addition are answered by samples, or by
    /// mocks
    #[arg(long, value_name = "FILE")]
    stub: Option<PathBuf>,

    #[command(flatten)]
    mock: MockFlags,
}

/// Which tools are mocked, where mocks are asked for.
pub(super) struct WantedMocks<'w> {
    /// By key or name; none: those that `reaches` says.
    pub tools: &'w [String],
    pub reaches: &'w dyn Fn(&Tool) -> bool,
    /// Tools of one service have one answer, as callers on a bus get it.
    pub per_service: bool,
}

impl AnswerSources {
    /// The services that are answered for, and what they are from, for people; `None`: nothing of
    /// that kind was asked for.
    ///
    /// # Errors
    /// When the stub cannot be read, or a tool that is named is not there.
    pub fn read_services(
        &self,
        opened: &OpenWorkspace,
        wanted: &WantedMocks<'_>,
        out: &CommandOutput,
    ) -> Result<(Option<String>, Vec<StubService>), Problem> {
        let (mut file, mut services) = (None, Vec::new());
        if let Some(path) = self.stub.as_deref() {
            file = Some(path.display().to_string());
            services = stubs::read_services(path, out)?;
        }
        let Some(options) = self.mock.options() else { return Ok((file, services)) };
        let mut known: HashSet<String> = services.iter().map(|stub| stub.name.clone()).collect();
        let named = wanted.tools.iter().filter(|word| !known.contains(*word));
        let mut mocked: Vec<&Tool> =
            named.map(|word| opened.tool(word)).collect::<Result<_, _>>()?;
        if wanted.tools.is_empty() {
            let every = opened.catalog.tools.iter().map(AsRef::as_ref);
            mocked.extend(every.filter(|tool| (wanted.reaches)(tool)));
        }
        for tool in mocked {
            let names = [Some(&tool.entry.key), Some(&tool.name), tool.service.as_ref()];
            if names.into_iter().flatten().any(|name| known.contains(name)) {
                continue;
            }
            known.extend(tool.service.clone().filter(|_| wanted.per_service));
            let service = mock_of(tool, &options, opened, out);
            services.push(StubService { name: tool.entry.key.clone(), ..service });
        }
        Ok((file.or_else(|| Some(MOCK_CONNECTION.to_owned())), services))
    }
}
