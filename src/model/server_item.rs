//! What a server has to read beside its tools: resources, those that a template represents, and
//! prompts; and what they hold.

use serde_json::{Map, Value};

use super::{content_part::ContentPart, size};

/// The kinds of what can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ItemKind {
    Resource,
    Template,
    Prompt,
}

impl ItemKind {
    pub const ALL: [Self; 3] = [Self::Resource, Self::Template, Self::Prompt];

    /// The member of a server's lists that holds them.
    #[must_use]
    pub fn list_name(self) -> &'static str {
        match self {
            Self::Resource => "resources",
            Self::Template => "resourceTemplates",
            Self::Prompt => "prompts",
        }
    }

    /// Several of them, for people.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Resource => "Resources",
            Self::Template => "Templates",
            Self::Prompt => "Prompts",
        }
    }
}

/// How a server gave one of its lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListTiming {
    /// The list's name: `tools`, `resources` and so on.
    pub kind: &'static str,
    pub pages: Vec<ListedPage>,
    /// How long and by whom the list may be kept, as the server says; empty where it says nothing.
    pub caching: String,
}

/// A page of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListedPage {
    pub items: usize,
    pub took_ms: u64,
}

/// What a list is called, by its name in the protocol: `resource templates`.
#[must_use]
pub fn list_title(name: &str) -> &str {
    match name {
        "resourceTemplates" => "resource templates",
        name => name,
    }
}

impl ListTiming {
    /// How many pages there were of how many entries, and how long each took.
    #[must_use]
    pub fn message(&self) -> String {
        let count: usize = self.pages.iter().map(|page| page.items).sum();
        let kind = list_title(self.kind);
        let words = match self.pages.as_slice() {
            [page] => format!("{kind} {count} in {} ms", page.took_ms),
            pages => {
                let each = |page: &ListedPage| format!("{} in {} ms", page.items, page.took_ms);
                let shown: Vec<String> = pages.iter().take(Self::SHOWN).map(each).collect();
                let more = if pages.len() > Self::SHOWN { ", …" } else { "" };
                let pages = pages.len();
                format!("{kind} {count} in {pages} pages: {}{more}", shown.join(", "))
            }
        };
        match self.caching.is_empty() {
            true => words,
            false => format!("{words}; {}", self.caching),
        }
    }

    /// So many pages are named; the rest is counted.
    const SHOWN: usize = 8;
}

/// Something that can be read, as its server lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerItem {
    pub kind: ItemKind,
    /// By which it is asked for: a URI, a template of URIs, a name.
    pub id: String,
    /// Its name for people.
    pub title: String,
    pub description: String,
    pub mime: Option<String>,
    /// How many bytes it says to have.
    pub size: Option<u64>,
    /// What else it says of itself, each in a few words.
    pub notes: Vec<String>,
    /// The JSON Schema of its arguments, all of which are texts; `None` where it takes none.
    pub arguments: Option<Value>,
    /// As it came.
    pub json: Value,
}

impl ServerItem {
    /// A resource of which nothing but its URI is known.
    #[must_use]
    pub fn linked(uri: String) -> Self {
        Self {
            kind: ItemKind::Resource,
            title: uri.clone(),
            description: String::new(),
            mime: None,
            size: None,
            notes: Vec::new(),
            arguments: None,
            json: Value::Null,
            id: uri,
        }
    }

    /// Type and size in a few words; empty where it says neither.
    #[must_use]
    pub fn type_words(&self) -> String {
        let size = self.size.map(size::format_size);
        let words = [self.mime.clone(), size];
        words.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// Names of its arguments, the required ones first, as `name` and whether it is required.
    #[must_use]
    pub fn argument_names(&self) -> Vec<(&str, bool)> {
        let schema = self.arguments.as_ref();
        let names = schema.and_then(|schema| schema.get("properties")?.as_object());
        let required = schema.and_then(|schema| schema.get("required")?.as_array());
        let is_required = |name: &str| {
            required.is_some_and(|required| required.iter().any(|known| known == name))
        };
        let names = names.into_iter().flat_map(Map::keys);
        names.map(|name| (name.as_str(), is_required(name))).collect()
    }
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemRequest {
    pub kind: ItemKind,
    pub id: String,
    /// Texts by their names.
    pub arguments: Map<String, Value>,
}

/// What a resource or a prompt holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ItemContent {
    pub description: Option<String>,
    pub parts: Vec<ContentPart>,
    /// As it came.
    pub result: Value,
    /// What is wrong with it, each in a sentence.
    pub faults: Vec<String>,
    pub took_ms: u64,
}
