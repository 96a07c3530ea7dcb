//! Names that a provider takes, and the way back to a tool's id.

use std::collections::{BTreeMap, BTreeSet};

use super::ExportFormat;
use crate::call::ToolCall;
use crate::hex;

/// What a provider takes as a tool's name.
struct NameRule {
    longest: usize,
    punctuation: &'static str,
    /// Whether the first character must be a letter or `_`.
    letter_first: bool,
}

fn rule(format: ExportFormat) -> NameRule {
    match format {
        ExportFormat::Mcp => NameRule { longest: 128, punctuation: "_.-", letter_first: false },
        ExportFormat::Gemini | ExportFormat::GeminiJsonSchema => {
            NameRule { longest: 64, punctuation: "_.:-", letter_first: true }
        }
        _ => NameRule { longest: 64, punctuation: "_-", letter_first: false },
    }
}

impl NameRule {
    fn takes(&self, character: char) -> bool {
        character.is_ascii_alphanumeric() || self.punctuation.contains(character)
    }

    fn takes_first(&self, character: char) -> bool {
        !self.letter_first || character.is_ascii_alphabetic() || character == '_'
    }

    fn accepts(&self, id: &str) -> bool {
        id.len() <= self.longest
            && id.chars().next().is_some_and(|first| self.takes_first(first))
            && id.chars().all(|character| self.takes(character))
    }

    /// The id with what is not taken replaced; any length.
    fn replaced(&self, id: &str) -> String {
        let mut name: String = id.chars().map(|c| if self.takes(c) { c } else { '_' }).collect();
        if name.is_empty() {
            name.push_str("tool");
        }
        if !name.starts_with(|first| self.takes_first(first)) {
            name.insert(0, '_');
        }
        name
    }

    /// The name with a hash of the id, cut so that both fit. It is ASCII by now.
    fn hashed(&self, name: &str, id: &str, attempt: u32) -> String {
        let mut hash = hmac_sha256::Hash::new();
        hash.update(id.as_bytes());
        if attempt > 0 {
            hash.update(attempt.to_be_bytes());
        }
        let [a, b, c, d, ..] = hash.finalize();
        let hash = hex::encode(&[a, b, c, d]);
        let kept = name.get(..name.len().min(self.longest - hash.len() - 1)).unwrap_or_default();
        format!("{kept}_{hash}")
    }
}

/// The name of one tool by itself: its id where the provider takes that.
pub(super) fn provider_name(format: ExportFormat, id: &str) -> String {
    let rule = rule(format);
    if rule.accepts(id) {
        return id.to_owned();
    }
    let name = rule.replaced(id);
    if name.len() > rule.longest { rule.hashed(&name, id, 0) } else { name }
}

/// Which name stands for which tool in a request to one provider, both ways.
///
/// An id that the provider takes is its own name. Of any other, each character that is refused becomes `_`; a name that
/// is then too long is cut and gets a short hash of the id, and so does each one that would be borne by two tools. The
/// names depend on the set of ids alone, not on their order: they are the same on every start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameMap {
    names: BTreeMap<String, String>,
    ids: BTreeMap<String, String>,
}

