//! The keys of `#[tool(…)]` on a function.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, Path, Token};

use crate::attributes::{Entry, Slot, entries};
use crate::diagnostics::Errors;
use crate::docs::{self, Text};

/// What `#[tool(…)]` says.
pub(crate) struct Options {
    pub(crate) id: Slot<Expr>,
    pub(crate) title: Slot<Text>,
    pub(crate) description: Slot<Text>,
    pub(crate) type_name: Slot<Ident>,
    pub(crate) recovery: Slot<Recovery>,
    pub(crate) target: Slot<Target>,
    pub(crate) read_only: Slot<bool>,
    pub(crate) destructive: Slot<bool>,
    pub(crate) open_world: Slot<bool>,
    pub(crate) private_data: Slot<bool>,
    pub(crate) untrusted_input: Slot<bool>,
    pub(crate) egress: Slot<&'static str>,
    pub(crate) concurrency: Slot<Concurrency>,
    pub(crate) exclusive_sandbox: Slot<bool>,
    pub(crate) timeout: Slot<u64>,
    pub(crate) max_result_chars: Slot<Expr>,
    pub(crate) blocking: Slot<bool>,
    pub(crate) idempotency_key: Slot<Expr>,
    pub(crate) aborts_siblings_on_error: Slot<bool>,
    pub(crate) counts_toward_call_limit: Slot<bool>,
    pub(crate) counts_toward_termination_vote: Slot<bool>,
    pub(crate) history: Slot<History>,
    pub(crate) identity: Slot<Identity>,
    pub(crate) prepare: Slot<Path>,
    pub(crate) carried_state: Slot<Path>,
    /// Paths, each with its place.
    pub(crate) secrets: Slot<Vec<(String, Span)>>,
    pub(crate) strict: Slot<bool>,
    pub(crate) crate_path: Slot<Path>,
}

/// `recovery = …`, by the name of the capability.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Recovery {
    NonRecoverable,
    ReplaySafe,
    /// `ambient`: the body reads the operation token without `#[context]`.
    Idempotent {
        ambient: bool,
    },
    DurableRequest,
}

/// `target = …`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    Brain,
    Sandbox,
}

/// `concurrency = …`.
pub(crate) enum Concurrency {
    Parallel,
    Serial,
    Resources(Vec<Claim>),
}

/// `read("order", order_id)`.
pub(crate) struct Claim {
    pub(crate) access: Ident,
    pub(crate) namespace: Expr,
    pub(crate) key: Expr,
}

/// `history(deduplicate_by = path, compact, pin)`.
pub(crate) struct History {
    pub(crate) deduplicate_by: Vec<Ident>,
    pub(crate) compact: bool,
    pub(crate) pin: bool,
}

/// `identity(operation = "read", target = path, key = format!("{from}"))`.
pub(crate) struct Identity {
    pub(crate) operation: Text,
    pub(crate) target: Option<Expr>,
    pub(crate) key: Option<Expr>,
}

const KEYS: [&str; 28] = [
    "id",
    "title",
    "description",
    "type",
    "recovery",
    "target",
    "read_only",
    "destructive",
    "open_world",
    "private_data",
    "untrusted_input",
    "egress",
    "concurrency",
    "exclusive_sandbox",
    "timeout",
    "max_result_chars",
    "blocking",
    "idempotency_key",
    "aborts_siblings_on_error",
    "counts_toward_call_limit",
    "counts_toward_termination_vote",
    "history",
    "identity",
    "prepare",
    "carried_state",
    "secrets",
    "strict",
    "crate",
];

const EGRESS: [(&str, &str); 3] = [("none", "None"), ("blind", "Blind"), ("chosen", "Chosen")];
const TARGETS: [(&str, Target); 2] = [("brain", Target::Brain), ("sandbox", Target::Sandbox)];
const RECOVERIES: [(&str, Recovery); 4] = [
    ("non_recoverable", Recovery::NonRecoverable),
    ("idempotent", Recovery::Idempotent { ambient: false }),
    ("durable_request", Recovery::DurableRequest),
    ("replay_safe", Recovery::ReplaySafe),
];

