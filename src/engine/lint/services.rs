//! Services and their queues.

use std::collections::{HashMap, HashSet};

use super::{
    check::{Report, member_pointer},
    context::LintContext,
};
use crate::{
    model::{entry::SystemId, service::Service},
    schema::pointer::Pointer,
};

pub(crate) fn unused_service(context: &LintContext<'_>, report: &mut Report<'_>) {
    let catalog = context.catalog;
    let used = catalog
        .tools
        .iter()
        .filter_map(|tool| catalog.service_by_key(tool.entry.system, tool.service.as_deref()?));
    let used: HashSet<_> = used.map(|service| &service.entry.id).collect();
    for service in catalog.services.iter().filter(|service| !used.contains(&service.entry.id)) {
        report.add_finding(
            &service.entry,
            Pointer::root(),
            format!("no tool uses the service \"{}\"", service.key()),
        );
    }
}

pub(crate) fn same_queue(_: &LintContext<'_>, service: &Service, report: &mut Report<'_>) {
    if let Some(queue) = service
        .response_queue
        .as_ref()
        .filter(|queue| !queue.is_empty() && service.request_queue.as_ref() == Some(*queue))
    {
        let message = format!(
            "requests and responses both go to \"{queue}\": the service would take its own answers for requests"
        );
        report.add_finding(&service.entry, queue_place(service, queue, Last), message);
    }
}

pub(crate) fn queue_shared(context: &LintContext<'_>, report: &mut Report<'_>) {
    let mut first: HashMap<(SystemId, &str), &Service> = HashMap::new();
    for service in context.catalog.services.iter() {
        let Some(queue) = service.request_queue.as_deref().filter(|queue| !queue.is_empty()) else {
            continue;
        };
        match first.get(&(service.entry.system, queue)) {
            // The same key twice is said already.
            Some(other) if other.key() != service.key() => {
                let message = format!(
                    "the service \"{}\" also reads requests from \"{queue}\": each request goes \
                    to one of the two",
                    other.key()
                );
                report.add_finding(&service.entry, queue_place(service, queue, First), message);
            }
            Some(_) => {}
            None => drop(first.insert((service.entry.system, queue), service)),
        }
    }
}

use SameValue::{First, Last};

/// Which of two members with one value is meant: requests stand first.
#[derive(Clone, Copy, PartialEq)]
enum SameValue {
    First,
    Last,
}

/// The member that holds a queue's name.
fn queue_place(service: &Service, queue: &str, which: SameValue) -> Pointer {
    let value = service.entry.value.parsed();
    let members = value.as_object().into_iter().flatten();
    let mut keys = members.filter(|(_, value)| value.as_str() == Some(queue)).map(|(key, _)| key);
    let key = if which == First { keys.next() } else { keys.next_back() };
    key.map_or_else(Pointer::root, |key| member_pointer(key))
}
