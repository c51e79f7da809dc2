//! A text typed into a union of plain values: it goes to the branch that fits it.

use std::sync::Arc;

use serde_json::Value;

use super::{
    cell::{ANYWHERE, Answer, Ask, Cell, Click, ClickArea, DrawContext, Editor},
    clip::{clip_answer, requested_clip},
    text::draw_line,
    view::{Form, FormReply},
};
use crate::{
    app::input::{Code, Input},
    schema::{
        fields::{Field, Part, Presence, Role},
        kind::Kind,
        literal::Literal,
        node::{Node, PlaceId, Types},
        parse,
        pointer::Pointer,
    },
    syntax::edit::Edit,
    ui::widgets::text_input::TextInput,
};

/// A branch that one types a value for.
struct Route {
    branch: usize,
    node: Arc<Node>,
    /// Its place in the schema.
    pointer: Option<Arc<str>>,
}

/// The branches of a union that one types a value for.
pub(super) struct Routes {
    place: PlaceId,
    /// What a value may be beside those.
    types: Types,
    routes: Vec<Route>,
}

impl Route {
    fn accepts_value(&self, value: &Value) -> bool {
        let listed = |value: &Value| {
            let closed = self.node.choices.as_ref().filter(|choices| !choices.open);
            closed.is_none_or(|choices| choices.options.iter().any(|option| option.value == *value))
        };
        self.node.types.admits(value) && listed(value)
    }
}

/// What a typed text can mean.
fn possible_literals(text: &str) -> impl Iterator<Item = Literal> {
    let flag = match text.trim() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    };
    let number = parse::parse_number(text, false).ok();
    number.into_iter().chain(flag.map(|flag| Value::Bool(flag).into())).chain([Literal::from(text)])
}

impl Form {
    /// The branches at a place that one types a value for.
    pub(super) fn routes(&self, at: &Pointer) -> Option<Routes> {
        let is_switch =
            |field: &&Field| field.pointer == *at && matches!(field.part, Part::Switch(_));
        let field = self.fields.iter().find(is_switch)?;
        let Part::Switch(place) = field.part else { return None };
        let union = field.node.unions.iter().find(|union| union.place == place)?;
        let route = |(branch, target): (usize, &PlaceId)| {
            let node = self.schema.node(&field.node.key.with_branch(place, *target));
            let types = node.shown_types();
            let is_typed = [Types::TEXT, Types::NUMBER, Types::INTEGER, Types::BOOLEAN]
                .iter()
                .any(|one| types.contains(*one));
            let plain = node.unions.is_empty()
                && node.constant.is_none()
                && !node.never
                && !node.read_only
                && !node.write_only;
            (is_typed && plain).then(|| Route {
                branch,
                node,
                pointer: self.schema.pointer(*target),
            })
        };
        let routes: Vec<Route> = union.branches.iter().enumerate().filter_map(route).collect();
        let types = field.node.types;
        (!routes.is_empty()).then_some(Routes { place, types, routes })
    }

    /// The value that a text means: for the preferred branch where that takes it, else for the
    /// first that does.
    fn routed_value(&self, routes: &Routes, text: &str, prefer: Option<usize>) -> Option<Literal> {
        let meant = |types: Types, literal: &Literal| match literal.value() {
            Value::String(_) => types.contains(Types::TEXT),
            _ => !types.contains(Types::TEXT),
        };
        let preferred = routes.routes.iter().find(|route| Some(route.branch) == prefer);
        let own = preferred.and_then(|route| {
            possible_literals(text).find(|literal| {
                meant(route.node.types, literal) && route.accepts_value(literal.value())
            })
        });
        own.or_else(|| {
            let allows = |route: &Route, value: &Value| {
                let fits = route
                    .pointer
                    .as_deref()
                    .zip(self.checker.as_ref())
                    .map(|(part, checker)| checker.fits_part(part, value));
                fits != Some(Some(false))
            };
            let first = |strict: bool| {
                possible_literals(text).find(|literal| {
                    let value = literal.value();
                    routes.routes.iter().any(|route| {
                        route.accepts_value(value) && (!strict || allows(route, value))
                    })
                })
            };
            first(true).or_else(|| first(false))
        })
    }

