//! Queries, as many as tools and clients commonly send. What is not known is refused by its name.

use serde_json::{Map, Value, json};

use crate::schema::{ordering::PutInOrder, phrase::value_text};

/// How many hits there are where nobody says.
const SIZE: usize = 10;

/// The answer to a search over documents, each with its index and id.
///
/// # Errors
/// With what is wrong with the query, or not known here.
pub fn answer_search<'d>(
    documents: &mut dyn Iterator<Item = (&'d str, &'d str, &'d Value)>,
    body: &Map<String, Value>,
) -> Result<Value, String> {
    let all = json!({"match_all": {}});
    let query = body.get("query").unwrap_or(&all);
    let mut found = Vec::new();
    for (index, id, source) in documents {
        let score = score_of(query, id, source)?;
        if score > 0.0 {
            found.push((score, index, id, source));
        }
    }
    // Of equal ones the first comes first.
    found.order_by(|one, other| other.0.total_cmp(&one.0));
    let number = |name: &str, usual: usize| {
        body.get(name).and_then(Value::as_u64).map_or(usual, |number| number as usize)
    };
    let total = found.len();
    let best = found.first().map(|(score, ..)| *score);
    let hits: Vec<Value> = found
        .into_iter()
        .skip(number("from", 0))
        .take(number("size", SIZE))
        .map(|(score, index, id, source)| {
            json!({
                "_index": index, "_id": id, "_version": 1, "_score": score,
                "_source": chosen_source(source, body.get("_source")),
            })
        })
        .collect();
    Ok(json!({
        "took": 1, "timed_out": false,
        "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
        "hits": {"total": {"value": total, "relation": "eq"}, "max_score": best, "hits": hits},
    }))
}

/// Only the members that `_source` names, where it names some.
fn chosen_source(source: &Value, wanted: Option<&Value>) -> Value {
    let names: Vec<&str> = match wanted {
        Some(Value::Bool(false)) => return json!({}),
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        Some(Value::Object(parts)) => {
            let names = parts.get("includes").and_then(Value::as_array);
            names.into_iter().flatten().filter_map(Value::as_str).collect()
        }
        _ => Vec::new(),
    };
    match source.as_object().filter(|_| !names.is_empty()) {
        None => source.clone(),
        Some(members) => members
            .iter()
            .filter(|(name, _)| names.contains(&name.as_str()))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect::<Map<_, _>>()
            .into(),
    }
}

/// How well a document fits; 0: not at all.
fn score_of(query: &Value, id: &str, source: &Value) -> Result<f64, String> {
    let Some((name, inner)) = query.as_object().and_then(|members| members.iter().next()) else {
        return Err("query malformed, no start_object after query name".into());
    };
    let is = |holds: bool| if holds { 1.0 } else { 0.0 };
    let (field, wanted) = inner
        .as_object()
        .and_then(|members| members.iter().find(|(name, _)| *name != "boost"))
        .map_or(("", &Value::Null), |(field, wanted)| (field.as_str(), wanted));
    Ok(match name.as_str() {
        "match_all" => 1.0,
        "match_none" => 0.0,
        "ids" => is(listed(&inner["values"]).any(|wanted| wanted == id)),
        "exists" => is(!values_at(source, inner["field"].as_str().unwrap_or_default()).is_empty()),
        "term" => is(holds_exactly(source, field, wanted.get("value").unwrap_or(wanted))),
        "terms" => {
            let wanted = wanted.as_array().map(Vec::as_slice).unwrap_or_default();
            is(wanted.iter().any(|wanted| holds_exactly(source, field, wanted)))
        }
        "match" | "match_phrase" => {
            let text = value_text(wanted.get("query").unwrap_or(wanted));
            let is_all = name == "match_phrase" || wanted["operator"].as_str().is_some_and(is_and);
            match_score(&values_at(source, field), &text, is_all)
        }
        "multi_match" => {
            let text = value_text(&inner["query"]);
            let scores = listed(&inner["fields"])
                .map(|field| match_score(&values_at(source, field), &text, false));
            scores.fold(0.0, f64::max)
        }
        "bool" => score_of_bool(inner, id, source)?,
        other => {
            return Err(format!("unknown query [{other}]: this stand-in for a cluster has none"));
        }
    })
}

fn is_and(operator: &str) -> bool {
    operator.eq_ignore_ascii_case("and")
}

