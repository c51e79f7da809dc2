//! The ways in which an edit can be written into a text, and whether what came out is what was
//! meant.

use serde_json::Value;

use super::{
    change::{self, Splice},
    draft::Draft,
    edit::{Edit, EditError},
    json::{self, dialect::Dialect, print::Layout},
    page::TextPage,
    place::Format,
    print, toml,
    tree::{Document, Node, Shape},
    yaml::{
        self,
        print::{ScalarFreedom, YamlStyle},
    },
};

/// How a text is written, learnt from what is there.
#[derive(Clone, Debug)]
pub(crate) enum TextStyle {
    Json(Layout),
    Yaml(YamlStyle),
}

impl TextStyle {
    /// The manner of a text of which `page` is enough to learn it from; `None` for TOML, where it
    /// is learnt in each place.
    pub fn from_page(
        page: &TextPage<'_>,
        format: Format,
        root: &Node,
        whole: &str,
    ) -> Option<Self> {
        match format {
            Format::Json | Format::Jsonc | Format::Json5 => Some(Self::Json(
                json::edit::learn_layout(page, root, Dialect::from_format(format), whole),
            )),
            Format::Yaml => Some(Self::Yaml(yaml::style::learn_style(page, root))),
            Format::Toml => None,
        }
    }
}

/// Ways to write an edit, the likeliest first; what each results in has to be read again.
/// `expected` is the value afterwards; `learned` is the manner to write in, `None` for TOML.
pub(crate) fn list_strategies(
    format: Format,
    text: &str,
    document: Option<&Document>,
    edit: &Edit,
    expected: &Value,
    learned: Option<&TextStyle>,
) -> Result<Vec<Vec<Splice>>, EditError> {
    let page = TextPage::new(text, format);
    let Some(document) = document else {
        return Ok(vec![first_document(&page, format, &Draft::of_value(expected))]);
    };
    let (root, plan) = (&document.root, change::plan_change(document, edit, expected)?);
    Ok(match learned {
        None => vec![toml::edit::write_change(&page, root, &plan, expected)?],
        Some(TextStyle::Json(layout)) => {
            vec![json::edit::write_change(&page, layout.clone(), &plan)]
        }
        Some(TextStyle::Yaml(manner)) => {
            let left = yaml::sharing::left_aliases(text, document, &plan);
            let edit = |caution| yaml::edit::write_change(&page, manner, &plan, &left, caution);
            let mut ways: Vec<_> = ScalarFreedom::ALL.into_iter().map(edit).collect();
            if !text.ends_with('\n') {
                // A block text at the end needs the line end that the file had not.
                ways.push(
                    edit(ScalarFreedom::Free)
                        .into_iter()
                        .chain([Splice::insert(text.len(), page.eol)])
                        .collect(),
                );
            }
            ways
        }
    })
}

/// Whether a document says what was meant. What comes from aliases follows its anchor and is not
/// asked.
pub(crate) fn matches_expected(document: &Document, expected: &Value) -> bool {
    *expected == *document.value || values_match(expected, &document.value, &document.root)
}

/// The first document of a text that holds none: behind the comments that are there.
fn first_document(page: &TextPage<'_>, format: Format, to: &Draft) -> Vec<Splice> {
    let text = print::print_whole(format, to, page.eol);
    let parting =
        if page.text.is_empty() || page.text.ends_with(['\n', '\u{feff}']) { "" } else { page.eol };
    vec![Splice::insert(page.text.len(), format!("{parting}{text}"))]
}

fn values_match(expected: &Value, actual: &Value, node: &Node) -> bool {
    match (&node.shape, expected, actual) {
        (Shape::Alias, ..) => true,
        (Shape::Scalar, ..) => expected == actual,
        (Shape::List { items, .. }, Value::Array(wanted), Value::Array(found)) => {
            wanted.len() == found.len()
                && wanted
                    .iter()
                    .zip(found)
                    .zip(items)
                    .all(|((wanted, found), item)| values_match(wanted, found, item))
        }
        (Shape::Object { members, .. }, Value::Object(wanted), Value::Object(found)) => {
            let merges = members.iter().any(|member| member.merge);
            let known = |key: &String| merges || wanted.contains_key(key);
            (merges || wanted.len() == found.len())
                && found.keys().all(known)
                && wanted.iter().all(|(key, wanted)| match (members.get(key), found.get(key)) {
                    (Some(member), Some(found)) => values_match(wanted, found, &member.value),
                    (None, _) => merges,
                    _ => false,
                })
        }
        _ => expected == actual,
    }
}
