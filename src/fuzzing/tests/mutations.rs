//! Changes that make odd texts of good ones.

use proptest::{prelude::*, sample::Index};
use serde_json::Value;

/// A text grows to so many bytes at most.
const LONGEST: usize = 16 * 1024;

/// What readers stumble over.
const WORDS: &[&[u8]] = &[
    b"",
    b"\0",
    b"\x1b",
    b"\x7f",
    b"\r",
    b"\r\n",
    b"\n\n",
    b"\t",
    b" ",
    b"\xff",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\xf0\x9f\x98",
    b"\xef\xbb\xbf",
    "\u{202e}".as_bytes(),
    "\u{2028}".as_bytes(),
    "\u{85}".as_bytes(),
    "e\u{301}".as_bytes(),
    "👨‍👩‍👧".as_bytes(),
    "\u{fdd0}".as_bytes(),
    b"\"",
    b"'",
    b"\\",
    b"\\u",
    b"\\ud800",
    b"\\u0000",
    b"{",
    b"}",
    b"[",
    b"]",
    b"[]",
    b"{}",
    b"(",
    b")",
    b"<",
    b">",
    b",",
    b":",
    b";",
    b"=",
    b"#",
    b"&a ",
    b"*a",
    b"<<: ",
    b"!!str ",
    b"!!binary ",
    b"|\n",
    b">-\n",
    b"? ",
    b"- ",
    b"---\n",
    b"...\n",
    b"%YAML 1.2\n",
    b"//",
    b"/*",
    b"*/",
    b"${",
    b"${a}",
    b"{{",
    b"}}",
    b"{%",
    b"$",
    b"$.",
    b"$..",
    b"[?(",
    b"@",
    b"~",
    b"~0",
    b"/",
    b"0",
    b"-0",
    b"-1",
    b"1e400",
    b"1e-400",
    b"-1e308",
    b"9223372036854775808",
    b"18446744073709551616",
    b"340282366920938463463374607431768211456",
    b"0x",
    b"0o7",
    b"1_000",
    b".inf",
    b".nan",
    b"NaN",
    b"Infinity",
    b"null",
    b"true",
    b"false",
    b"~",
    b"yes",
    b"2026-02-30",
    b"9999-12-31T23:59:60Z",
    b"-000001-01-01",
    b"P99999999999999999999Y",
    b"(?:",
    b"(?<=",
    b"(a+)+$",
    b"a{1000}",
    b"\\p{L}",
    b"[[:",
    b"\\Q",
    b"id",
    b"type",
    b"name",
    b"$ref",
    b"\"$ref\":\"#\"",
    b"data:",
    b"event:",
    b"\x1b[200~",
    b"\x1b[201~",
    b"\x1b[<0;999999999999;1M",
    b"\x1b[99999999999u",
    b"\xff\xff\xff\xff",
    b"\x00\x00\x00\x00",
    b"\x7f\xff\xff\xff",
];

/// One change of a text.
#[derive(Clone, Debug)]
pub enum Mutation {
    Flip {
        at: Index,
        bit: u8,
    },
    Cut {
        from: Index,
        len: Index,
    },
    Begin {
        len: Index,
    },
    Repeat {
        from: Index,
        len: Index,
        times: u8,
    },
    Word {
        at: Index,
        word: Index,
        overwrites: bool,
    },
    Swap {
        from: Index,
        to: Index,
        len: u8,
    },
    Splice {
        at: Index,
        seed: Index,
        from: Index,
        len: Index,
    },
    Nest {
        at: Index,
        kind: u8,
        depth: Index,
    },
    Bytes {
        at: Index,
        bytes: Vec<u8>,
    },
    /// Changes a JSON text at one of its places.
    Json {
        at: Index,
        from: Index,
        kind: u8,
    },
}

impl Arbitrary for Mutation {
    type Parameters = ();
    type Strategy = BoxedStrategy<Self>;

    fn arbitrary_with((): ()) -> Self::Strategy {
        let index = any::<Index>;
        prop_oneof![
            2 => (index(), 0..8_u8).prop_map(|(at, bit)| Self::Flip { at, bit }),
            2 => (index(), index()).prop_map(|(from, len)| Self::Cut { from, len }),
            1 => index().prop_map(|len| Self::Begin { len }),
            1 => (index(), index(), 1..40_u8)
                .prop_map(|(from, len, times)| Self::Repeat { from, len, times }),
            5 => (index(), index(), any::<bool>())
                .prop_map(|(at, word, overwrites)| Self::Word { at, word, overwrites }),
            1 => (index(), index(), 1..9_u8)
                .prop_map(|(from, to, len)| Self::Swap { from, to, len }),
            3 => (index(), index(), index(), index())
                .prop_map(|(at, seed, from, len)| Self::Splice { at, seed, from, len }),
            1 => (index(), 0..6_u8, index())
                .prop_map(|(at, kind, depth)| Self::Nest { at, kind, depth }),
            1 => (index(), prop::collection::vec(any::<u8>(), 1..6))
                .prop_map(|(at, bytes)| Self::Bytes { at, bytes }),
            5 => (index(), index(), 0..8_u8)
                .prop_map(|(at, from, kind)| Self::Json { at, from, kind }),
        ]
        .boxed()
    }
}

