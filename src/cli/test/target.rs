//! What a case calls: its tool, over which connection, or what answers in the place of that.

use std::{collections::BTreeMap, path::Path};

use crate::{
    cli::{
        call, cases::CaseFile, deployed::callable_catalog, ending::StopReason,
        opened::OpenWorkspace, out::CommandOutput, stubs,
    },
    engine::{
        case::{expected::ExpectedValues, script::Case},
        stub::mock::MockOptions,
    },
    model::{
        call::Request,
        catalog::Catalog,
        connection::Connection,
        problem::{Problem, ProblemKind},
        stub::StubService,
        tool::Tool,
    },
    systems::{
        calling,
        case_arguments::{issue_words, named_connection, refused_arguments},
        facets::calls::CallOf,
        mocking, table,
    },
};

/// What answers in place of the services.
pub(super) enum StandIn<'s> {
    Mock(&'s MockOptions),
    /// The file and its services.
    Stub(&'s Path, &'s [StubService]),
}

/// What a case calls.
pub(super) struct Target<'w> {
    catalog: &'w Catalog,
    tool: &'w Tool,
    pub connection: Connection,
    user: String,
    mock: Option<StubService>,
}

impl Target<'_> {
    /// A new request of the case, whose templates of answers are filled in.
    ///
    /// # Errors
    /// As [`calling::build_case_request`].
    pub fn request(&self, case: &Case) -> Result<Request, Problem> {
        let correlation = uuid::Uuid::new_v4().to_string();
        let call = CallOf {
            catalog: self.catalog,
            tool: self.tool,
            user: &self.user,
            arguments: &case.arguments,
            meta: None,
            correlation: &correlation,
            connection: &self.connection,
            route: None,
        };
        match &self.mock {
            Some(service) => Ok(mocking::mock_request(&call, service.clone())),
            None => calling::build_case_request(case, call),
        }
    }

    #[must_use]
    pub fn is_mocked(&self) -> bool {
        self.mock.is_some()
    }

    /// Whether a call that crashes its server ends it for all calls of this run: it was started here.
    #[must_use]
    pub fn starts_server(&self) -> bool {
        !self.is_mocked() && self.connection.command().is_some()
    }

    fn is_called(&self, word: &str) -> bool {
        self.tool.name == word || self.tool.entry.key == word
    }
}

/// A case ready to be called, or why it cannot be.
pub(super) struct Plan<'w> {
    pub filed: CaseFile,
    pub target: Result<Target<'w>, Problem>,
    /// The rows of the earlier cases whose answers it names, by the word that it has for the tool.
    pub needs: BTreeMap<String, Vec<usize>>,
}

/// Plans of all, in their order.
pub(super) fn plan_cases<'w>(
    calls: Vec<CaseFile>,
    opened: &'w OpenWorkspace,
    deployed: &'w DeployedCatalogs,
    stand_in: Option<&StandIn<'_>>,
    out: &CommandOutput,
) -> Vec<Plan<'w>> {
    let mut plans: Vec<Plan<'w>> = Vec::with_capacity(calls.len());
    for filed in calls {
        let target = find_target(&filed, opened, deployed, stand_in, out);
        let words = filed.case.answered_tools().into_iter();
        let needs: BTreeMap<String, Vec<usize>> =
            words.map(|word| (word.clone(), rows_of(&word, &plans))).collect();
        let missing = needs.iter().find(|(_, rows)| rows.is_empty()).map(|(word, _)| word);
        let target = match missing {
            Some(word) => target.and(Err(no_earlier_case(word))),
            None => target,
        };
        plans.push(Plan { filed, target, needs });
    }
    plans
}

/// The rows of the cases so far that call a tool.
fn rows_of(word: &str, plans: &[Plan<'_>]) -> Vec<usize> {
    let is_one = |plan: &Plan<'_>| {
        plan.filed.case.tool == word
            || plan.target.as_ref().is_ok_and(|target| target.is_called(word))
    };
    plans.iter().enumerate().filter(|(_, plan)| is_one(plan)).map(|(row, _)| row).collect()
}

