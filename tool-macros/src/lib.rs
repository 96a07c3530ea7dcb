//! The `#[tool]` attribute of tool-core; use it from there.
//!
//! An expansion goes through three stages, each a module: `parse` reads what is written, `validate` applies
//! the rules, one mistake one error at its token, and `expand` writes the code.

mod attributes;
mod diagnostics;
mod docs;
mod expand;
mod names;
mod parse;
mod types;
mod validate;

use proc_macro2::TokenStream;

use crate::parse::ToolItem;

/// Turns a function, or the methods of an `impl` block, into tools that a language model can call.
///
/// The function stays as it is, for direct calls and tests. Beside it come, with its visibility, a type that implements
/// [`Tool`](trait.Tool.html), named after the function in `UpperCamelCase`, and its argument struct, of the same name
/// and `Args`.
///
/// ```
/// use tool_core::{ToolContext, erase, tool};
///
/// struct Orders;
///
/// /// Searches a customer's orders, newest first.
/// #[tool(read_only)]
/// async fn search_orders(
///     /// Customer id, as printed on the invoice.
///     customer: String,
///     /// How many orders to return.
///     #[arg(default = 10)]
///     limit: u32,
///     #[state] orders: &Orders,
///     #[context] cx: &ToolContext,
/// ) -> Result<Vec<String>, String> {
///     # let _ = (customer, limit, orders, cx);
///     Ok(vec![])
/// }
///
/// let tool = erase(SearchOrders::new(Orders));
/// assert_eq!(tool.id(), "search_orders");
/// ```
///
/// # On the function
///
/// The doc comment is the description that the model reads. In `#[tool(…)]`:
///
/// | key | meaning | without it |
/// |---|---|---|
/// | `id = "…"` | the name that the model calls | the function's name |
/// | `title = "…"` | the name that people see | none |
/// | `description = "…"` | what the model reads, in place of the doc comment | the doc comment |
/// | `type = Name` | the name of the generated type | the function's name in `UpperCamelCase` |
/// | `recovery = …` | `non_recoverable`, `replay_safe`, `idempotent`, `durable_request` | `replay_safe` with `read_only`, else `non_recoverable` |
/// | `target = …` | `brain` or `sandbox` | `brain` |
/// | `read_only`, `destructive`, `open_world` | what it does to the world | not stated |
/// | `private_data`, `untrusted_input`, `egress = none\|blind\|chosen` | what it does to confidence | not stated |
/// | `concurrency = parallel\|serial\|resources(read("kind", expr), write("kind", expr))` | what may run beside it | `serial` |
/// | `exclusive_sandbox` | it needs the run's sandbox for itself | no |
/// | `timeout = "30s"` | how long a call may take (`ms`, `s`, `m`, `h`) | the runtime's limit |
/// | `max_result_chars = EXPR` | how much of a result the model is shown | the runtime's limit |
/// | `blocking` | a plain function that blocks: its body runs on the pool for that | no |
/// | `idempotency_key = EXPR` | the key under which two calls of a workspace are one | none |
/// | `aborts_siblings_on_error` | its failure ends the other calls of its batch | no |
/// | `counts_toward_call_limit`, `counts_toward_termination_vote` | how a turn counts it | yes, no |
/// | `history(deduplicate_by = arg, compact, pin)` | what may become of its results later | they stay |
/// | `identity(operation = "…", target = EXPR, key = EXPR)` | what a call is about, to tell circles | not stated |
/// | `prepare = path` | `fn(Value) -> Result<Value, ToolError>`, pure, before the arguments are decoded | none |
/// | `carried_state = path` | `async fn(&State, …) -> Option<String>` over the tool's state, or a method `async fn(&self)` of the block: what is told of it after a conversation was cut | none |
/// | `secrets("login.password")` | properties within the arguments, or of `#[args]`, that no message and no log shows | none |
/// | `strict` | arguments are not repaired | they are |
/// | `crate = path` | where tool-core is re-exported | `::tool_core` |
///
/// What is declared for a runtime (`timeout`, `max_result_chars`, `concurrency`, `egress`, `history` and their like) arrives in
/// the descriptor; a registry, or a server of single calls, does not act on it. `strict` and `blocking` take effect everywhere.
/// Without `strict`, what the schema makes unambiguous is repaired: a number as a string, a doubly encoded object.
///
/// `id`, `title` and `description` take any constant string expression. `EXPR` behind `resources`, `idempotency_key` and
/// `identity` sees each argument by its name, as a reference. A flag can be denied: `destructive = false`. An idempotent tool
/// takes `#[context]` or has an `idempotency_key`; one whose body reads the token ambiently says `idempotent(ambient)`.
///
/// # On the parameters
///
/// * Unmarked: the model writes it, as a property of a JSON object. Any type that is `Deserialize + JsonSchema`, also lent:
///   `&str`, `&[T]`, `&T`. What may be absent is decided by the type, as serde does (`Option<T>`), or by a default. The doc
///   comment describes it.
/// * `#[arg(…)]`: `default`, `default = EXPR` (a string literal is converted with `Into`), `rename = "…"`, `range(1..=100)`,
///   `length(1..=80)` (characters, items or properties), `pattern = "…"`, `example = EXPR`, `description = "…"`,
///   `deprecated`, `secret` (no message about faulty arguments quotes it, and a listing shows `[redacted]`; the model sees
///   no difference), and `not_runtime` for a business field that happens to bear the name of a runtime coordinate.
/// * Of serde's keys `default`, `default = "path"` and `rename` may be written as serde has them, of schemars' `range`,
///   `length`, `regex`, `example` and `description`; every other is refused by name, since there is no derive behind it.
/// * `#[args]`: the whole object as one type, a struct or a tagged enum of your own.
/// * `#[state]`: the tool's own, shared between calls and taken by the type's constructor: `&T` is held as an `Arc<T>`,
///   anything else is cloned for each call.
/// * `#[context]`: `&ToolContext`, what the runtime says of the call.
///
/// # On an `impl` block
///
/// Methods with `#[tool]` that take `&self` are tools over one shared value; `tools` gives them, erased, in the order of the
/// source. The block may be generic. A second block of the type names its function: `#[tool(tools = admin_tools)]`. The
/// types are named after both: `ShopCancel`.
///
/// ```
/// use std::sync::Arc;
/// use tool_core::{RawToolRegistry, tool};
///
/// struct Shop;
///
/// #[tool]
/// impl Shop {
///     /// Cancels an order.
///     #[tool(destructive)]
///     async fn cancel(&self, order_id: &str) -> Result<String, String> {
///         Err(format!("{order_id}: not found"))
///     }
///
///     /// Lists the orders.
///     #[tool(read_only)]
///     fn list(&self) -> Vec<String> {
///         vec![]
///     }
/// }
///
/// let registry = RawToolRegistry::new(Shop::tools(Arc::new(Shop)));
/// assert_eq!(registry.len(), 2);
/// ```
///
/// In a generic block only declared bounds count: a type parameter as an argument is `DeserializeOwned + JsonSchema + Send`, as
/// a result `Serialize`, and has an output schema where it is declared `JsonSchema`. A parameter that turns out to be a
/// `Result` is not told from a plain value.
///
/// # What it returns
///
/// Any `Serialize` value, `ToolOutput`, content blocks, `()`, an `Outcome` of one of these, which may be a wait, or a `Result`
/// of any. An error is any `Display + Send + 'static`: the model reads its text. Where the type has a `JsonSchema` that says
/// more than "a text", it is the tool's output schema.
///
/// # When it does not compile
///
/// Each mistake is one error at its token. The page `docs/mistakes.md` of the repository shows the twelve commonest.
#[proc_macro_attribute]
pub fn tool(attribute: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expand_tool(attribute.into(), item.into()).into()
}

fn expand_tool(attribute: TokenStream, item: TokenStream) -> TokenStream {
    match parse::tool(attribute, item) {
        ToolItem::Function(parsed, errors) => match validate::function(&parsed, errors) {
            Ok(valid) => expand::function(&valid),
            Err(errors) => expand::function_stub(&parsed, &errors),
        },
        ToolItem::Block(parsed, errors) => match validate::block::block(&parsed, errors) {
            Ok(valid) => expand::block(&valid),
            Err(errors) => expand::block_stub(&parsed, &errors),
        },
        ToolItem::Other(item, error) => expand::other(&item, &error),
    }
}