    /// Whether a text typed at a switch becomes its value: nobody chose one yet.
    pub(super) fn takes_text(&self, field: &Field) -> bool {
        let unchosen = field.presence != Presence::Set || self.fresh.contains_key(&field.pointer);
        matches!(field.part, Part::Switch(_))
            && unchosen
            && !field.node.read_only
            && self.routes(&field.pointer).is_some()
    }

    /// Whether a number can be typed at a row.
    pub(super) fn takes_number(&self, field: &Field) -> bool {
        let is_number = |route: &Route| route.node.shown_types().contains(Types::INTEGER);
        let routes = || self.routes(&field.pointer).filter(|_| self.takes_text(field));
        matches!(field.kind, Kind::Number { .. })
            || routes().is_some_and(|routes| routes.routes.iter().any(is_number))
    }

    /// The branch that the user picked, or that the value has which the user gave.
    fn preferred_branch(&self, routes: &Routes, at: &Pointer) -> Option<usize> {
        if let Some(pick) = self.view.picks.get(&(at.clone(), routes.place)) {
            return Some(*pick);
        }
        let unchosen =
            at.get(&self.value).is_none_or(Value::is_null) || self.fresh.contains_key(at);
        let is_switch =
            |field: &&Field| field.pointer == *at && field.part == Part::Switch(routes.place);
        match &self.fields.iter().find(is_switch)?.kind {
            Kind::Variant { chosen, .. } if !unchosen => *chosen,
            _ => None,
        }
    }

    /// The editor of a union's value where no branch was chosen.
    pub(super) fn union_editor(&self, cell: &Cell<'_>) -> Option<Box<dyn Editor>> {
        let typed =
            matches!(cell.field.kind, Kind::Text(_) | Kind::Number { .. } | Kind::Choice(_));
        if cell.field.part != Part::Value || !typed {
            return None;
        }
        let routes = self.routes(&cell.field.pointer).filter(|routes| routes.routes.len() > 1)?;
        if self.preferred_branch(&routes, &cell.field.pointer).is_some() {
            return None;
        }
        let (input, types) = (cell.text_input(), routes.types);
        Some(Box::new(UnionLine { input, prefer: None, types }))
    }

    /// Takes a text that is typed into the union at a place, and moves the focus into its value.
    pub(super) fn type_into(&mut self, at: &Pointer, text: &str) -> FormReply {
        let Some(routes) = self.routes(at) else { return FormReply::Handled };
        let first = self.view.picks.get(&(at.clone(), routes.place)).copied();
        // While it is typed, a text may come to fit a branch that was meant from the start.
        let prefer = match self.editor.as_ref().filter(|editor| editor.routes_text()) {
            Some(editor) => editor.preferred_branch(),
            None => first.or_else(|| self.preferred_branch(&routes, at)),
        };
        let reply = match self.routed_value(&routes, text, prefer) {
            Some(to) => self.commit_edits(vec![Edit::Set { at: at.clone(), to }]),
            None => {
                let branch = prefer
                    .or_else(|| routes.routes.first().map(|route| route.branch))
                    .unwrap_or_default();
                self.view.picks.entry((at.clone(), routes.place)).or_insert(branch);
                self.drafts
                    .insert(at.clone(), (text.to_owned(), "matches none of the kinds yet".into()));
                self.relayout_fields();
                FormReply::Handled
            }
        };
        self.reveal_field(at);
        let is_line = self.editor.as_ref().is_some_and(|editor| editor.routes_text());
        if !is_line {
            let (input, types) = (TextInput::new(text), routes.types);
            self.editor = Some(Box::new(UnionLine { input, prefer, types }));
        }
        self.resting = false;
        reply
    }

