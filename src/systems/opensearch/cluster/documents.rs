//! Indices and their documents: what `_doc`, `_search`, `_bulk`, `_count`, `_mapping` and
//! `_cat/indices` need.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{
    answer::{ClusterAnswer, ClusterRequest},
    search::answer_search,
};

/// Documents by index and id, in the order in which they came.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Documents {
    indices: BTreeMap<String, Vec<(String, Value)>>,
    last: usize,
}

impl Documents {
    pub fn put(&mut self, index: &str, id: &str, source: Value) -> &'static str {
        let documents = self.indices.entry(index.to_owned()).or_default();
        match documents.iter_mut().find(|(known, _)| known == id) {
            Some((_, there)) => {
                *there = source;
                "updated"
            }
            None => {
                documents.push((id.to_owned(), source));
                "created"
            }
        }
    }

    /// The names of the indices, with how many documents each has.
    pub fn counts(&self) -> impl Iterator<Item = (&str, usize)> {
        self.indices.iter().map(|(name, documents)| (name.as_str(), documents.len()))
    }

    /// The answer to a request for an index; `None` where the path leads to none.
    pub fn answer(&mut self, request: &ClusterRequest) -> Option<ClusterAnswer> {
        let segments = request.segments();
        let method = request.method.as_str();
        Some(match (method, segments.as_slice()) {
            ("GET" | "POST", ["_search"]) => self.answer_search("*", request),
            ("GET" | "POST", [index, "_search"]) => self.answer_search(index, request),
            ("GET" | "POST", [index, "_count"]) => match self.search(index, request) {
                Ok(found) => ClusterAnswer::json(
                    200,
                    json!({"count": found["hits"]["total"]["value"], "_shards": found["_shards"]}),
                ),
                Err(refused) => *refused,
            },
            ("PUT" | "POST", [index, "_doc" | "_create", id]) => self.index(index, id, request),
            ("POST", [index, "_doc"]) => {
                self.last += 1;
                let id = format!("toolcrib-{}", self.last);
                self.index(index, &id, request)
            }
            ("GET", [index, "_doc", id]) => self.get(index, id),
            ("DELETE", [index, "_doc", id]) => self.delete(index, id),
            ("POST" | "PUT", ["_bulk"]) => self.bulk(None, request),
            ("POST" | "PUT", [index, "_bulk"]) => self.bulk(Some(index), request),
            ("GET", ["_cat", "indices"]) => self.cat(request),
            ("GET", [index, "_mapping"]) => self.mapping(index),
            ("GET" | "POST", [_, "_refresh"]) => ClusterAnswer::json(
                200,
                json!({"_shards": {"total": 1, "successful": 1, "failed": 0}}),
            ),
            ("PUT", [index]) if !index.starts_with('_') => {
                self.indices.entry((*index).to_owned()).or_default();
                let done =
                    json!({"acknowledged": true, "shards_acknowledged": true, "index": index});
                ClusterAnswer::json(200, done)
            }
            ("HEAD", [index]) if !index.starts_with('_') => {
                let status = if self.indices.contains_key(*index) { 200 } else { 404 };
                ClusterAnswer::text(status, "")
            }
            ("DELETE", [index]) if !index.starts_with('_') => match self.indices.remove(*index) {
                Some(_) => ClusterAnswer::json(200, json!({"acknowledged": true})),
                None => no_index(index),
            },
            _ => return None,
        })
    }

    /// What a search of these indices finds.
    ///
    /// # Errors
    /// With the answer that refuses it.
    pub fn search(
        &self,
        index: &str,
        request: &ClusterRequest,
    ) -> Result<Value, Box<ClusterAnswer>> {
        let body = request.members()?;
        self.search_body(index, &body)
    }

    /// The same for a body that was read.
    ///
    /// # Errors
    /// As [`Self::search`].
    pub fn search_body(
        &self,
        index: &str,
        body: &Map<String, Value>,
    ) -> Result<Value, Box<ClusterAnswer>> {
        let patterns: Vec<&str> = index.split(',').collect();
        if let Some(missing) = patterns.iter().find(|name| {
            !name.contains('*') && **name != "_all" && !self.indices.contains_key(**name)
        }) {
            return Err(Box::new(no_index(missing)));
        }
        let is_wanted = |name: &str| patterns.iter().any(|pattern| fits_pattern(pattern, name));
        let mut rows = self.indices.iter().filter(|(name, _)| is_wanted(name)).flat_map(
            |(name, documents)| {
                documents.iter().map(move |(id, source)| (name.as_str(), id.as_str(), source))
            },
        );
        answer_search(&mut rows, body).map_err(|why| {
            let cause = json!({"type": "parsing_exception", "reason": why, "line": 1, "col": 1});
            Box::new(ClusterAnswer::from_causes(400, cause))
        })
    }

    fn answer_search(&self, index: &str, request: &ClusterRequest) -> ClusterAnswer {
        match self.search(index, request) {
            Ok(found) => ClusterAnswer::json(200, found),
            Err(refused) => *refused,
        }
    }

    fn index(&mut self, index: &str, id: &str, request: &ClusterRequest) -> ClusterAnswer {
        match request.members() {
            Ok(source) => {
                let result = self.put(index, id, source.into());
                let status = if result == "created" { 201 } else { 200 };
                ClusterAnswer::json(status, written(index, id, result))
            }
            Err(refused) => *refused,
        }
    }

    fn get(&self, index: &str, id: &str) -> ClusterAnswer {
        let Some(documents) = self.indices.get(index) else { return no_index(index) };
        match documents.iter().find(|(known, _)| known == id) {
            Some((_, source)) => ClusterAnswer::json(
                200,
                json!({"_index": index, "_id": id, "_version": 1, "found": true, "_source": source}),
            ),
            None => ClusterAnswer::json(404, json!({"_index": index, "_id": id, "found": false})),
        }
    }

    fn delete(&mut self, index: &str, id: &str) -> ClusterAnswer {
        let Some(documents) = self.indices.get_mut(index) else { return no_index(index) };
        let before = documents.len();
        documents.retain(|(known, _)| known != id);
        match documents.len() < before {
            true => ClusterAnswer::json(200, written(index, id, "deleted")),
            false => ClusterAnswer::json(404, written(index, id, "not_found")),
        }
    }

    /// Lines of actions, each with its document after it.
    fn bulk(&mut self, index: Option<&str>, request: &ClusterRequest) -> ClusterAnswer {
        let mut lines = request.body.lines().filter(|line| !line.trim().is_empty());
        let mut items = Vec::new();
        while let Some(line) = lines.next() {
            let action: Value = serde_json::from_str(line).unwrap_or_default();
            let Some((name, about)) = action.as_object().and_then(|action| action.iter().next())
            else {
                let cause = json!({"type": "illegal_argument_exception", "reason": "Malformed action/metadata line"});
                return ClusterAnswer::from_causes(400, cause);
            };
            let index = about["_index"].as_str().or(index).unwrap_or_default().to_owned();
            self.last += 1;
            let own = format!("toolcrib-{}", self.last);
            let id = about["_id"].as_str().unwrap_or(&own).to_owned();
            let (status, result) = if name == "delete" {
                (200, "deleted")
            } else {
                let source = lines.next().and_then(|line| serde_json::from_str(line).ok());
                (201, self.put(&index, &id, source.unwrap_or_default()))
            };
            if name == "delete" {
                self.delete(&index, &id);
            }
            let mut item = written(&index, &id, result);
            item["status"] = status.into();
            items.push(json!({ name.as_str(): item }));
        }
        ClusterAnswer::json(200, json!({"took": 1, "errors": false, "items": items}))
    }

    fn cat(&self, request: &ClusterRequest) -> ClusterAnswer {
        if request.query_value("format") == Some("json") {
            let row = |(name, count): (&str, usize)| {
                json!({"health": "green", "status": "open", "index": name, "pri": "1", "rep": "0",
                    "docs.count": count.to_string(), "docs.deleted": "0"})
            };
            return ClusterAnswer::json(200, self.counts().map(row).collect());
        }
        let row = |(name, count): (&str, usize)| format!("green open {name} 1 0 {count} 0\n");
        ClusterAnswer::text(200, self.counts().map(row).collect::<String>())
    }

    fn mapping(&self, index: &str) -> ClusterAnswer {
        let Some(documents) = self.indices.get(index) else { return no_index(index) };
        let mut properties = Map::new();
        for (_, source) in documents {
            for (name, value) in source.as_object().into_iter().flatten() {
                properties.entry(name.clone()).or_insert_with(|| json!({"type": type_of(value)}));
            }
        }
        ClusterAnswer::json(200, json!({ index: {"mappings": {"properties": properties}} }))
    }
}

/// A type as a cluster guesses it of a value.
fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "float",
        Value::Number(_) => "long",
        Value::Object(_) => "object",
        _ => "text",
    }
}

/// What is said of a document that was written.
#[must_use]
pub fn written(index: &str, id: &str, result: &str) -> Value {
    json!({
        "_index": index, "_id": id, "_version": 1, "result": result,
        "_shards": {"total": 1, "successful": 1, "failed": 0}, "_seq_no": 0, "_primary_term": 1,
    })
}

fn no_index(index: &str) -> ClusterAnswer {
    let cause = json!({
        "type": "index_not_found_exception", "reason": format!("no such index [{index}]"),
        "index": index, "resource.id": index, "resource.type": "index_or_alias",
    });
    ClusterAnswer::from_causes(404, cause)
}

/// Whether a name fits a pattern with stars.
fn fits_pattern(pattern: &str, name: &str) -> bool {
    if pattern == "_all" {
        return true;
    }
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => name.strip_prefix(start).is_some_and(|name| {
            rest.is_empty() || name.char_indices().any(|(at, _)| fits_pattern(rest, &name[at..]))
        }),
    }
}
