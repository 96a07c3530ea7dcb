//! Tools that need no data.

use tool_core::tool;

use crate::calculator;
use crate::refusal::Refusal;

/// Works out an arithmetic expression and answers its value, rounded to two decimals.
#[tool(read_only)]
pub(crate) fn calculate(
    /// What to work out, for example `3 * (19.99 + 4.5)`: numbers, `+`, `-`, `*`, `/`, parentheses and spaces.
    expression: &str,
) -> Result<String, Refusal> {
    Ok(calculator::calculate(expression)?)
}

/// A place to think before acting: nothing is looked up, nothing changes, and the answer is empty.
///
/// Useful for laying out the steps of an involved request, or for keeping intermediate results in view.
#[tool(read_only)]
pub(crate) fn think(
    /// The thought, in your own words.
    thought: &str,
) -> String {
    // The thought has done its work by being written: it stands in the model's own transcript.
    let _ = thought;
    String::new()
}

/// Hands the conversation over to a human colleague.
///
/// For customers who ask for a person, and for requests that none of your tools can settle. Your part ends here.
#[tool(destructive = false)]
pub(crate) fn transfer_to_human_agents(
    /// What the colleague has to know: who the customer is, what they want, and what has been done so far.
    summary: &str,
) -> String {
    // A real shop would put the summary into the queue of its call centre. Not `read_only`, because two calls would
    // be two hand-overs there.
    let _ = summary;
    "Transfer successful".to_owned()
}
