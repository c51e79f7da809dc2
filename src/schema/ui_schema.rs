//! How fields are to be shown, beside what they may hold: a uiSchema as react-jsonschema-form has
//! it and Unique emits it.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{
    equal::values_equal,
    node::{Choices, Hints, Locks, Node},
};

/// Options that mean something here. The rest has no effect; [`ignored_options`] says so.
const KNOWN: [&str; 18] = [
    "widget",
    "order",
    "title",
    "description",
    "help",
    "placeholder",
    "readonly",
    "disabled",
    "enumNames",
    "options",
    "autofocus",
    "label",
    "rows",
    "enumDisabled",
    "addable",
    "orderable",
    "removable",
    "emptyValue",
];
/// Options of a page that a terminal does without: nobody misses them.
const OF_PAGES: [&str; 11] = [
    "inline",
    "copyable",
    "classNames",
    "style",
    "autocomplete",
    "rootFieldId",
    "submitButtonOptions",
    "inputType",
    "filePreview",
    "accept",
    "globalOptions",
];
/// Widgets that look like the schema's own in a terminal; what else they do on a page has no
/// effect.
const PLAIN: [&str; 4] = ["range", "color", "radio", "checkboxes"];
/// Widgets, and the format that makes a text field like them; without one, the schema brings the
/// like by itself.
const WIDGETS: [(&str, Option<&str>); 28] = [
    ("textarea", Some("textarea")),
    ("password", Some("password")),
    ("date", Some("date")),
    ("alt-date", Some("date")),
    ("altdate", Some("date")),
    ("datetime", Some("date-time")),
    ("date-time", Some("date-time")),
    ("alt-datetime", Some("date-time")),
    ("altdatetime", Some("date-time")),
    ("time", Some("time")),
    ("email", Some("email")),
    ("uri", Some("uri")),
    ("url", Some("uri")),
    ("file", Some("file-path")),
    ("files", None),
    ("data-url", Some("file-path")),
    ("hidden", None),
    ("text", None),
    ("select", None),
    ("radio", None),
    ("checkbox", None),
    ("checkboxes", None),
    ("updown", None),
    ("range", None),
    ("color", None),
    ("search", None),
    ("tel", None),
    (JSON, None),
];
/// The widget of a value that is written as JSON, whatever its schema.
const JSON: &str = "json";

/// What is said about one place.
#[derive(Clone, Debug, Default)]
pub struct Ui<'u> {
    /// What counts first is first.
    layers: Vec<&'u Map<String, Value>>,
    /// The branch of a union is chosen, so the others say nothing here.
    settled: bool,
    /// What holds for every place that does not say otherwise.
    global: Option<&'u Map<String, Value>>,
}

/// Text boxes are not higher than this.
const MOST_ROWS: u64 = 20;

/// A widget and the format that makes a text field like it. The names of react-jsonschema-form's
/// components count too: `TextareaWidget`.
fn widget_called(name: &str) -> Option<&'static (&'static str, Option<&'static str>)> {
    let component = name.strip_suffix("Widget").map(str::to_lowercase);
    let name = component.as_deref().unwrap_or(name);
    WIDGETS.iter().find(|(known, _)| *known == name)
}

impl<'u> Ui<'u> {
    /// The whole of a uiSchema.
    #[must_use]
    pub fn new(root: Option<&'u Value>) -> Self {
        let layers: Vec<_> = root.and_then(Value::as_object).into_iter().collect();
        let global = layers.first().and_then(|root| root.get("ui:globalOptions")?.as_object());
        Self { layers, settled: false, global }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.layers.is_empty() && self.global.is_none()
    }