impl Options {
    fn none() -> Self {
        Self {
            id: Slot::new("id"),
            title: Slot::new("title"),
            description: Slot::new("description"),
            type_name: Slot::new("type"),
            recovery: Slot::new("recovery"),
            target: Slot::new("target"),
            read_only: Slot::new("read_only"),
            destructive: Slot::new("destructive"),
            open_world: Slot::new("open_world"),
            private_data: Slot::new("private_data"),
            untrusted_input: Slot::new("untrusted_input"),
            egress: Slot::new("egress"),
            concurrency: Slot::new("concurrency"),
            exclusive_sandbox: Slot::new("exclusive_sandbox"),
            timeout: Slot::new("timeout"),
            max_result_chars: Slot::new("max_result_chars"),
            blocking: Slot::new("blocking"),
            idempotency_key: Slot::new("idempotency_key"),
            aborts_siblings_on_error: Slot::new("aborts_siblings_on_error"),
            counts_toward_call_limit: Slot::new("counts_toward_call_limit"),
            counts_toward_termination_vote: Slot::new("counts_toward_termination_vote"),
            history: Slot::new("history"),
            identity: Slot::new("identity"),
            prepare: Slot::new("prepare"),
            carried_state: Slot::new("carried_state"),
            secrets: Slot::new("secrets"),
            strict: Slot::new("strict"),
            crate_path: Slot::new("crate"),
        }
    }

    /// Reads the attribute's tokens.
    pub(crate) fn read(tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut options = Self::none();
        for entry in entries(tokens, errors) {
            options.take(&entry, errors);
        }
        options
    }

