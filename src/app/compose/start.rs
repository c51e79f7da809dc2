//! What runs start with, kept in the settings of the workspace.

use serde_json::{Map, Value, json};

use super::{context::ComposeContext, plan::Plan};
use crate::{
    model::context::{Context, Name},
    schema::pointer::Pointer,
    syntax::{edit::Edit, print::print_value, source::Format},
};

const CONTEXT: &str = "context";

/// Makes runs start with these groups, in this state and as this user. What is left out there is
/// left out of the settings, too.
///
/// # Errors
/// When they do already.
pub(crate) fn keep_start(context: ComposeContext<'_>, start: &Context) -> Result<Plan, String> {
    let name = |name: &Option<Name>| name.as_deref().map(Value::from);
    let groups = start
        .groups
        .as_ref()
        .map(|groups| groups.iter().map(|group| Value::from(&**group)).collect());
    let members: [(&str, Option<Value>); 3] =
        [("user", name(&start.user)), ("groups", groups), ("state", name(&start.state))];
    let at = Pointer::root().child(CONTEXT);
    let now = context.settings_value().and_then(|settings| at.get(settings));
    let text_of_new = || {
        let given = members.iter().filter_map(|(key, to)| Some(((*key).to_owned(), to.clone()?)));
        print_value(Format::Toml, &json!({ CONTEXT: given.collect::<Map<_, _>>() }))
    };
    let edits: Vec<Edit> = if members.iter().all(|(_, to)| to.is_none()) {
        now.map(|_| Edit::Remove { at }).into_iter().collect()
    } else {
        let edit = |(key, to): &(&str, Option<Value>)| {
            let present = now.and_then(|now| now.get(key));
            let at = at.child(*key);
            match to {
                Some(to) if present != Some(to) => Some(Edit::Set { at, to: to.clone().into() }),
                None if present.is_some() => Some(Edit::Remove { at }),
                _ => None,
            }
        };
        members.iter().filter_map(edit).collect()
    };
    if edits.is_empty() {
        return Err("runs start with these groups, state and user already".into());
    }
    // A new file has all of them at once.
    let most = if context.settings_value().is_some() { edits.len() } else { 1 };
    let changed = edits.into_iter().take(most);
    let changes = changed.map(|edit| context.in_settings(edit, text_of_new)).collect();
    Ok(Plan::new("keep the start of runs", changes))
}
