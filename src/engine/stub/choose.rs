//! Which rule counts for a request, and why the others do not.

use serde_json::{Map, Value};

use crate::{
    engine::{services::sample::Asking, subset::describe_missing},
    model::stub::{Rule, StubService, When},
    schema::pointer::Pointer,
};

/// So many rules are notified of when none matches.
const TOLD: usize = 3;

/// The first rule that matches; else, in a sentence, why none does.
///
/// # Errors
/// When none matches.
pub(crate) fn choose_rule<'s>(
    service: &'s StubService,
    asking: &Asking<'_>,
) -> Result<&'s Rule, String> {
    let mut differences = Vec::new();
    for rule in &service.rules {
        match request_difference(&rule.when, asking) {
            None => return Ok(rule),
            Some(words) => differences.push(format!("\"{}\": {words}", rule.name)),
        }
    }
    let more = differences.len().saturating_sub(TOLD);
    differences.truncate(TOLD);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    Err(format!("no rule of the stub matches; {}{more}", differences.join("; ")))
}

/// Why a request is not as it must be; `None`: it is.
#[must_use]
pub(crate) fn request_difference(when: &When, asking: &Asking<'_>) -> Option<String> {
    let part = |name: &str,
                whole: &str,
                wanted: &Option<Map<String, Value>>,
                given: &Map<String, Value>| {
        let (wanted, given) = (Value::Object(wanted.clone()?), Value::Object(given.clone()));
        describe_missing(&Pointer::root(), whole, &wanted, &given)
            .map(|words| format!("{name}: {words}"))
    };
    let user = || {
        when.user
            .as_deref()
            .filter(|user| *user != asking.user)
            .map(|user| format!("the user is not {user:?}"))
    };
    let contains = || {
        let held =
            |wanted: &&String| asking.arguments.values().any(|value| contains_text(value, wanted));
        when.contains
            .iter()
            .find(|wanted| !held(wanted))
            .map(|wanted| format!("the arguments don't contain {wanted:?}"))
    };
    part("arguments", "them", &when.arguments, asking.arguments)
        .or_else(|| part("configuration", "it", &when.config, asking.config))
        .or_else(user)
        .or_else(contains)
}

/// Whether any text or number within a value holds a text.
fn contains_text(value: &Value, text: &str) -> bool {
    match value {
        Value::String(value) => value.contains(text),
        Value::Array(items) => items.iter().any(|item| contains_text(item, text)),
        Value::Object(members) => members.values().any(|member| contains_text(member, text)),
        other => other.to_string().contains(text),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn map(value: &Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    fn named(name: &str, when: When) -> Rule {
        Rule { name: name.into(), when, ..Rule::default() }
    }

    fn chosen(
        rules: &[Rule],
        user: &str,
        config: &Value,
        arguments: &Value,
    ) -> Result<String, String> {
        let service = StubService { rules: rules.to_vec(), ..StubService::default() };
        let (config, arguments) = (map(config), map(arguments));
        choose_rule(&service, &Asking { user, config: &config, arguments: &arguments })
            .map(|rule| rule.name.clone())
    }

    #[test]
    fn the_first_that_matches_counts() {
        let rules = [
            named(
                "deep",
                When { arguments: Some(map(&json!({"q": {"n": 1}}))), ..When::default() },
            ),
            named("pun", When { config: Some(map(&json!({"style": "pun"}))), ..When::default() }),
            named(
                "ann",
                When {
                    user: Some("ann".into()),
                    contains: vec!["lla".into(), "7".into()],
                    ..When::default()
                },
            ),
        ];
        let choose = |user, config, arguments| chosen(&rules, user, &config, &arguments);
        assert_eq!(
            choose("", json!({"style": "pun"}), json!({"q": {"n": 1.0, "m": 2}})).unwrap(),
            "deep"
        );
        assert_eq!(
            choose("", json!({"style": "pun", "more": 1}), json!({"q": {"n": 2}})).unwrap(),
            "pun"
        );
        assert_eq!(
            choose("ann", json!({}), json!({"deep": [{"text": "llama"}], "count": 172})).unwrap(),
            "ann"
        );
        let why = choose("bob", json!({"style": "limerick"}), json!({"q": {"n": 2}})).unwrap_err();
        for words in [
            "no rule of the stub matches",
            "\"deep\": arguments: /q/n is 2, not 1",
            "configuration: /style is \"limerick\", not \"pun\"",
            "the user is not \"ann\"",
        ] {
            assert!(why.contains(words), "{words}: {why}");
        }
        let why = choose("ann", json!({}), json!({"text": "llama"})).unwrap_err();
        assert!(why.contains("arguments: there is no \"q\" in them"), "{why}");
        assert!(why.contains("don't contain \"7\""), "{why}");
    }

    fn arguments() -> impl Strategy<Value = Map<String, Value>> {
        let member =
            prop_oneof![any::<i32>().prop_map(Value::from), "[a-c]{0,3}".prop_map(Value::from)];
        proptest::collection::btree_map("[a-d]", member, 0..4)
            .prop_map(|members| members.into_iter().collect())
    }

    proptest! {
        #[test]
        fn a_request_is_as_its_own_arguments_and_any_part_of_them(given in arguments(), keep: [bool; 4]) {
            let kept = given.iter().zip(keep).filter(|(_, keep)| *keep);
            let part: Map<String, Value> = kept.map(|((name, value), _)| (name.clone(), value.clone())).collect();
            let config = Map::new();
            let asking = Asking { user: "", config: &config, arguments: &given };
            let when = When { arguments: Some(part), ..When::default() };
            prop_assert_eq!(request_difference(&when, &asking), None);
        }

        #[test]
        fn rules_added_behind_change_nothing_for_what_is_matched(given in arguments(), whens in proptest::collection::vec(arguments(), 1..4)) {
            let rules: Vec<Rule> = whens.into_iter().enumerate()
                .map(|(row, when)| named(&row.to_string(), When { arguments: Some(when), ..When::default() })).collect();
            let (config, given) = (json!({}), Value::Object(given));
            let before = chosen(&rules[..1], "", &config, &given);
            let after = chosen(&rules, "", &config, &given);
            if before.is_ok() {
                prop_assert_eq!(before, after);
            }
        }
    }
}