impl NameMap {
    /// Names these tools for a provider.
    pub fn new<'a>(format: ExportFormat, ids: impl IntoIterator<Item = &'a str>) -> Self {
        let rule = rule(format);
        let ids: BTreeSet<&str> = ids.into_iter().collect();
        let mut map = Self::default();
        let (accepted, refused): (Vec<&str>, Vec<&str>) = ids.into_iter().partition(|id| rule.accepts(id));
        for id in accepted {
            map.insert(id, id.to_owned());
        }
        let mut wanted: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for id in refused {
            wanted.entry(provider_name(format, id)).or_default().push(id);
        }
        // The names that nobody else wants are given first, so that no hash can take one.
        let (contested, free): (Vec<_>, Vec<_>) =
            wanted.into_iter().partition(|(name, ids)| ids.len() > 1 || map.ids.contains_key(name));
        for (name, ids) in free {
            for id in ids {
                map.insert(id, name.clone());
            }
        }
        for (_, ids) in contested {
            for id in ids {
                let base = rule.replaced(id);
                let mut names = (0..).map(|attempt| rule.hashed(&base, id, attempt));
                if let Some(name) = names.find(|name| !map.ids.contains_key(name)) {
                    map.insert(id, name);
                }
            }
        }
        map
    }

    fn insert(&mut self, id: &str, name: String) {
        self.ids.insert(name.clone(), id.to_owned());
        self.names.insert(id.to_owned(), name);
    }

    /// The name under which the provider knows the tool.
    pub fn provider_name(&self, tool_id: &str) -> Option<&str> {
        self.names.get(tool_id).map(String::as_str)
    }

    /// The tool that a call under this name is for.
    pub fn tool_id(&self, provider_name: &str) -> Option<&str> {
        self.ids.get(provider_name).map(String::as_str)
    }

    /// A provider's call, addressed to the tool's own id. A name that is none of these is left as it is, for the registry to
    /// refuse in the words that the model used.
    ///
    /// ```
    /// # use tool_core::{ExportFormat, NameMap, ToolCall};
    /// let names = NameMap::new(ExportFormat::OpenAi, ["orders.search"]);
    /// let call = names.addressed(ToolCall::new("call_1", "orders_search", "{}"));
    /// assert_eq!(&*call.tool_id, "orders.search");
    /// ```
    #[must_use]
    pub fn addressed(&self, call: ToolCall) -> ToolCall {
        match self.tool_id(&call.tool_id) {
            Some(id) if *id != *call.tool_id => ToolCall { tool_id: id.into(), ..call },
            _ => call,
        }
    }

    /// Ids with their names, sorted by id.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.names.iter().map(|(id, name)| (id.as_str(), name.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named<const N: usize>(format: ExportFormat, ids: [&str; N]) -> Vec<(String, String)> {
        NameMap::new(format, ids).iter().map(|(id, name)| (id.to_owned(), name.to_owned())).collect()
    }

    #[test]
    fn an_id_that_the_provider_takes_is_its_own_name() {
        for (format, id) in [
            (ExportFormat::Mcp, "a.b-c_1"),
            (ExportFormat::OpenAi, "a-b"),
            (ExportFormat::Anthropic, "9lives"),
            (ExportFormat::Gemini, "_a:b.c"),
        ] {
            assert_eq!(provider_name(format, id), id);
        }
    }

    #[test]
    fn refused_characters_are_replaced_and_long_names_cut() {
        assert_eq!(provider_name(ExportFormat::OpenAi, "shop.orders/find"), "shop_orders_find");
        assert_eq!(provider_name(ExportFormat::Gemini, "9 lives"), "_9_lives");
        assert_eq!(provider_name(ExportFormat::Anthropic, ""), "tool");
        assert_eq!(provider_name(ExportFormat::Anthropic, "検索"), "__");
        let long = "x".repeat(65);
        let name = provider_name(ExportFormat::OpenAi, &long);
        assert_eq!(name.len(), 64);
        assert!(name.starts_with("xxx") && name != provider_name(ExportFormat::OpenAi, &"x".repeat(66)), "{name}");
        assert_eq!(provider_name(ExportFormat::Mcp, &long), long);
    }

    #[test]
    fn colliding_names_get_a_hash_whatever_the_order_and_lead_back() {
        let ids = ["a.b", "a_b", "a/b", "a b", "c.d"];
        let names = named(ExportFormat::OpenAi, ids);
        let mut turned = ids;
        turned.reverse();
        assert_eq!(named(ExportFormat::OpenAi, turned), names);
        let map = NameMap::new(ExportFormat::OpenAi, ids);
        assert_eq!(map.provider_name("a_b"), Some("a_b"));
        assert_eq!(map.provider_name("c.d"), Some("c_d"));
        assert_eq!(map.iter().map(|(_, name)| name).collect::<BTreeSet<_>>().len(), ids.len());
        for id in ids {
            let name = map.provider_name(id).unwrap_or_default();
            assert!(rule(ExportFormat::OpenAi).accepts(name), "{name}");
            assert_eq!(map.tool_id(name), Some(id));
        }
        assert_eq!(map.tool_id("nobody"), None);
    }

    #[test]
    fn an_id_that_looks_like_a_hashed_name_keeps_it() {
        let hashed =
            NameMap::new(ExportFormat::OpenAi, ["a.b", "a_b"]).provider_name("a.b").unwrap_or_default().to_owned();
        let map = NameMap::new(ExportFormat::OpenAi, ["a.b", "a_b", &hashed]);
        assert_eq!(map.provider_name(&hashed), Some(hashed.as_str()));
        assert_ne!(map.provider_name("a.b"), Some(hashed.as_str()));
    }
}
