//! The fields of a connector: addresses, headers and bodies of its actions.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::pieces::{first_names, remark, text_pieces, unsampled_remark};
use crate::{
    schema::pointer::Pointer,
    systems::{
        facets::templates::{FieldRemark, FieldText, PieceOrigin, RemarkLevel, Samples, TextPiece},
        opensearch::{
            connector::{
                address::{AddressError, render_address},
                body::{BodyError, NO_ESCAPE, prepare_parameters, render_body},
                headers::takes_parameters,
            },
            keys,
            strict_json::is_structured,
            template::{
                marks::{CREDENTIAL, PARAMETERS},
                parse::{Part, find_placeholders, parse_template},
                render::{Rendered, render_template},
                text_map::{TextMap, stringify_values, text_of},
            },
        },
    },
};

const URL: &str = "url";
const HEADERS: &str = "headers";

/// The actions of a connector, each with its place.
fn placed_actions(entry: &Value) -> impl Iterator<Item = (Pointer, &Value)> {
    let items = entry.get(keys::ACTIONS).and_then(Value::as_array);
    let home = Pointer::root().child(keys::ACTIONS);
    items.into_iter().flatten().enumerate().map(move |(row, item)| (home.item(row), item))
}

fn own_parameters(entry: &Value) -> TextMap {
    let own = entry.get(keys::PARAMETERS).and_then(Value::as_object);
    own.map(stringify_values).unwrap_or_default()
}

/// A schema of the names that a connector's templates ask for.
pub(super) fn asked_schema(entry: &Value) -> Value {
    let own = own_parameters(entry);
    let mut properties = Map::new();
    for (_, action) in placed_actions(entry) {
        let headers = action.get(HEADERS).and_then(Value::as_object);
        let headers = headers.into_iter().flat_map(|headers| headers.values());
        let texts = [URL, keys::REQUEST_BODY].into_iter().filter_map(|name| action.get(name));
        for text in texts.chain(headers).filter_map(Value::as_str) {
            for found in find_placeholders(text, PARAMETERS) {
                let mut property = json!({"type": "string"});
                if let Some(default) = text_of(&own, found.name).or(found.default) {
                    property["description"] = format!("Default: {default}").into();
                }
                properties.entry(found.name.to_owned()).or_insert(property);
            }
        }
    }
    json!({"type": "object", "properties": properties})
}

/// What the templates of a connector come to.
pub(super) fn connector_texts(entry: &Value, samples: &Samples) -> Vec<FieldText> {
    let fields = ConnectorFields {
        protocol: entry.get(keys::PROTOCOL).and_then(Value::as_str),
        own: own_parameters(entry),
        given: stringify_values(&samples.parameters),
    };
    let prepared = prepare_parameters(&fields.own, &fields.given);
    let mut texts = Vec::new();
    for (at, action) in placed_actions(entry) {
        let text = |name: &str| action.get(name).and_then(Value::as_str);
        if let Some(url) = text(URL).filter(|text| text.contains(PARAMETERS)) {
            texts.push(fields.url_text(at.child(URL), url, &prepared));
        }
        let headers = action.get(HEADERS).and_then(Value::as_object);
        for (name, value) in headers.into_iter().flatten() {
            let value = value.as_str().unwrap_or_default();
            if value.contains(PARAMETERS) || value.contains(CREDENTIAL) {
                let at = at.child(HEADERS).child(name.as_str());
                texts.push(fields.header_text(at, (name, value), &prepared));
            }
        }
        if let Some(body) = text(keys::REQUEST_BODY).filter(|text| text.contains(PARAMETERS)) {
            texts.push(fields.body_text(at.child(keys::REQUEST_BODY), body, &prepared));
        }
    }
    texts
}

struct ConnectorFields<'c> {
    protocol: Option<&'c str>,
    /// Its defaults.
    own: TextMap,
    /// What the request gives.
    given: TextMap,
}

