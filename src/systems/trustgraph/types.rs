//! The types of tools that TrustGraph's agent knows: their own fields, and whether their argument
//! is fixed.

/// A type of tool: one row of [`TYPES`].
#[derive(Debug)]
pub(crate) struct ToolType {
    /// As `type` has it: `tool-service`.
    pub name: &'static str,
    /// What such a tool does, in one sentence.
    pub about: &'static str,
    /// Fields beside those that every tool has.
    pub fields: &'static [Field],
    pub arguments: Arguments,
}

/// What a model gives to a tool of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arguments {
    /// One text of this name; an `arguments` list is ignored.
    Fixed { name: &'static str, about: &'static str },
    /// The tool's `arguments` list.
    Listed,
}

/// A field that belongs to a type.
#[derive(Debug)]
pub(crate) struct Field {
    pub key: &'static str,
    pub about: &'static str,
    pub kind: FieldKind,
    /// Whether the tool cannot work without it.
    pub required: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldKind {
    Text,
    /// A whole number, or text that holds one.
    Count {
        default: u64,
    },
    /// The key of a service in the catalog.
    Service,
    /// The key of an MCP server in the catalog.
    Server,
}

const COLLECTION: Field = Field {
    key: "collection",
    about: "The collection. Default: the request's own.",
    kind: FieldKind::Text,
    required: false,
};

const QUESTION: Arguments =
    Arguments::Fixed { name: "question", about: "The question, in plain words" };

/// Every type, in the order in which a menu shows them.
pub(crate) const TYPES: &[ToolType] = &[
    ToolType {
        name: "tool-service",
        about: "Calls a service of your own over its request and response queues.",
        fields: &[Field {
            key: "service",
            about: "The service that answers.",
            kind: FieldKind::Service,
            required: true,
        }],
        arguments: Arguments::Listed,
    },
    ToolType {
        name: "mcp-tool",
        about: "Calls a tool of an MCP server.",
        fields: &[Field {
            key: "mcp-tool",
            about: "The key of the MCP server's entry.",
            kind: FieldKind::Server,
            required: true,
        }],
        arguments: Arguments::Listed,
    },
    ToolType {
        name: "prompt",
        about: "Fills a prompt template and asks the language model.",
        fields: &[Field {
            key: "template",
            about: "The id of the prompt template.",
            kind: FieldKind::Text,
            required: true,
        }],
        arguments: Arguments::Listed,
    },
    ToolType {
        name: "knowledge-query",
        about: "Asks the knowledge graph.",
        fields: &[COLLECTION],
        arguments: QUESTION,
    },
    ToolType {
        name: "text-completion",
        about: "Asks the language model directly.",
        fields: &[],
        arguments: QUESTION,
    },
    ToolType {
        name: "structured-query",
        about: "Asks the tables with a question in plain words.",
        fields: &[COLLECTION],
        arguments: QUESTION,
    },
    ToolType {
        name: "row-embeddings-query",
        about: "Finds rows of a table by semantic similarity.",
        fields: &[
            Field {
                key: "schema-name",
                about: "The table's schema.",
                kind: FieldKind::Text,
                required: true,
            },
            COLLECTION,
            Field {
                key: "index-name",
                about: "Only this index. Default: all.",
                kind: FieldKind::Text,
                required: false,
            },
            Field {
                key: "limit",
                about: "Maximum number of rows.",
                kind: FieldKind::Count { default: 10 },
                required: false,
            },
        ],
        arguments: Arguments::Fixed { name: "query", about: "What to look for" },
    },
];

/// The type of that name.
#[must_use]
pub(crate) fn by_name(name: &str) -> Option<&'static ToolType> {
    TYPES.iter().find(|of| of.name == name)
}
