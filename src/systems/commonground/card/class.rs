//! The classes of contents that the store knows, and the members of each.

use serde_json::Value;

use crate::syntax::python::text as python;

/// The member that names the class of a stored card's content; the API leaves it out.
pub(crate) const TAG: &str = "__type__";
pub(crate) const CALL_CONTENT: &str = "ToolCallContent";
pub(crate) const RESULT_CONTENT: &str = "ToolResultContent";

/// A class and its members.
pub(crate) struct Class {
    pub name: &'static str,
    needed: &'static [Member],
    optional: &'static [&'static [Member]],
}

type Member = (&'static str, fn(&Value) -> bool);

const CLASSES: &[Class] = &[
    Class { name: "TextContent", needed: &[("text", Value::is_string)], optional: &[] },
    Class {
        name: "JsonContent",
        needed: &[("data", |data| data.is_object() || data.is_array())],
        optional: &[],
    },
    Class {
        name: "FieldsSchemaContent",
        needed: &[("fields", |fields| all_items(fields, is_field))],
        optional: &[],
    },
    Class {
        name: "ToolContent",
        needed: &[("tools", |tools| all_items(tools, Value::is_object))],
        optional: &[],
    },
    Class {
        name: CALL_CONTENT,
        needed: &[
            ("tool_name", Value::is_string),
            ("arguments", Value::is_object),
            ("status", Value::is_string),
        ],
        optional: &[&[("target_subject", is_text)]],
    },
    Class {
        name: RESULT_CONTENT,
        needed: &[("status", Value::is_string), ("after_execution", Value::is_string)],
        optional: &[&[("result", is_anything), ("error", is_anything)]],
    },
    Class { name: "FileContent", needed: ADDRESSED, optional: &[FILE] },
    Class { name: "TextFileContent", needed: ADDRESSED, optional: &[FILE] },
    Class {
        name: "ImageFileContent",
        needed: ADDRESSED,
        optional: &[FILE, PICTURE, &[("format", is_text)]],
    },
    Class {
        name: "PdfFileContent",
        needed: ADDRESSED,
        optional: &[FILE, &[("page_count", is_size)]],
    },
    Class { name: "VideoFileContent", needed: ADDRESSED, optional: &[FILE, PICTURE, TRACK] },
    Class { name: "AudioFileContent", needed: ADDRESSED, optional: &[FILE, TRACK] },
    Class {
        name: "MultiFileContent",
        needed: &[("files", |files| python::is_true(files) && all_items(files, is_file))],
        optional: &[],
    },
];

const ADDRESSED: &[Member] = &[("uri", is_address), ("checksum", is_filled)];
const FILE: &[Member] = &[
    ("etag", is_text),
    ("size", is_size),
    ("content_type", is_text),
    ("expires_at", is_text),
    ("preview", is_anything),
];
const PICTURE: &[Member] = &[("width", is_length), ("height", is_length)];
const TRACK: &[Member] =
    &[("duration_seconds", is_length), ("codec", is_text), ("bitrate", is_length)];

/// The class of that name.
pub(crate) fn find_class(name: &str) -> Option<&'static Class> {
    CLASSES.iter().find(|class| class.name == name)
}

impl Class {
    /// The member of a content that is missing, of another kind, or not one of the class.
    pub fn fault(&self, content: &Value) -> Option<&'static str> {
        let is_right = |(name, is): &&Member| content.get(name).is_some_and(is);
        if let Some((name, _)) = self.needed.iter().find(|member| !is_right(member)) {
            return Some(name);
        }
        let is_absent = |(name, is): &&Member| content.get(name).is_none_or(is);
        let optional = || self.optional.iter().copied().flatten();
        if let Some((name, _)) = optional().find(|member| !is_absent(member)) {
            return Some(name);
        }
        let known = |name: &String| {
            name == TAG || self.needed.iter().chain(optional()).any(|(own, _)| own == name)
        };
        content.as_object()?.keys().any(|name| !known(name)).then_some("a member of its own")
    }
}

fn is_anything(_: &Value) -> bool {
    true
}

fn all_items(items: &Value, is: fn(&Value) -> bool) -> bool {
    items.as_array().is_some_and(|items| items.iter().all(is))
}

fn is_text(value: &Value) -> bool {
    value.is_string() || value.is_null()
}

fn is_filled(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.is_empty())
}

fn is_size(value: &Value) -> bool {
    value.is_null() || value.as_f64().is_some_and(|number| number >= 0.0)
}

fn is_length(value: &Value) -> bool {
    value.is_null() || value.as_f64().is_some_and(|number| number > 0.0)
}

/// A field of a schema of fields.
fn is_field(value: &Value) -> bool {
    let known = |name: &String| ["name", "description"].contains(&name.as_str());
    value.as_object().is_some_and(|members| members.keys().all(known))
        && value["name"].as_str().is_some_and(|name| !python::strip(name).is_empty())
        && value.get("description").is_none_or(Value::is_string)
}

fn is_file(value: &Value) -> bool {
    let is_one = |name: &str| name.ends_with("FileContent") && !name.starts_with("Multi");
    value[TAG]
        .as_str()
        .filter(|name| is_one(name))
        .and_then(find_class)
        .is_some_and(|class| class.fault(value).is_none())
}

/// Where the store lets files be: S3, and HTTPS with a host and a path.
fn is_address(value: &Value) -> bool {
    let Some((scheme, rest)) = value.as_str().and_then(|uri| uri.split_once("://")) else {
        return false;
    };
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    match scheme.to_ascii_lowercase().as_str() {
        "s3" if host == "localhost" => path
            .trim_start_matches('/')
            .split_once('/')
            .is_some_and(|(bucket, key)| !bucket.is_empty() && !key.is_empty()),
        "s3" => !host.is_empty() && !path.trim_start_matches('/').is_empty(),
        "https" => !host.is_empty() && !path.is_empty(),
        _ => false,
    }
}