    /// What is said under a name, here or in branches that may be meant.
    fn find_all(&self, name: &str) -> Vec<&'u Value> {
        let own = self.layers.iter().filter_map(|layer| layer.get(name));
        let branches = self.layers.iter().filter(|_| !self.settled).flat_map(|layer| {
            let unions =
                ["anyOf", "oneOf"].into_iter().filter_map(|union| layer.get(union)?.as_array());
            unions.flatten().filter_map(|branch| branch.get(name))
        });
        own.chain(branches).collect()
    }

    fn with_layers(&self, found: Vec<&'u Value>) -> Self {
        Self {
            layers: found.into_iter().filter_map(Value::as_object).collect(),
            settled: false,
            global: self.global,
        }
    }

    /// A declared member.
    #[must_use]
    pub fn member(&self, name: &str) -> Self {
        if self.is_empty() { Self::default() } else { self.with_layers(self.find_all(name)) }
    }

    /// A member that the user named.
    #[must_use]
    pub fn named_member(&self, name: &str) -> Self {
        let own = self.member(name);
        if own.layers.is_empty() && !self.is_empty() {
            self.with_layers(self.find_all("additionalProperties"))
        } else {
            own
        }
    }

    /// An item of a list.
    #[must_use]
    pub fn item(&self, index: usize) -> Self {
        if self.is_empty() {
            return Self::default();
        }
        let of = |items: &'u Value| match items {
            Value::Array(items) => items.get(index),
            other => Some(other),
        };
        let items = self.find_all("items").into_iter().filter_map(of).collect::<Vec<_>>();
        if items.is_empty() {
            self.with_layers(self.find_all("additionalItems"))
        } else {
            self.with_layers(items)
        }
    }

    /// The same place once a branch of its union is chosen; `at` is the branch's number in the
    /// schema.
    #[must_use]
    pub fn with_branch(&self, at: Option<usize>) -> Self {
        let chosen = self.layers.iter().flat_map(|layer| {
            ["anyOf", "oneOf"]
                .into_iter()
                .filter_map(|union| layer.get(union)?.as_array()?.get(at?)?.as_object())
        });
        Self {
            layers: chosen.chain(self.layers.iter().copied()).collect(),
            settled: true,
            global: self.global,
        }
    }

    /// An option: `ui:NAME`, or `NAME` among the `ui:options`.
    fn find_option(&self, name: &str) -> Option<&'u Value> {
        let own = self.find_all(&format!("ui:{name}")).into_iter().next();
        own.or_else(|| {
            self.find_all("ui:options").into_iter().find_map(|options| options.get(name))
        })
        .or_else(|| self.global?.get(name))
    }

    fn text_option(&self, name: &str) -> Option<&'u str> {
        self.find_option(name).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    fn is_option_true(&self, name: &str) -> bool {
        self.find_option(name) == Some(&Value::Bool(true))
    }

    /// The field is not to be seen; its value stays as it is.
    #[must_use]
    pub fn is_hidden(&self) -> bool {
        self.has_widget("hidden")
    }

    fn has_widget(&self, widget: &str) -> bool {
        let known = self.text_option("widget").and_then(widget_called);
        known.is_some_and(|(name, _)| *name == widget)
    }

    /// The field is shown without its label.
    #[must_use]
    pub fn hides_label(&self) -> bool {
        self.find_option("label") == Some(&Value::Bool(false))
    }

    fn field_hints(&self) -> Hints {
        let rows =
            self.find_option("rows").and_then(Value::as_u64).map(|rows| rows.clamp(1, MOST_ROWS));
        let forbids = |name: &str| self.find_option(name) == Some(&Value::Bool(false));
        Hints {
            rows: rows.and_then(|rows| u16::try_from(rows).ok()),
            empty_value: self.find_option("emptyValue").cloned(),
            as_json: self.has_widget(JSON),
            locks: Locks {
                add: forbids("addable"),
                order: forbids("orderable"),
                remove: forbids("removable"),
            },
        }
    }

    #[must_use]
    pub fn title(&self) -> Option<&'u str> {
        self.text_option("title")
    }

    /// Puts names in the wanted order: those named first, the others at the `*`, or without one at
    /// the end.
    pub fn sort_members<T>(&self, members: &mut [T], name: impl Fn(&T) -> &str) {
        let Some(order) = self.find_option("order").and_then(Value::as_array) else { return };
        let order: Vec<&str> = order.iter().filter_map(Value::as_str).collect();
        let rest = order.iter().position(|word| *word == "*").unwrap_or(order.len());
        members.sort_by_key(|member| {
            order.iter().position(|word| *word == name(member)).unwrap_or(rest)
        });
    }

    /// The node as it is to be shown; nothing where it is to be shown as it is.
    #[must_use]
    pub fn amend_node(&self, node: &Node) -> Option<Node> {
        if self.is_empty() {
            return None;
        }
        let mut shown = node.clone();
        if let Some(title) = self.title() {
            shown.title = Some(title.into());
        }
        if let Some(description) = self.text_option("description") {
            shown.description = Some(description.into());
        }
        if let Some(help) = self.text_option("help") {
            let before =
                shown.description.as_deref().map_or_else(String::new, |text| format!("{text}\n\n"));
            shown.description = Some(format!("{before}{help}").into());
        }
        shown.placeholder = self.text_option("placeholder").map(Arc::from).or(shown.placeholder);
        shown.read_only |= self.is_option_true("readonly") || self.is_option_true("disabled");
        shown.hints = self.field_hints();
        let widget = self.text_option("widget").and_then(widget_called);
        if let Some((_, Some(format))) = widget {
            shown.text.format = Some((*format).into());
        }
        if let Some(names) = self.find_option("enumNames").and_then(Value::as_array) {
            shown.choices = shown.choices.map(|choices| name_choices(&choices, names));
        }
        if let Some(disabled) = self.find_option("enumDisabled").and_then(Value::as_array) {
            shown.choices = shown.choices.map(|choices| without_disabled(&choices, disabled));
        }
        (shown != *node).then_some(shown)
    }
}

