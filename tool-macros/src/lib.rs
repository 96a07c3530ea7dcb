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

/// Turns a function into a tool that a language model can call.
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
/// | `read_only`, `destructive`, `open_world` | behaviour; `= false` states the opposite | not stated |
/// | `crate = path` | where tool-core is re-exported | `::tool_core` |
///
/// `id`, `title` and `description` take any constant string expression.
///
/// # On the parameters
///
/// * Unmarked: the model writes it, as a property of a JSON object. Any type that is `Deserialize + JsonSchema`, and
///   `&str` and `&[T]`, which are decoded owned and lent. What may be absent is decided by the type, as serde does
///   (`Option<T>`), or by a default. The doc comment describes it.
/// * `#[arg(default)]`, `#[arg(default = EXPR)]`: the value where the model writes none; a string literal is converted
///   with `Into`. `#[arg(rename = "…")]`: another name on the wire. `#[arg(description = "…")]`: in place of the doc
///   comment. `#[arg(not_runtime)]`: a business field that happens to bear the name of a runtime coordinate.
/// * `#[state]`: the tool's own, shared between calls and taken by the type's constructor: `&T` is held as an `Arc<T>`,
///   anything else is cloned for each call.
/// * `#[context]`: `&ToolContext`, what the runtime says of the call.
///
/// # What it returns
///
/// Any `Serialize` value, `ToolOutput`, content blocks, `()`, or a `Result` of one of these. An error is any
/// `Display + Send + 'static`: the model reads its text.
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