/// The text with the change; `seeds` are what is spliced from.
pub fn mutate(mut bytes: Vec<u8>, mutation: &Mutation, seeds: &[(String, Vec<u8>)]) -> Vec<u8> {
    let len = bytes.len();
    let place = |at: &Index| at.index(len + 1);
    let piece = |from: &Index, count: &Index| {
        let from = place(from);
        from..from + count.index((len - from).min(64) + 1)
    };
    match mutation {
        Mutation::Flip { at, bit } if len > 0 => bytes[at.index(len)] ^= 1 << bit,
        Mutation::Flip { .. } => {}
        Mutation::Cut { from, len } => drop(bytes.drain(piece(from, len))),
        Mutation::Begin { len } => bytes.truncate(place(len)),
        Mutation::Repeat { from, len, times } => {
            let range = piece(from, len);
            let copy = bytes[range.clone()].repeat((*times).into());
            bytes.splice(range.end..range.end, copy);
        }
        Mutation::Word { at, word, overwrites } => {
            let (at, word) = (place(at), word.get(WORDS));
            let end = if *overwrites { len.min(at + word.len()) } else { at };
            bytes.splice(at..end, word.iter().copied());
        }
        Mutation::Swap { from, to, len: count } => {
            for row in 0..usize::from(*count) {
                let (one, other) = (place(from) + row, place(to) + row);
                if one < len && other < len {
                    bytes.swap(one, other);
                }
            }
        }
        Mutation::Splice { at, seed, from, len: count } => {
            let (_, seed) = seed.get(seeds);
            let from = from.index(seed.len() + 1);
            let to = from + count.index((seed.len() - from).min(200) + 1);
            let at = place(at);
            bytes.splice(at..at, seed[from..to].iter().copied());
        }
        Mutation::Nest { at, kind, depth } => {
            let (open, close) =
                [("[", "]"), ("{\"a\":", "}"), ("(", ")"), ("- ", ""), ("> ", ""), ("\"[", "]\"")]
                    [usize::from(*kind)];
            let depth = depth.index(600);
            let at = place(at);
            bytes.splice(at..at, (open.repeat(depth) + "1" + &close.repeat(depth)).into_bytes());
        }
        Mutation::Bytes { at, bytes: new } => {
            let at = place(at);
            bytes.splice(at..at, new.iter().copied());
        }
        Mutation::Json { at, from, kind } => {
            if let Ok(mut value) = serde_json::from_slice::<Value>(&bytes) {
                change_value(&mut value, at, from, *kind);
                bytes = value.to_string().into_bytes();
            }
        }
    }
    bytes.truncate(LONGEST);
    bytes
}

fn change_value(value: &mut Value, at: &Index, from: &Index, kind: u8) {
    let mut places = vec![String::new()];
    collect_places(value, "", &mut places);
    let other = value.pointer(&places[from.index(places.len())]).cloned().unwrap_or_default();
    let Some(place) = value.pointer_mut(&places[at.index(places.len())]) else { return };
    let odd = [
        Value::Null,
        false.into(),
        Value::from(-1),
        serde_json::from_str("1e999").unwrap_or_default(),
        "".into(),
        Value::Array(Vec::new()),
        Value::Object(serde_json::Map::new()),
        "\u{0}\u{202e}${a.b} {{c}}".into(),
    ];
    match (kind, place) {
        (0..=2, place) => *place = from.get(&odd).clone(),
        (3, place) => *place = other,
        (4, place) => *place = Value::Array(vec![place.take(), other]),
        (5, Value::Object(members)) => drop(members.insert("type".into(), other)),
        (6, Value::Object(members)) => {
            let key = members.keys().nth(from.index(members.len().max(1))).cloned();
            if let Some(key) = key {
                members.shift_remove(&key);
            }
        }
        (_, Value::Array(items)) => items.push(other),
        (_, place) => *place = place.to_string().into(),
    }
}

fn collect_places(value: &Value, at: &str, places: &mut Vec<String>) {
    let below: Vec<(String, &Value)> = match value {
        Value::Array(items) => {
            items.iter().enumerate().map(|(row, item)| (row.to_string(), item)).collect()
        }
        Value::Object(members) => members
            .iter()
            .map(|(key, value)| (key.replace('~', "~0").replace('/', "~1"), value))
            .collect(),
        _ => return,
    };
    for (step, value) in below {
        let place = format!("{at}/{step}");
        places.push(place.clone());
        collect_places(value, &place, places);
    }
}