    fn take(&mut self, entry: &Entry, errors: &mut Errors) {
        /// Puts a value that was read into its slot.
        macro_rules! set {
            ($slot:ident, $value:expr) => {
                if let Some(value) = $value {
                    self.$slot.set(entry.key.span(), value, errors);
                }
            };
        }
        match entry.key.to_string().as_str() {
            "id" => set!(id, entry.required(r#"id = "search_orders""#, errors).cloned()),
            "title" => set!(title, entry.required(r#"title = "Search orders""#, errors).map(Text::of)),
            "description" => {
                set!(description, entry.required(r#"description = "Searches orders.""#, errors).map(Text::of));
            }
            "type" => set!(type_name, entry.word("type = SearchOrders", errors)),
            "recovery" => set!(recovery, recovery(entry, errors)),
            "target" => set!(target, entry.one_of(&TARGETS, errors)),
            "read_only" => set!(read_only, entry.flag(errors)),
            "destructive" => set!(destructive, entry.flag(errors)),
            "open_world" => set!(open_world, entry.flag(errors)),
            "private_data" => set!(private_data, entry.flag(errors)),
            "untrusted_input" => set!(untrusted_input, entry.flag(errors)),
            "egress" => set!(egress, entry.one_of(&EGRESS, errors)),
            "concurrency" => set!(concurrency, concurrency(entry, errors)),
            "exclusive_sandbox" => set!(exclusive_sandbox, entry.flag(errors)),
            "timeout" => set!(timeout, timeout(entry, errors)),
            "max_result_chars" => {
                set!(max_result_chars, entry.required("max_result_chars = 20_000", errors).cloned());
            }
            "blocking" => set!(blocking, entry.flag(errors)),
            "idempotency_key" => set!(idempotency_key, entry.required("idempotency_key = order_id", errors).cloned()),
            "aborts_siblings_on_error" => set!(aborts_siblings_on_error, entry.flag(errors)),
            "counts_toward_call_limit" => set!(counts_toward_call_limit, entry.flag(errors)),
            "counts_toward_termination_vote" => set!(counts_toward_termination_vote, entry.flag(errors)),
            "history" => set!(history, history(entry, errors)),
            "identity" => set!(identity, identity(entry, errors)),
            "prepare" => set!(prepare, path(entry, "prepare = rename_old_keys", errors)),
            "carried_state" => set!(carried_state, path(entry, "carried_state = open_tasks", errors)),
            "secrets" => set!(secrets, secrets(entry, errors)),
            "strict" => set!(strict, entry.flag(errors)),
            "crate" => set!(crate_path, path(entry, "crate = my_crate::tool_core", errors)),
            _ => entry.unknown("#[tool]", &KEYS, errors),
        }
    }
}

/// `replay_safe` and its like, or `idempotent(ambient)`.
fn recovery(entry: &Entry, errors: &mut Errors) -> Option<Recovery> {
    if let Some(call) = called(entry) {
        let ambient = call.args.iter().all(|argument| is_word(argument, "ambient")) && call.args.len() == 1;
        if is_word(&call.func, "idempotent") && ambient {
            return Some(Recovery::Idempotent { ambient: true });
        }
        errors.at_tokens(call, "only `idempotent` takes something in parentheses: `recovery = idempotent(ambient)`");
        return None;
    }
    entry.one_of(&RECOVERIES, errors)
}

/// `parallel`, `serial`, or `resources(read("order", order_id), …)`.
fn concurrency(entry: &Entry, errors: &mut Errors) -> Option<Concurrency> {
    let Some(call) = called(entry) else {
        let word = entry.word("concurrency = parallel", errors)?;
        let parallel = entry.among(&word, &[("serial", false), ("parallel", true)], errors)?;
        return Some(if parallel { Concurrency::Parallel } else { Concurrency::Serial });
    };
    let example = r#"concurrency = resources(read("order", order_id), write("user", user_id))"#;
    if !is_word(&call.func, "resources") || call.args.is_empty() {
        errors.at_tokens(call, format!("expected `parallel`, `serial` or the resources: `{example}`"));
        return None;
    }
    let claims: Vec<Claim> = call.args.iter().filter_map(|argument| claim(argument, errors)).collect();
    (claims.len() == call.args.len()).then_some(Concurrency::Resources(claims))
}

fn claim(argument: &Expr, errors: &mut Errors) -> Option<Claim> {
    if let Expr::Call(call) = argument
        && let Expr::Path(path) = &*call.func
        && let Some(access) = path.path.get_ident()
        && (access == "read" || access == "write")
        && let [namespace, key] = call.args.iter().collect::<Vec<_>>()[..]
    {
        return Some(Claim { access: access.clone(), namespace: namespace.clone(), key: key.clone() });
    }
    errors.at_tokens(argument, r#"a resource is `read("kind", key)` or `write("kind", key)`"#);
    None
}

/// `"30s"` in milliseconds.
fn timeout(entry: &Entry, errors: &mut Errors) -> Option<u64> {
    let (text, span) = entry.text(r#"timeout = "30s""#, errors)?;
    let milliseconds = duration(&text);
    if milliseconds.is_none() {
        errors.at(span, "a duration is a whole number above 0 and a unit (`ms`, `s`, `m`, `h`): `timeout = \"30s\"`");
    }
    milliseconds
}

fn duration(text: &str) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(digits);
    let factor = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(factor).filter(|milliseconds| *milliseconds > 0)
}

fn history(entry: &Entry, errors: &mut Errors) -> Option<History> {
    const KEYS: [&str; 3] = ["deduplicate_by", "compact", "pin"];
    let group = entry.list("history(deduplicate_by = path, compact, pin)", errors)?;
    let mut deduplicate_by = Slot::new("deduplicate_by");
    let mut compact = Slot::new("compact");
    let mut pin = Slot::new("pin");
    for entry in entries(group.stream(), errors) {
        let key = entry.key.span();
        match entry.key.to_string().as_str() {
            "deduplicate_by" => {
                if let Some(names) = argument_names(&entry, errors) {
                    deduplicate_by.set(key, names, errors);
                }
            }
            "compact" => {
                entry.alone(errors);
                compact.set(key, true, errors);
            }
            "pin" => {
                entry.alone(errors);
                pin.set(key, true, errors);
            }
            _ => entry.unknown("history", &KEYS, errors),
        }
    }
    Some(History {
        deduplicate_by: deduplicate_by.get().cloned().unwrap_or_default(),
        compact: compact.is_set(),
        pin: pin.is_set(),
    })
}

/// `("login.password", "items.pin")`
fn secrets(entry: &Entry, errors: &mut Errors) -> Option<Vec<(String, Span)>> {
    let example = r#"secrets("login.password")"#;
    let group = entry.list(example, errors)?;
    let paths = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(group.stream());
    let paths = paths.map(|paths| {
        let paths = paths.iter().map(|path| Some((docs::string_literal(path)?, path.span())));
        paths.collect::<Option<Vec<_>>>().unwrap_or_default()
    });
    match paths {
        Ok(paths) if !paths.is_empty() => Some(paths),
        _ => {
            let tokens = TokenStream::from(TokenTree::Group(group.clone()));
            errors.at_tokens(&tokens, format!("`secrets` takes the paths of properties, each in quotes: `{example}`"));
            None
        }
    }
}

/// `path`, or `(path, range)`: parameters by name.
fn argument_names(entry: &Entry, errors: &mut Errors) -> Option<Vec<Ident>> {
    let example = "deduplicate_by = path";
    let names = match entry.required(example, errors)? {
        Expr::Tuple(tuple) => tuple.elems.iter().map(word).collect(),
        single => word(single).map(|name| vec![name]),
    };
    if names.is_none() {
        errors.at(entry.key.span(), format!("`deduplicate_by` takes the names of parameters: `{example}`"));
    }
    names
}

fn identity(entry: &Entry, errors: &mut Errors) -> Option<Identity> {
    const KEYS: [&str; 3] = ["operation", "target", "key"];
    let example = r#"identity(operation = "read", target = path)"#;
    let group = entry.list(example, errors)?;
    let mut operation = Slot::new("operation");
    let mut target = Slot::new("target");
    let mut key_slot = Slot::new("key");
    for entry in entries(group.stream(), errors) {
        let key = entry.key.span();
        let slot_value = entry.required(example, errors).cloned();
        match (entry.key.to_string().as_str(), slot_value) {
            ("operation", Some(value)) => operation.set(key, Text::of(&value), errors),
            ("target", Some(value)) => target.set(key, value, errors),
            ("key", Some(value)) => key_slot.set(key, value, errors),
            ("operation" | "target" | "key", None) => {}
            _ => entry.unknown("identity", &KEYS, errors),
        }
    }
    let Some(operation) = operation.get().cloned() else {
        errors.at(entry.key.span(), format!("`identity` needs the operation: `{example}`"));
        return None;
    };
    Some(Identity { operation, target: target.get().cloned(), key: key_slot.get().cloned() })
}

fn path(entry: &Entry, example: &str, errors: &mut Errors) -> Option<Path> {
    match entry.required(example, errors)? {
        Expr::Path(path) if path.qself.is_none() => Some(path.path.clone()),
        other => {
            errors.at_tokens(other, format!("expected a path without quotes: `{example}`"));
            None
        }
    }
}

/// The value as a call, `word(…)`.
fn called(entry: &Entry) -> Option<&ExprCall> {
    match &entry.value {
        crate::attributes::Value::Is(Expr::Call(call)) => Some(call),
        _ => None,
    }
}

fn word(expression: &Expr) -> Option<Ident> {
    match expression {
        Expr::Path(path) => path.path.get_ident().cloned(),
        _ => None,
    }
}

fn is_word(expression: &Expr, expected: &str) -> bool {
    word(expression).is_some_and(|word| word == expected)
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn durations_are_whole_numbers_above_zero_with_a_unit() {
        for (text, milliseconds) in [
            ("30s", Some(30_000)),
            ("250ms", Some(250)),
            ("2m", Some(120_000)),
            ("1h", Some(3_600_000)),
            ("0s", None),
            ("30", None),
            ("s", None),
            ("", None),
            ("-1s", None),
            ("1.5s", None),
            ("1 s", None),
            ("99999999999999999999s", None),
            ("18446744073709551615h", None),
        ] {
            assert_eq!(duration(text), milliseconds, "{text}");
        }
    }
}