fn no_earlier_case(word: &str) -> Problem {
    let cause = format!(
        "it names the answer of \"{word}\", and no case of this run that comes before it calls \
        that tool"
    );
    Problem::new(ProblemKind::Input, "filling in the arguments", cause)
        .with_remedy("run both together; cases of a folder come in the order of their files' names")
}

/// The connection that a case names, unless another one is chosen for all.
fn own_connection<'c>(case: &'c Case, opened: &OpenWorkspace) -> Option<&'c str> {
    let connections = &opened.settings.connections;
    named_connection(case, &opened.catalog, connections).filter(|_| connections.chosen.is_none())
}

/// The tools of running systems by connection, where cases call some that no file here defines, or
/// why they can't be listed.
pub(super) type DeployedCatalogs = BTreeMap<String, Result<Catalog, Problem>>;

/// Lists the tools of those systems.
///
/// # Errors
/// When the user interrupts it.
pub(super) fn list_deployed(
    calls: &[CaseFile],
    opened: &OpenWorkspace,
) -> Result<DeployedCatalogs, StopReason> {
    let connections = &opened.settings.connections;
    let mut listed = BTreeMap::new();
    for CaseFile { case, .. } in calls {
        let named = own_connection(case, opened);
        let known = named.map_or_else(
            || Some(connections.current()),
            |name| connections.find_by_name(name).cloned(),
        );
        let Some(connection) = known.filter(|_| opened.tool(&case.tool).is_err()) else { continue };
        if listed.contains_key(&connection.name) {
            continue;
        }
        let catalog = match callable_catalog(&connection) {
            Err(StopReason::Met(problem)) => Err(problem),
            read => Ok(read?.unwrap_or_default()),
        };
        listed.insert(connection.name, catalog);
    }
    Ok(listed)
}

fn find_target<'w>(
    filed: &CaseFile,
    opened: &'w OpenWorkspace,
    deployed: &'w DeployedCatalogs,
    stand_in: Option<&StandIn<'_>>,
    out: &CommandOutput,
) -> Result<Target<'w>, Problem> {
    let case = &filed.case;
    let connections = &opened.settings.connections;
    let word = own_connection(case, opened);
    // A mock needs no connection, but for the tools that are listed there.
    let named = word
        .filter(|_| stand_in.is_none())
        .map(|name| table::find_connection(connections, name))
        .transpose()?;
    let (catalog, tool) = match opened.tool(&case.tool) {
        Ok(tool) => (&opened.catalog, tool),
        Err(missing) => {
            let at = word.map_or_else(|| connections.current().name, str::to_owned);
            let there = deployed.get(&at).map(|listed| listed.as_ref().map_err(Clone::clone));
            // Over another connection, chosen for all, its tool of that name.
            let own = named_connection(case, &opened.catalog, connections).unwrap_or(&at);
            let found = |there| Some((there, Catalog::tool_called_at(there, own, &case.tool)?));
            there.transpose()?.and_then(found).ok_or(missing)?
        }
    };
    let refused: Vec<String> = refused_arguments(tool, case).iter().map(issue_words).collect();
    if !refused.is_empty() {
        let words = refused.join("; ");
        out.warn(format_args!(
            "{}: the schema of {} refuses its arguments: {words}",
            filed.display_name(),
            tool.entry.key
        ));
    }
    let mock = match stand_in {
        Some(StandIn::Mock(options)) => Some(call::mock_of(tool, options, opened, out)),
        Some(StandIn::Stub(file, services)) => {
            Some(stubs::service_of(tool, services, file)?.clone())
        }
        None => None,
    };
    let target = Target {
        catalog,
        tool,
        connection: named.unwrap_or_else(|| connections.for_tool(tool)),
        user: case.user.as_deref().unwrap_or_else(|| opened.user()).to_owned(),
        mock,
    };
    // What can't be sent, or expected, is said before anything is sent.
    ExpectedValues::over(case, &target.connection)?;
    if case.answered_tools().is_empty() {
        target.request(case)?;
    }
    Ok(target)
}
