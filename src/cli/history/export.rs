//! Calls of the history in files: as lines of JSON, or as a stub that answers like them.

use std::{fs, path::Path};

use crate::{
    cli::{
        ending::{CommandResult, Ending, StopReason},
        out::CommandOutput,
    },
    engine::{
        stub::{page, record},
        trace::{compare, lines},
    },
    model::{
        catalog::Catalog,
        problem::{Problem, ProblemKind},
        stub::{MOCK_CONNECTION, Stub},
        tool::Tool,
        trace::{Trace, TraceId},
    },
    schema::count::count_text,
    store::{
        files::{self, Expected, OutsideLinks},
        history::History as Store,
    },
    systems::stubs,
};

/// A call as it is kept.
pub(super) fn write_trace(trace: &Trace, out: &mut CommandOutput) -> Result<(), StopReason> {
    out.print_raw(&trace_text(trace))?;
    Ok(())
}

fn trace_text(trace: &Trace) -> String {
    let events = trace.events.iter().map(|event| lines::of_event(&trace.head.id, event));
    std::iter::once(lines::of_head(&trace.head)).chain(events).collect()
}

/// Writes calls as lines of JSON.
pub(super) fn export_traces(
    store: &Store,
    ids: &[TraceId],
    to: Option<OutputFile<'_>>,
    out: &mut CommandOutput,
) -> CommandResult {
    if ids.is_empty() {
        out.print_status("No call matches, so nothing is written");
        return Ok(Ending::Found);
    }
    let mut text = String::new();
    for id in ids {
        let trace = store.load_trace(id)?;
        match to {
            Some(_) => text.push_str(&trace_text(&trace)),
            None => write_trace(&trace, out)?,
        }
    }
    if let Some(file) = to {
        save_file(file, &text)?;
        let calls = count_text(ids.len(), "call is", "calls are");
        out.print_status(format_args!("{calls} in {}", file.path.display()));
    }
    Ok(Ending::Done)
}

/// Calls that no stub can answer are reported and left out.
pub(super) fn as_stub(
    store: &Store,
    catalog: &Catalog,
    ids: &[TraceId],
    to: Option<OutputFile<'_>>,
    out: &mut CommandOutput,
) -> CommandResult {
    let mut stub = Stub::default();
    let mut mocked = 0;
    for id in ids {
        let trace = store.load_trace(id)?;
        // What a mock answered says nothing about the service.
        if &*trace.head.connection == MOCK_CONNECTION {
            mocked += 1;
            continue;
        }
        match stubs::of_trace(&trace, &compare::answer_text(&trace)) {
            Ok(mut services) => {
                // Its queue says a name; the workspace may know the service by another key.
                if let ([service], Some(key)) = (&mut services[..], service_key(catalog, &trace)) {
                    service.name = key.to_owned();
                }
                services.into_iter().for_each(|service| record::add_service(&mut stub, service));
            }
            Err(problem) => out.warn(format_args!(
                "{}: {}",
                id.chars().take(8).collect::<String>(),
                problem.cause
            )),
        }
    }
    if mocked > 0 {
        out.warn(format_args!(
            "left out {}, answered by mocks and not by services",
            count_text(mocked, "call", "calls")
        ));
    }
    let rules: usize = stub.services.iter().map(|service| service.rules.len()).sum();
    if rules == 0 {
        let problem = Problem::new(
            ProblemKind::Missing,
            "keeping calls as a stub",
            "no call has an answer that can be saved",
        );
        return Err(problem
            .with_remedy("choose calls that were answered, by services and not by mocks")
            .into());
    }
    match to {
        Some(file) => {
            save_file(file, &page::render_yaml(&stub))?;
            let path = file.path.display();
            // Without queues a stub answers in place of tools, not at a broker.
            let command = match stub.services.iter().all(|service| service.request.is_some()) {
                true => "serve",
                false => "test",
            };
            out.print_status(format_args!(
                "saved {} in {path}; try: toolcrib {command} --stub {path}",
                count_text(rules, "rule", "rules"),
            ));
        }
        None => out.print_raw(&page::render_yaml(&stub))?,
    }
    Ok(Ending::Done)
}

/// The key of the service that a call's tool has in the workspace.
fn service_key<'c>(catalog: &'c Catalog, trace: &Trace) -> Option<&'c str> {
    let is_its = |tool: &&Tool| tool.entry.system == &*trace.head.system;
    let tool = catalog.tool_called(&trace.head.tool).filter(is_its)?;
    Some(catalog.service_by_key(tool.entry.system, tool.service.as_deref()?)?.key())
}

/// The file that an export is written to.
#[derive(Clone, Copy)]
pub(super) struct OutputFile<'p> {
    pub path: &'p Path,
    /// One that is there is replaced.
    pub overwrites: bool,
}

fn save_file(OutputFile { path, overwrites }: OutputFile<'_>, text: &str) -> Result<(), Problem> {
    if path.exists() && !overwrites {
        let doing = format!("saving {}", path.display());
        return Err(Problem::new(ProblemKind::Input, doing, "the file already exists")
            .with_remedy("choose another name, or replace it with --overwrite"));
    }
    let expected = if overwrites { Expected::Anything } else { Expected::Absent };
    let here = Path::new(".");
    // A name alone has no folder that could be looked into.
    let (root, path) = match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) => (folder, path.to_owned()),
        None => (here, here.join(path)),
    };
    fs::create_dir_all(root).map_err(|error| {
        let doing = format!("making the folder {}", root.display());
        Problem::new(ProblemKind::File, doing, error.to_string())
            .with_remedy("name a file in a folder that you may write to")
    })?;
    files::save_file(root, &path, text, expected, OutsideLinks::Refuse)
        .map(drop)
        .map_err(|error| error.problem().clone())
}