    /// Takes a text that the branch of the union at a place does not take, where another branch
    /// does.
    pub(super) fn other_branch(&mut self, at: &Pointer, text: &str) -> Option<FormReply> {
        let routes = self.routes(at)?;
        let prefer = self.preferred_branch(&routes, at);
        self.routed_value(&routes, text, prefer)?;
        Some(self.type_into(at, text))
    }
}

/// The text is routed by the form at every key.
struct UnionLine {
    input: TextInput,
    /// The branch that the text is for as long as that takes it.
    prefer: Option<usize>,
    /// What the union takes.
    types: Types,
}

impl UnionLine {
    /// The null, list or object that the whole text is as JSON, where the union takes such.
    fn json_value(&self) -> Option<Literal> {
        let literal = Literal::parse(self.input.text().trim()).ok()?;
        let value = literal.value();
        let is_part = value.is_null() || value.is_array() || value.is_object();
        (is_part && self.prefer.is_none() && self.types.admits(value)).then_some(literal)
    }

    fn apply_typed(&self, cell: &Cell<'_>, before: &str, removes: bool) -> Answer {
        let text = self.input.text();
        if text == before && !removes {
            return Answer::Handled;
        }
        if !text.is_empty() {
            return Answer::Ask(Ask::Type(text.to_owned()));
        }
        match cell.field.role {
            Role::Member => cell.unset_value(),
            _ => Answer::Draft { text: String::new(), words: "a value is expected here".into() },
        }
    }
}

impl Editor for UnionLine {
    fn draw(&mut self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
        draw_line(&mut self.input, cell, context, "");
        vec![context.line_hit(0, ANYWHERE)]
    }

    fn is_typing(&self) -> bool {
        true
    }

    fn routes_text(&self) -> bool {
        true
    }

    fn preferred_branch(&self) -> Option<usize> {
        self.prefer
    }

    fn handle_input(&mut self, cell: &Cell<'_>, input: &Input) -> Answer {
        let before = self.input.text().to_owned();
        if let Some(clip) = requested_clip(input) {
            let taken = self.input.take_clip(clip);
            return clip_answer(clip, taken, || self.apply_typed(cell, &before, true));
        }
        match input {
            Input::Key(key) if key.is_plain(Code::Enter) => Answer::Ask(Ask::Next),
            Input::Key(key) if self.input.handle_key(*key) => {
                let removes = matches!(key.code, Code::Backspace | Code::Delete)
                    && self.input.text().is_empty();
                self.apply_typed(cell, &before, removes)
            }
            Input::Paste(text) if !text.trim().contains('\n') => {
                self.input.insert(text.trim());
                self.apply_typed(cell, &before, false)
            }
            _ => Answer::Ignored,
        }
    }

    fn handle_click(&mut self, _cell: &Cell<'_>, click: Click) -> Answer {
        if let Click::At { column, .. } = click {
            self.input.click(usize::from(column));
        }
        Answer::Handled
    }

    fn handle_drag(&mut self, _cell: &Cell<'_>, _line: i32, column: i32) -> Answer {
        self.input.drag(column);
        Answer::Handled
    }

    fn key_hints(&self, _cell: &Cell<'_>) -> Vec<(&'static str, &'static str)> {
        match self.json_value() {
            Some(_) => vec![("Enter", "accept as JSON")],
            None => vec![("Enter", "accept")],
        }
    }

    // While it is typed it is a text: half of a list is none.
    fn on_leave(&mut self, cell: &Cell<'_>) -> Answer {
        match self.json_value() {
            Some(literal) if cell.draft.is_some() || cell.value.is_some_and(Value::is_string) => {
                cell.set_value(literal)
            }
            _ => Answer::Handled,
        }
    }

    fn sync_value(&mut self, cell: &Cell<'_>) {
        let text = cell.value_text();
        if text != self.input.text()
            && parse::parse_number(self.input.text(), false)
                .ok()
                .map(|typed| typed.value().clone())
                .as_ref()
                != cell.value
        {
            self.input = TextInput::new(text);
        }
    }
}