fn score_of_bool(inner: &Value, id: &str, source: &Value) -> Result<f64, String> {
    let scores = |name: &str| -> Result<Vec<f64>, String> {
        let parts = match &inner[name] {
            Value::Null => Vec::new(),
            Value::Array(parts) => parts.clone(),
            one => vec![one.clone()],
        };
        parts.iter().map(|part| score_of(part, id, source)).collect()
    };
    let (must, filter, should) = (scores("must")?, scores("filter")?, scores("should")?);
    let is_out = scores("must_not")?.iter().any(|score| *score > 0.0)
        || must.iter().chain(&filter).any(|score| *score == 0.0)
        || (must.is_empty()
            && filter.is_empty()
            && !should.is_empty()
            && should.iter().all(|score| *score == 0.0));
    let sum: f64 = must.iter().chain(&should).sum();
    Ok(if is_out { 0.0 } else { sum.max(1.0) })
}

fn listed(value: &Value) -> impl Iterator<Item = &str> {
    let many = value.as_array().into_iter().flatten().filter_map(Value::as_str);
    many.chain(value.as_str())
}

/// How many of the words are in one of the values.
fn match_score(values: &[&Value], text: &str, is_all: bool) -> f64 {
    let wanted = words_of(text);
    let of_value = |value: &&Value| {
        let there = words_of(&value_text(value));
        let hits = wanted.iter().filter(|word| there.contains(word)).count();
        if is_all && hits < wanted.len() { 0.0 } else { hits as f64 }
    };
    values.iter().map(of_value).fold(0.0, f64::max)
}

fn words_of(text: &str) -> Vec<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

fn holds_exactly(source: &Value, field: &str, wanted: &Value) -> bool {
    let wanted = value_text(wanted);
    values_at(source, field).into_iter().any(|value| {
        let text = value_text(value);
        // A term represents one word of an analysed text, or for the whole of a keyword.
        text == wanted || (!field.ends_with(KEYWORD) && words_of(&text).contains(&wanted))
    })
}

const KEYWORD: &str = ".keyword";

/// The values of a field; lists count as many.
fn values_at<'s>(source: &'s Value, field: &str) -> Vec<&'s Value> {
    let path = field.strip_suffix(KEYWORD).unwrap_or(field);
    let mut found = vec![source];
    for part in path.split('.') {
        found = found.into_iter().flat_map(flattened).filter_map(|value| value.get(part)).collect();
    }
    found.into_iter().flat_map(flattened).filter(|value| !value.is_null()).collect()
}

fn flattened(value: &Value) -> Vec<&Value> {
    value.as_array().map_or_else(|| vec![value], |items| items.iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(query: &Value) -> Result<Vec<String>, String> {
        let documents = [
            ("1", json!({"text": "The wind blows", "tags": ["a", "b"], "by": {"name": "Ada Low"}})),
            ("2", json!({"text": "Nothing of it", "pages": 3})),
            ("3", json!({"text": "Wind and more wind", "tags": ["b"]})),
        ];
        let mut rows = documents.iter().map(|(id, source)| ("books", *id, source));
        let body = json!({ "query": query });
        let answer = answer_search(&mut rows, body.as_object().unwrap())?;
        let hits = answer["hits"]["hits"].as_array().unwrap();
        Ok(hits.iter().map(|hit| hit["_id"].as_str().unwrap().to_owned()).collect())
    }

    #[test]
    fn common_queries_find_what_they_say() {
        for (query, wanted) in [
            (json!({"match_all": {}}), vec!["1", "2", "3"]),
            (json!({"match": {"text": "WIND blows"}}), vec!["1", "3"]),
            (json!({"match": {"text": {"query": "wind blows", "operator": "and"}}}), vec!["1"]),
            (json!({"term": {"tags": "b"}}), vec!["1", "3"]),
            (json!({"term": {"by.name.keyword": {"value": "Ada Low"}}}), vec!["1"]),
            (json!({"term": {"by.name.keyword": "Ada"}}), vec![]),
            (json!({"terms": {"pages": [3, 4]}}), vec!["2"]),
            (json!({"ids": {"values": ["3", "9"]}}), vec!["3"]),
            (json!({"exists": {"field": "pages"}}), vec!["2"]),
            (json!({"multi_match": {"query": "ada", "fields": ["text", "by.name"]}}), vec!["1"]),
            (
                json!({"bool": {"must": [{"match": {"text": "wind"}}], "must_not": {"term": {"tags": "a"}}}}),
                vec!["3"],
            ),
            (json!({"bool": {"should": [{"term": {"pages": 3}}]}}), vec!["2"]),
        ] {
            assert_eq!(ids(&query).unwrap(), wanted, "{query}");
        }
        assert!(ids(&json!({"neural": {}})).unwrap_err().contains("[neural]"));
        assert!(ids(&json!([])).is_err());
    }
}
