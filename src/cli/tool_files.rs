//! Documents with tools that are no files of a workspace: OpenAPI documents, lists of functions, JSON
//! Schemas and Python, from files and from standard input.

use std::{io::Read as _, path::Path};

use serde_json::Value;

use crate::{
    engine::portable::{
        baggage::Baggage,
        formats::find_list,
        python::functions::{has_function, is_python, read_functions},
        schema_tool::read_schema,
    },
    model::problem::{Problem, ProblemKind},
    store::files,
    syntax::{
        place::SyntaxError,
        source::{Format, Source},
    },
    systems::convert,
};

/// Standard input as a file.
pub(super) const STDIN: &str = "-";

/// Tools, and what of their document isn't read.
type Packed = (Vec<Baggage>, Vec<String>);

/// The tools of a document; of Python those of these names alone, where there are some, as another
/// may be one that can't be read.
pub(super) fn read_tools(file: &str, text: &str, names: &[String]) -> Result<Packed, Problem> {
    let is_unnamed = Format::from_path(Path::new(file)).is_none();
    if file.ends_with(".py") || is_unnamed && is_python(text) {
        return read_functions(text, names).map_err(|why| refused(file, why));
    }
    let value = match read_value(file, text) {
        Ok(value) => value,
        Err(_) if is_unnamed && has_function(text) => {
            return read_functions(text, names).map_err(|why| refused(file, why));
        }
        Err(error) => return Err(refused(file, error.to_string())),
    };
    let (packed, unread) = match pack_value(file, &value)? {
        Some(found) => found,
        None => {
            let tool = read_schema(&value).ok_or_else(|| no_tools(file))?;
            (vec![tool.map_err(|why| refused(file, why))?], Vec::new())
        }
    };
    if packed.is_empty() {
        let cause = unread.into_iter().next_back();
        return Err(refused(file, cause.unwrap_or_else(|| "it has no operations".to_owned())));
    }
    Ok((packed, unread))
}

/// The tools of a document's value, none of an empty list; `None` where it is neither an OpenAPI
/// document nor a list.
pub(super) fn pack_value(file: &str, value: &Value) -> Result<Option<Packed>, Problem> {
    if let Some(version) = value.get("swagger") {
        let version = version.as_str().map_or_else(|| version.to_string(), str::to_owned);
        let cause = format!("it is Swagger {version}, and only OpenAPI 3 is read");
        return Err(refused(file, cause)
            .with_remedy("convert it to OpenAPI 3 first, for example at converter.swagger.io"));
    }
    Ok(convert::pack_document(value))
}

/// Whether a value is a list without any item.
pub(super) fn is_empty_list(value: &Value) -> bool {
    find_list(value).is_some_and(|(_, list)| list.is_empty())
}

pub(super) fn no_tools(file: &str) -> Problem {
    refused(file, "it is neither an OpenAPI document nor a list of functions".to_owned())
        .with_remedy("a JSON Schema of an object and Python functions are read, too")
}

pub(super) fn refused(file: &str, cause: String) -> Problem {
    Problem::new(ProblemKind::Input, format!("reading {file}"), cause)
}

/// The value of a document in JSON or YAML: in the format that its name says, else the one that its
/// text looks like.
pub(super) fn read_value(file: &str, text: &str) -> Result<Value, SyntaxError> {
    let looks_like_json = text.trim_start().starts_with(['{', '[']);
    let named = Format::from_path(Path::new(file));
    let likely = if looks_like_json { Format::Json } else { Format::Yaml };
    let format = named.unwrap_or(likely);
    let parse = |format| {
        let source = Source::parse(format, text)?;
        Ok(source.value(0).map_or(Value::Null, |value| Value::clone(value)))
    };
    let read = parse(format);
    let is_broken_json = looks_like_json && matches!(named, None | Some(Format::Json));
    match &read {
        Ok(value) if !value.is_string() => read,
        Err(_) if is_broken_json => read,
        // A name can be wrong.
        _ => [Format::Json, Format::Yaml]
            .into_iter()
            .filter_map(|other| parse(other).ok())
            .find(|value| value.is_object() || value.is_array())
            .map_or(read, Ok),
    }
}

/// The text of a file, or of standard input.
pub(super) fn read_text(file: &str) -> Result<String, Problem> {
    let read = if file == STDIN {
        let mut text = String::new();
        let read = std::io::stdin().read_to_string(&mut text);
        read.map(|_| text).map_err(|error| error.to_string())
    } else {
        let read = files::read_text(Path::new(file));
        read.map(|read| read.text.to_string()).map_err(|problem| problem.cause)
    };
    read.map_err(|cause| {
        Problem::new(ProblemKind::Input, format!("reading {file}"), cause).with_remedy(
            "give a file with an OpenAPI document, a list of functions, a JSON Schema, Python \
             functions or OpenSearch tools, or - for standard input",
        )
    })
}
