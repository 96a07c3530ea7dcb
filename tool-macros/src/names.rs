//! Names: the runtime's own, the ones MCP allows, and the nearest one to a slip of the pen.

use proc_macro2::{Ident, Span};
use syn::ext::IdentExt;

/// Names that belong to the runtime; the same list as `tool_core::RESERVED_PROPERTY_NAMES`.
const RESERVED: [&str; 8] =
    ["run_id", "thread_id", "workspace", "workspace_id", "effect_id", "operation_id", "operation_token", "call_id"];

/// Whether a name is the runtime's in any spelling: letter case and separators do not count.
pub(crate) fn is_reserved(name: &str) -> bool {
    RESERVED.iter().any(|reserved| significant(reserved).eq(significant(name)))
}

fn significant(name: &str) -> impl Iterator<Item = char> + '_ {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase)
}

/// What is wrong with a tool id under MCP's rule, if anything is.
pub(crate) fn id_fault(id: &str) -> Option<String> {
    if id.is_empty() || id.len() > 128 {
        return Some(format!("a tool id has 1 to 128 characters, and this one has {}", id.chars().count()));
    }
    let foreign = id.chars().find(|c| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')))?;
    Some(format!("a tool id is made of `A-Z a-z 0-9 _ - .`, and this one has {foreign:?}"))
}

/// The place of something that the author wrote, for what we write there. The compiler goes by the context of a span to see
/// who wrote a token, and reports no lint where it was a macro of another crate.
pub(crate) fn ours_at(place: Span) -> Span {
    Span::call_site().located_at(place)
}

/// A name of the author's as a name of the generated code, in its own place.
pub(crate) fn ours(name: &Ident) -> Ident {
    let span = ours_at(name.span());
    let text = name.to_string();
    // Keywords of our edition, which may be names in the author's.
    if ["async", "await", "dyn", "gen", "try"].contains(&text.as_str()) {
        return Ident::new_raw(&text, span);
    }
    let mut name = name.clone();
    name.set_span(span);
    name
}

/// An identifier's text without `r#`.
pub(crate) fn plain(ident: &Ident) -> String {
    ident.unraw().to_string()
}

/// `search_orders` as `SearchOrders`.
pub(crate) fn upper_camel_case(name: &str) -> String {
    name.split('_')
        .flat_map(|word| {
            let mut letters = word.chars();
            letters.next().into_iter().flat_map(char::to_uppercase).chain(letters)
        })
        .collect()
}

/// What other frameworks call a key.
const SYNONYMS: [(&str, &str); 10] = [
    ("name", "id"),
    ("desc", "description"),
    ("about", "description"),
    ("doc", "description"),
    ("readonly", "read_only"),
    ("regex", "pattern"),
    ("min", "range"),
    ("max", "range"),
    ("min_length", "length"),
    ("max_length", "length"),
];

/// "did you mean `…`?" for a slip of the pen or another framework's key; otherwise the names that are known.
pub(crate) fn suggestion(given: &str, known: &[&str]) -> String {
    let synonym = SYNONYMS.iter().find(|(theirs, ours)| *theirs == given && known.contains(ours));
    if let Some((_, ours)) = synonym {
        return format!("did you mean `{ours}`?");
    }
    match nearest(given, known) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("there are {}", list(known)),
    }
}

/// The name of which the given one is a slip of the pen.
pub(crate) fn nearest<'a>(given: &str, known: &[&'a str]) -> Option<&'a str> {
    known
        .iter()
        .map(|name| (strsim::jaro_winkler(given, name), *name))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, name)| name)
}

/// "`a`, `b` and `c`".
pub(crate) fn list(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_names_follow_the_function() {
        for (name, expected) in
            [("search_orders", "SearchOrders"), ("_x9_y", "X9Y"), ("élan_vital", "ÉlanVital"), ("a__b", "AB")]
        {
            assert_eq!(upper_camel_case(name), expected);
        }
    }

    #[test]
    fn ids_keep_to_the_rule_of_mcp() {
        assert_eq!(id_fault("Az09_-."), None);
        assert_eq!(id_fault(&"a".repeat(128)), None);
        assert!(id_fault(&"a".repeat(129)).is_some_and(|fault| fault.ends_with("has 129")));
        assert!(id_fault("").is_some_and(|fault| fault.ends_with("has 0")));
        assert!(id_fault("a b").is_some_and(|fault| fault.ends_with("has ' '")));
    }

    #[test]
    fn a_slip_is_corrected_and_a_stranger_gets_the_list() {
        assert_eq!(suggestion("recovry", &["recovery", "target"]), "did you mean `recovery`?");
        assert_eq!(suggestion("x", &["recovery", "target"]), "there are `recovery` and `target`");
    }
}