/// The node as a uiSchema wants it shown.
#[must_use]
pub(crate) fn apply_ui_schema(node: Arc<Node>, ui: &Ui<'_>) -> Arc<Node> {
    ui.amend_node(&node).map_or(node, Arc::new)
}

fn name_choices(choices: &Choices, names: &[Value]) -> Arc<Choices> {
    let mut choices = choices.clone();
    for (option, name) in choices.options.iter_mut().zip(names) {
        option.title = name.as_str().map(Arc::from).or_else(|| option.title.take());
    }
    Arc::new(choices)
}

/// The choices without those that may not be taken.
fn without_disabled(choices: &Choices, disabled: &[Value]) -> Arc<Choices> {
    let mut choices = choices.clone();
    choices
        .options
        .retain(|option| !disabled.iter().any(|value| values_equal(value, &option.value)));
    Arc::new(choices)
}

/// What in a uiSchema means nothing here, each in a sentence with its place.
#[must_use]
pub(crate) fn ignored_options(ui: &Value) -> Vec<String> {
    let mut notes = Vec::new();
    collect_notes(ui, "", &mut notes);
    notes
}

fn collect_notes(ui: &Value, at: &str, notes: &mut Vec<String>) {
    match ui {
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(row, item)| collect_notes(item, &format!("{at}/{row}"), notes)),
        Value::Object(members) => {
            members.iter().for_each(|(name, member)| match name.strip_prefix("ui:") {
                Some("options") => {
                    let options = member.as_object().into_iter().flatten();
                    options.for_each(|(name, option)| check_option(name, option, at, notes));
                }
                Some(name) => check_option(name, member, at, notes),
                None => collect_notes(member, &format!("{at}/{name}"), notes),
            });
        }
        _ => {}
    }
}