impl ConnectorFields<'_> {
    fn origin_of(&self, name: &str) -> PieceOrigin {
        if self.given.contains_key(name) { PieceOrigin::Request } else { PieceOrigin::Tool }
    }

    fn pieces(&self, rendered: &Rendered) -> Vec<TextPiece> {
        text_pieces(rendered, &|name| self.origin_of(name))
    }

    fn url_text(&self, at: Pointer, url: &str, prepared: &TextMap) -> FieldText {
        let (rendered, mut remarks) = match render_address(url, prepared) {
            Ok(rendered) => (rendered, Vec::new()),
            Err(AddressError::BadUrl { rendered, why }) => {
                let is_filled = rendered.unfilled_names().is_empty();
                let words = format!("this isn't a URL: {why}");
                let why = is_filled.then(|| remark(RemarkLevel::Warning, words));
                (rendered, why.into_iter().collect())
            }
            Err(AddressError::Template(error)) => {
                (Rendered::default(), vec![remark(RemarkLevel::Error, error.message())])
            }
        };
        remarks.extend(unsampled_remark(&rendered.unfilled_names()));
        FieldText { at, pieces: self.pieces(&rendered), remarks }
    }

    fn header_text(
        &self,
        at: Pointer,
        (name, value): (&str, &str),
        prepared: &TextMap,
    ) -> FieldText {
        let mut remarks = Vec::new();
        if value.contains(PARAMETERS) && !takes_parameters(name, self.protocol) {
            remarks.push(remark(RemarkLevel::Error, "parameters are not allowed in this header"));
        }
        let mut pieces = Vec::new();
        // Credentials are the cluster's own: their names stand for them.
        for part in parse_template(value, CREDENTIAL) {
            match part {
                Part::Placeholder(credential) => pieces.push(TextPiece {
                    text: value[credential.range].to_owned(),
                    origin: PieceOrigin::Environment,
                    name: Some(credential.name.to_owned()),
                }),
                Part::Text(text) => match render_template(text, PARAMETERS, prepared) {
                    Ok(rendered) => {
                        remarks.extend(unsampled_remark(&rendered.unfilled_names()));
                        pieces.extend(self.pieces(&rendered));
                    }
                    Err(error) => remarks.push(remark(RemarkLevel::Error, error.message())),
                },
            }
        }
        FieldText { at, pieces, remarks }
    }

    fn body_text(&self, at: Pointer, body: &str, prepared: &TextMap) -> FieldText {
        let (rendered, nulled, error) = match render_body(body, prepared) {
            Ok(body) => (body.rendered, body.nulled, None),
            Err(BodyError::InvalidPayload(rendered)) => {
                // What is missing may be what makes JSON of it.
                let is_whole = rendered.unfilled_names().is_empty();
                let error = is_whole.then(|| "this isn't a JSON object or array".to_owned());
                (rendered, Vec::new(), error)
            }
            Err(BodyError::Unfilled(_, rendered)) => (rendered, Vec::new(), None),
            Err(BodyError::Template(error)) => {
                (Rendered::default(), Vec::new(), Some(error.message()))
            }
        };
        let mut remarks: Vec<FieldRemark> =
            error.into_iter().map(|why| remark(RemarkLevel::Warning, why)).collect();
        remarks.extend(unsampled_remark(&rendered.unfilled_names()));
        if !nulled.is_empty() {
            let names: Vec<&str> = nulled.iter().map(String::as_str).collect();
            let verb = if names.len() == 1 { "is" } else { "are" };
            let names = first_names(&names);
            let words = format!("{names} {verb} missing: null is sent there, without the quotes");
            remarks.push(remark(RemarkLevel::Rule, words));
        }
        remarks.extend(self.value_remarks(body, prepared));
        FieldText { at, pieces: self.pieces(&rendered), remarks }
    }

    /// What happens to values of the request on their way into a body.
    fn value_remarks(&self, body: &str, prepared: &TextMap) -> Vec<FieldRemark> {
        let named: HashSet<&str> =
            find_placeholders(body, PARAMETERS).into_iter().map(|found| found.name).collect();
        let kept: HashSet<&str> = text_of(&self.given, NO_ESCAPE)
            .map(|kept| kept.split(',').map(str::trim).collect())
            .unwrap_or_default();
        let (mut structured, mut unescaped, mut escaped, mut holding) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (name, value) in &self.given {
            let (name, value) = (name.as_str(), value.as_deref().unwrap_or_default());
            if !named.contains(name) {
                continue;
            }
            if is_structured(value) {
                structured.push(name);
            } else if kept.contains(name) {
                unescaped.push(name);
            } else if text_of(prepared, name) != Some(value) {
                escaped.push(name);
            }
            if value.contains(PARAMETERS) {
                holding.push(name);
            }
        }
        let of = |names: &[&str], level, words: &dyn Fn(&str, bool) -> String| {
            let text = words(&first_names(names), names.len() == 1);
            (!names.is_empty()).then(|| remark(level, text))
        };
        let go = |is_one: bool| if is_one { "goes" } else { "go" };
        let remarks = [
            of(&structured, RemarkLevel::Rule, &|names, is_one| {
                let what = if is_one { "an object or a list" } else { "objects or lists" };
                format!("{names} {} in unescaped: {what}", go(is_one))
            }),
            of(&unescaped, RemarkLevel::Rule, &|names, is_one| {
                format!("{names} {} in unescaped: named in {NO_ESCAPE}", go(is_one))
            }),
            of(&escaped, RemarkLevel::Rule, &|names, is_one| {
                format!("{names} {} escaped", if is_one { "is" } else { "are" })
            }),
            of(&holding, RemarkLevel::Warning, &|names, _| {
                format!("the value of {names} has a placeholder, which is filled in, too")
            }),
        ];
        remarks.into_iter().flatten().collect()
    }
}
