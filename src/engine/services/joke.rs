//! A teller of jokes: by topic and style, from a list of its own.

use super::sample::{Answer, Asking, Fault, text_member};

const STYLES: &[&str] = &["pun", "dad-joke", "one-liner", "limerick"];

/// Words that lead to a topic of the list.
const TOPICS: &[(&str, &[&str])] = &[
    (
        "programming",
        &["program", "code", "coding", "software", "bug", "computer", "developer", "rust", "data"],
    ),
    ("animals", &["animal", "cat", "dog", "llama", "bird", "fish", "cow", "pet"]),
    ("food", &["food", "cook", "bread", "cheese", "soup", "coffee", "cake", "fruit"]),
    ("work", &["work", "office", "meeting", "boss", "job"]),
];

/// Topic, style, joke.
const JOKES: &[(&str, &str, &str)] = &[
    (
        "programming",
        "pun",
        "The old database retired to the countryside. It wanted fewer relations.",
    ),
    (
        "programming",
        "pun",
        "The compiler went to the doctor: it had lost its type, and nobody could cast it.",
    ),
    (
        "programming",
        "dad-joke",
        "Why did the function break up with the loop? It was tired of going round in circles.",
    ),
    ("programming", "dad-joke", "How do you comfort a linked list? You give it some pointers."),
    ("programming", "one-liner", "My code has no bugs, only chapters that were not announced."),
    (
        "programming",
        "one-liner",
        "I fixed the race condition; now the two errors take turns politely.",
    ),
    (
        "programming",
        "limerick",
        "A coder who worked late in May\nsaid \"one little change, then I'll play\".\nBut the tests all turned red,\nso she went off to bed\nand blamed it on time zones next day.",
    ),
    ("animals", "pun", "The llama opened a bakery. Business is good: everyone wants alpaca lunch."),
    ("animals", "pun", "The cat ran for mayor and won by a whisker; the recount was purrfect."),
    ("animals", "dad-joke", "What do you call a fish that fixes pianos? A tuna."),
    ("animals", "dad-joke", "Why did the duck get promoted? It always had its bills in order."),
    (
        "animals",
        "one-liner",
        "My dog learnt to play chess; he is not good, but he does sit for the opening.",
    ),
    (
        "animals",
        "limerick",
        "A llama who lived on a hill\nwould hum to the valley at will.\nWhen the sheep asked it why,\nit looked up at the sky\nand went on with the very same trill.",
    ),
    ("food", "pun", "The soup of the day resigned. It could no longer take the stirring speeches."),
    (
        "food",
        "dad-joke",
        "Why did the bread apply for a new job? It was tired of loafing and kneaded the dough.",
    ),
    ("food", "one-liner", "I am on a cheese diet; so far I have lost three crackers."),
    (
        "food",
        "limerick",
        "A baker whose oven ran hot\nmade crackers as hard as a pot.\nHis neighbours, impressed,\nbuilt a wall with the rest,\nand it stands to this day, like as not.",
    ),
    ("work", "pun", "The calendar factory let me go: I only took a day off."),
    (
        "work",
        "dad-joke",
        "How do meetings stay warm? They are always heated by somebody's second point.",
    ),
    ("work", "one-liner", "Our meeting about fewer meetings has been extended into a series."),
    (
        "work",
        "limerick",
        "A manager, fond of her chart,\ndrew every last task as a part.\nBut the lines grew so dense\nthat it made no more sense,\nso she framed it and called it fine art.",
    ),
];

/// Reports a joke about the argument `topic` in the configured `style`; the same question gets the
/// same joke.
pub(crate) fn answer_request(asking: &Asking<'_>) -> Answer {
    let style = text_member(asking.config, "style").unwrap_or_else(|| STYLES[0].to_owned());
    if !STYLES.contains(&style.as_str()) {
        return Err(Fault::new(
            "unknown-style",
            format!("there is no style \"{style}\"; choose {}", STYLES.join(", ")),
        ));
    }
    let wanted = text_member(asking.arguments, "topic").unwrap_or_default();
    let topic = topic_of(&wanted);
    let fitting: Vec<&str> = JOKES
        .iter()
        .filter(|(of, in_style, _)| *in_style == style && topic.is_none_or(|topic| topic == *of))
        .map(|(_, _, joke)| *joke)
        .collect();
    let pick =
        wanted.bytes().fold(0_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    let joke = fitting.get(pick % fitting.len().max(1)).copied().unwrap_or_default();
    let greeting = if asking.user.is_empty() {
        "Here's".to_owned()
    } else {
        format!("Hey {}! Here's", asking.user)
    };
    let article =
        if style == "one-liner" { "a one-liner".to_owned() } else { format!("a {style}") };
    let about = match (topic, wanted.as_str()) {
        (Some(_), _) | (None, "") => String::new(),
        (None, wanted) => format!(" (I know none about {wanted}, so take this one)"),
    };
    Ok(vec![format!("{greeting} {article} for you{about}:\n\n{joke}")])
}

fn topic_of(wanted: &str) -> Option<&'static str> {
    let wanted = wanted.to_lowercase();
    let leads = |words: &[&str]| words.iter().any(|word| wanted.contains(word));
    TOPICS
        .iter()
        .find(|(topic, words)| wanted.contains(topic) || leads(words))
        .map(|(topic, _)| *topic)
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::*;

    fn tell(user: &str, config: &Value, arguments: &Value) -> Result<String, String> {
        let map = |value: &Value| -> Map<String, Value> {
            value.as_object().cloned().unwrap_or_default()
        };
        let (config, arguments) = (map(config), map(arguments));
        answer_request(&Asking { user, config: &config, arguments: &arguments })
            .map(|pieces| pieces.concat())
            .map_err(|fault| fault.message)
    }

    #[test]
    fn every_topic_has_a_joke_in_every_style() {
        for (topic, _) in TOPICS {
            for style in STYLES {
                assert!(
                    JOKES.iter().any(|(of, in_style, _)| of == topic && in_style == style),
                    "{topic}: {style}"
                );
            }
        }
    }

    #[test]
    fn style_topic_and_user_are_heeded() {
        let told =
            tell("alice", &json!({"style": "limerick"}), &json!({"topic": "llamas"})).unwrap();
        assert!(told.starts_with("Hey alice! Here's a limerick for you:\n\nA llama"), "{told}");
        assert!(
            tell("", &json!({}), &json!({"topic": "food"}))
                .unwrap()
                .starts_with("Here's a pun for you:")
        );
        assert!(
            tell("", &json!({}), &json!({"topic": "volcanoes"}))
                .unwrap()
                .contains("none about volcanoes")
        );
    }

    #[test]
    fn an_unknown_style_is_an_error_that_names_those_there_are() {
        assert!(
            tell("", &json!({"style": "haiku"}), &json!({}))
                .unwrap_err()
                .contains("pun, dad-joke, one-liner, limerick")
        );
    }
}