fn check_option(name: &str, option: &Value, at: &str, notes: &mut Vec<String>) {
    let place = if at.is_empty() { "/" } else { at };
    if name == "widget" {
        match option.as_str().and_then(widget_called) {
            None => notes.push(format!(
                "{place}: the widget {option} is not known here; the schema's own is used"
            )),
            Some((plain, _)) if PLAIN.contains(plain) => {
                notes.push(format!("{place}: the widget {option} has no effect in a terminal; the schema's own is used"));
            }
            Some(_) => {}
        }
    } else if name == "field" && option != "hidden" {
        notes.push(format!(
            "{place}: ui:field has no effect: a terminal has no components of its own"
        ));
    } else if !KNOWN.contains(&name) && !OF_PAGES.contains(&name) {
        notes.push(format!("{place}: ui:{name} is not known here and has no effect"));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn options_stand_with_their_prefix_or_among_the_options() {
        let ui = json!({"a": {"ui:widget": "hidden"}, "b": {"ui:options": {"widget": "hidden"}}, "c": {"ui:widget": "textarea"}});
        let ui = Ui::new(Some(&ui));
        assert!(ui.member("a").is_hidden() && ui.member("b").is_hidden());
        assert!(!ui.member("c").is_hidden() && !ui.member("d").is_hidden());
    }

    #[test]
    fn the_order_has_a_place_for_the_rest() {
        let sorted = |ui: Value| {
            let mut names = vec!["a", "b", "c", "d"];
            Ui::new(Some(&ui)).sort_members(&mut names, |name| name);
            names.concat()
        };
        assert_eq!(sorted(json!({"ui:order": ["d", "*", "a"]})), "dbca");
        assert_eq!(sorted(json!({"ui:order": ["c", "nope"]})), "cabd");
        assert_eq!(sorted(json!({"ui:options": {"order": ["b", "*"]}})), "bacd");
        assert_eq!(sorted(json!({})), "abcd");
    }

    #[test]
    fn the_branch_that_is_chosen_speaks_alone_and_before_it_all_may() {
        let ui = json!({"anyOf": [{"x": {"ui:widget": "hidden"}}, {"x": {"ui:title": "X"}}]});
        let ui = Ui::new(Some(&ui));
        assert!(ui.member("x").is_hidden());
        let second = ui.with_branch(Some(1));
        assert!(!second.member("x").is_hidden());
        assert_eq!(second.member("x").title(), Some("X"));
    }

    #[test]
    fn items_and_entries_have_theirs() {
        let ui = json!({"items": {"a": {"ui:title": "A"}}, "additionalProperties": {"ui:title": "B"}, "t": {"items": [{}, {"ui:title": "C"}]}});
        let ui = Ui::new(Some(&ui));
        assert_eq!(ui.item(3).member("a").title(), Some("A"));
        assert_eq!(ui.named_member("any").title(), Some("B"));
        assert_eq!(ui.member("t").item(1).title(), Some("C"));
    }

    #[test]
    fn options_for_all_fields_hold_until_one_says_otherwise() {
        let ui = json!({"ui:globalOptions": {"label": false, "addable": false}, "b": {"ui:label": true, "c": {}}});
        let ui = Ui::new(Some(&ui));
        assert!(
            ui.member("a").hides_label()
                && !ui.member("b").hides_label()
                && ui.member("b").member("c").hides_label()
        );
        assert!(ui.member("a").item(0).field_hints().locks.add);
    }

    #[test]
    fn components_of_react_jsonschema_form_are_known_by_their_names() {
        for (name, known) in [
            ("TextareaWidget", "textarea"),
            ("AltDateTimeWidget", "altdatetime"),
            ("URLWidget", "url"),
            ("UpDownWidget", "updown"),
        ] {
            assert_eq!(widget_called(name).map(|(name, _)| *name), Some(known));
        }
        assert_eq!(widget_called("MyWidget"), None);
        assert!(
            Ui::new(Some(&json!({"a": {"ui:widget": "HiddenWidget"}}))).member("a").is_hidden()
        );
    }

    #[test]
    fn what_is_not_known_is_told_with_its_place() {
        let told = ignored_options(
            &json!({"a": {"ui:widget": "my-map", "ui:gizmo": 1, "ui:options": {"rows": 3}}, "ui:order": ["a"]}),
        );
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told.iter().all(|note| note.starts_with("/a: ")));
    }
}
