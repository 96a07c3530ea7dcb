//! What the providers with a subset of JSON Schema take: one table each.

use serde_json::Value;

use super::model::Shape;

/// How a subset says what the model of a schema holds.
#[allow(clippy::struct_excessive_bools)] // a table's columns
pub(super) struct Dialect {
    /// Whether the provider holds the model to the schema. What cannot be said is then a reason not to be strict;
    /// otherwise it is left out and found.
    pub(super) strict: bool,
    pub(super) optional: Optional,
    pub(super) null: Null,
    pub(super) references: References,
    /// Whether a keyword may stand beside this shape with this value.
    pub(super) bound: fn(&Shape, &str, &Value) -> bool,
    /// Whether `additionalProperties` exists.
    pub(super) additional: bool,
    /// Whether `prefixItems` exists.
    pub(super) tuples: bool,
    /// Whether `oneOf` exists.
    pub(super) one_of: bool,
    /// Whether an `enum` holds texts alone.
    pub(super) only_text_choices: bool,
    /// Whether `anyOf` stands alone in its schema.
    pub(super) lone_unions: bool,
    pub(super) default: bool,
    /// Whether `example` exists. (`examples` exists in none.)
    pub(super) example: bool,
    /// Whether `required` is written where it is empty.
    pub(super) empty_required: bool,
}

/// How a property that may be left out is offered.
#[derive(PartialEq)]
pub(super) enum Optional {
    /// It is not in `required`. That it may be null as well is said.
    Absent,
    /// It is not in `required`, and never null: absence says the same.
    AbsentNotNull,
    /// It is in `required` and may be null.
    RequiredNull,
    /// It is in `required`, and the tool refuses a null that it has no use for: it cannot be offered.
    RequiredAlone,
}

/// How `null` is allowed.
#[derive(PartialEq)]
pub(super) enum Null {
    /// As one of the types, or a branch of a union.
    Type,
    /// By `nullable`.
    Keyword,
}

#[derive(PartialEq)]
pub(super) enum References {
    /// `$ref` into `$defs`, with nothing beside it.
    Kept,
    /// Written out, which recursion cannot be.
    WrittenOut,
}

/// `openai-strict`.
pub(super) const OPENAI_STRICT: Dialect = Dialect {
    strict: true,
    optional: Optional::RequiredNull,
    null: Null::Type,
    references: References::Kept,
    bound: |_, keyword, value| match keyword {
        "format" => {
            is_one_of(value, &["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"])
        }
        "pattern" => is_plain_pattern(value),
        "multipleOf" | "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "minItems" | "maxItems" => {
            true
        }
        _ => false,
    },
    additional: false,
    tuples: false,
    one_of: false,
    only_text_choices: false,
    lone_unions: false,
    default: false,
    example: false,
    // The official package's helper writes it always.
    empty_required: true,
};

/// `openai-strict`, of a tool that takes its arguments as they stand.
pub(super) const OPENAI_STRICT_AS_IT_STANDS: Dialect = Dialect { optional: Optional::RequiredAlone, ..OPENAI_STRICT };

/// `anthropic-strict`.
pub(super) const ANTHROPIC_STRICT: Dialect = Dialect {
    strict: true,
    optional: Optional::AbsentNotNull,
    null: Null::Type,
    references: References::WrittenOut,
    bound: |_, keyword, value| match keyword {
        "format" => is_one_of(
            value,
            &["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"],
        ),
        "pattern" => is_plain_pattern(value),
        "minItems" => value.as_u64().is_some_and(|least| least <= 1),
        _ => false,
    },
    additional: false,
    tuples: false,
    one_of: false,
    only_text_choices: false,
    lone_unions: false,
    default: true,
    example: false,
    empty_required: false,
};

/// `anthropic-strict`, of a root of forms: the nulls that no form requires are taken out before the forms are one object.
pub(super) const ANTHROPIC_STRICT_OF_FORMS: Dialect = Dialect { optional: Optional::Absent, ..ANTHROPIC_STRICT };

/// Gemini's `parameters`.
pub(super) const GEMINI: Dialect = Dialect {
    strict: false,
    optional: Optional::Absent,
    null: Null::Keyword,
    references: References::WrittenOut,
    bound: |shape, keyword, value| match keyword {
        // Of texts, the API takes these two alone: "only 'enum' and 'date-time' are supported for STRING type".
        "format" => *shape == Shape::Text && is_one_of(value, &["date-time"]),
        _ => gemini_bound(keyword),
    },
    additional: false,
    tuples: false,
    one_of: false,
    only_text_choices: true,
    // "When using any_of, it must be the only field set."
    lone_unions: true,
    default: true,
    example: true,
    empty_required: false,
};

/// Gemini's `parametersJsonSchema`.
pub(super) const GEMINI_JSON_SCHEMA: Dialect = Dialect {
    null: Null::Type,
    references: References::Kept,
    bound: |_, keyword, _| keyword == "format" || gemini_bound(keyword),
    additional: true,
    tuples: true,
    one_of: true,
    lone_unions: false,
    ..GEMINI
};

fn gemini_bound(keyword: &str) -> bool {
    [
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "pattern",
    ]
    .contains(&keyword)
}

fn is_one_of(value: &Value, known: &[&str]) -> bool {
    value.as_str().is_some_and(|value| known.contains(&value))
}

/// Constrained decoding follows no look-around, back-reference or word boundary.
fn is_plain_pattern(value: &Value) -> bool {
    let Some(pattern) = value.as_str() else { return false };
    let mut escaped = false;
    for character in pattern.chars() {
        if escaped && (character.is_ascii_digit() && character != '0' || "bBkpPAzZG".contains(character)) {
            return false;
        }
        escaped = character == '\\' && !escaped;
    }
    !["(?=", "(?!", "(?<", "(?P", "(?i", "(?s", "(?m", "(?x", "(?-"].iter().any(|group| pattern.contains(group))
}
