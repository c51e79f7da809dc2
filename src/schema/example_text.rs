//! Texts of examples: by format, by pattern, else a few words; and the chance that chooses.

use regex_syntax::hir::{Class, Hir, HirKind};

use super::{chance::SplitMix64, node::Node};

/// So many texts are made from a pattern until one has a length that is allowed.
const ATTEMPTS: usize = 16;
/// What a pattern may repeat without end is repeated so often beyond its least.
const REPEATS: u64 = 4;
/// Texts of a pattern end here, whatever it repeats.
const LONGEST: usize = 4_096;

const WORDS: [&str; 24] = [
    "amber", "river", "quiet", "north", "paper", "stone", "green", "light", "seven", "ocean",
    "field", "cloud", "maple", "copper", "early", "window", "garden", "signal", "bridge", "winter",
    "orange", "harbor", "silver", "meadow",
];

/// A row of choices that a seed decides.
pub(super) struct Chance {
    numbers: SplitMix64,
    /// What the schema names first is taken.
    first: bool,
}

impl Chance {
    pub fn new(seed: u64, first: bool) -> Self {
        Self { numbers: SplitMix64::new(seed), first }
    }

    fn next(&mut self) -> u64 {
        self.numbers.next_number()
    }

    /// Below `end`; 0 where that is 0.
    pub fn pick_number(&mut self, end: u64) -> u64 {
        self.next().checked_rem(end).unwrap_or_default()
    }

    /// A row of so many; the first where that is preferred.
    pub fn pick_row(&mut self, rows: usize) -> usize {
        if self.first {
            return 0;
        }
        let rows = u64::try_from(rows).unwrap_or(u64::MAX);
        usize::try_from(self.pick_number(rows)).unwrap_or_default()
    }

    /// Whether a default is taken although other values are allowed.
    pub fn prefers_first(&mut self) -> bool {
        self.first || self.pick_number(2) == 0
    }

    fn pick_word(&mut self) -> &'static str {
        let row = self.pick_number(WORDS.len() as u64);
        usize::try_from(row).ok().and_then(|row| WORDS.get(row)).copied().unwrap_or("amber")
    }
}

/// A text that a node allows, as far as its rules can be met.
pub(super) fn example_text(node: &Node, name: &str, chance: &mut Chance) -> String {
    let rules = &node.text;
    let (least, most) = (
        rules.min.and_then(|min| usize::try_from(min).ok()).unwrap_or_default(),
        rules.max.and_then(|max| usize::try_from(max).ok()).unwrap_or(usize::MAX),
    );
    let has_room = |text: &str| (least..=most).contains(&text.chars().count());
    if let Some(pattern) = rules.patterns.first() {
        let mut made = (0..ATTEMPTS).filter_map(|_| text_of_pattern(pattern, chance));
        if let Some(text) = made.find(|text| has_room(text)) {
            return text;
        }
    }
    if let Some(text) = rules.format.as_deref().and_then(|format| text_of_format(format, chance)) {
        return text;
    }
    let mut text = match name {
        "" => chance.pick_word().to_owned(),
        name => format!("{} {}", name.replace(['_', '-'], " "), chance.pick_word()),
    };
    while text.chars().count() < least && text.len() < LONGEST {
        text.push(' ');
        text.push_str(chance.pick_word());
    }
    // A longer least is met by letters, not words.
    let missing = least.saturating_sub(text.chars().count()).min(1 << 20);
    text.extend(std::iter::repeat_n('x', missing));
    text.chars().take(most).collect()
}

fn text_of_format(format: &str, chance: &mut Chance) -> Option<String> {
    let day = 1 + chance.pick_number(28);
    let month = 1 + chance.pick_number(12);
    let (hour, minute) = (chance.pick_number(24), chance.pick_number(60));
    let word = chance.pick_word();
    Some(match format {
        "date-time" => format!("2026-{month:02}-{day:02}T{hour:02}:{minute:02}:00Z"),
        "date" => format!("2026-{month:02}-{day:02}"),
        "time" => format!("{hour:02}:{minute:02}:00Z"),
        "duration" => format!("PT{}M", 1 + minute),
        "email" | "idn-email" => format!("{word}@example.com"),
        "hostname" | "idn-hostname" => format!("{word}.example.com"),
        "ipv4" => format!("192.0.2.{}", 1 + chance.pick_number(254)),
        "ipv6" => format!("2001:db8::{:x}", 1 + chance.pick_number(0xffff)),
        "uri" | "iri" | "url" => format!("https://example.com/{word}"),
        "uri-reference" | "iri-reference" => format!("/{word}"),
        "uri-template" => format!("https://example.com/{word}/{{id}}"),
        "uuid" => example_uuid(chance),
        "json-pointer" => format!("/{word}"),
        "relative-json-pointer" => format!("0/{word}"),
        "regex" => format!("^{word}$"),
        _ => return None,
    })
}

fn example_uuid(chance: &mut Chance) -> String {
    let (high, low) = (chance.next(), chance.next());
    format!(
        "{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xfff,
        low >> 48 & 0xfff,
        low & 0xffff_ffff_ffff
    )
}

/// A text that matches a pattern of JSON Schema; `None`: it cannot be made from it.
fn text_of_pattern(pattern: &str, chance: &mut Chance) -> Option<String> {
    let pattern = jsonschema_regex::to_rust_regex(pattern).ok()?;
    let hir = regex_syntax::parse(&pattern).ok()?;
    let mut text = String::new();
    write_match(&hir, chance, &mut text).then_some(text)
}

fn write_match(hir: &Hir, chance: &mut Chance, text: &mut String) -> bool {
    if text.len() > LONGEST {
        return false;
    }
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => true,
        HirKind::Literal(literal) => std::str::from_utf8(&literal.0).is_ok_and(|literal| {
            text.push_str(literal);
            true
        }),
        HirKind::Class(class) => pick_letter(class, chance).is_some_and(|letter| {
            text.push(letter);
            true
        }),
        HirKind::Repetition(repetition) => {
            let least = u64::from(repetition.min);
            let most =
                repetition.max.map_or(least + REPEATS, |max| u64::from(max).min(least + REPEATS));
            let times = least + chance.pick_number(most - least + 1);
            (0..times).all(|_| write_match(&repetition.sub, chance, text))
        }
        HirKind::Capture(capture) => write_match(&capture.sub, chance, text),
        HirKind::Concat(parts) => parts.iter().all(|part| write_match(part, chance, text)),
        HirKind::Alternation(branches) => branches
            .get(chance.pick_row(branches.len()))
            .is_some_and(|branch| write_match(branch, chance, text)),
    }
}

/// A letter of a class, a plain one where the class has some.
fn pick_letter(class: &Class, chance: &mut Chance) -> Option<char> {
    let Class::Unicode(class) = class else { return None };
    let plain: Vec<char> = (' '..='~')
        .filter(|letter| {
            let holds = |range: &regex_syntax::hir::ClassUnicodeRange| {
                (range.start()..=range.end()).contains(letter)
            };
            class.ranges().iter().any(holds)
        })
        .collect();
    let readable: Vec<char> = plain.iter().copied().filter(char::is_ascii_alphanumeric).collect();
    let from = if readable.is_empty() { &plain } else { &readable };
    let row = usize::try_from(chance.pick_number(from.len() as u64)).unwrap_or_default();
    from.get(row).copied().or_else(|| class.ranges().first().map(|range| range.start()))
}
