//! Three tools that reach outside, each with the recovery that it can truthfully claim. They may run beside each other, so
//! that a crash finds all three in the middle.

use std::sync::Arc;

use tool_core::{AllowAll, RawToolRegistry, ToolContext, ToolRuntime, erase, tool};
use tool_ledger::SqliteLedger;

use super::outside::Outside;
use crate::store::{Data, Store};
use crate::tools;

/// Asks the parcel service where an order is.
#[tool(read_only, concurrency = parallel)]
async fn track_parcel(order_id: &str, #[state] outside: &Outside) -> Result<String, std::io::Error> {
    outside.effect("parcel service", &format!("asked for {order_id}")).await?;
    Ok(format!("{order_id} was handed over on Monday."))
}

/// Books a courier who fetches what a customer sends back.
#[tool(recovery = idempotent, concurrency = parallel)]
async fn book_pickup(
    order_id: &str,
    #[state] outside: &Outside,
    #[context] cx: &ToolContext,
) -> Result<String, String> {
    // The operation's token is the same in every attempt, and the courier is one who asks for it and recognises it.
    let token = cx.operation_token().ok_or("a pickup is booked in a run")?.ledger_id();
    let booking = format!("booked for {order_id} under {token}");
    if !outside.done("courier").contains(&booking) {
        outside.effect("courier", &booking).await.map_err(|error| error.to_string())?;
    }
    Ok(format!("A courier comes for {order_id} on Thursday."))
}

/// Pays money back to the method that paid for an order.
// No recovery is claimed: this bank pays as often as it is asked to.
#[tool(destructive, concurrency = parallel)]
async fn refund_order(order_id: &str, dollars: f64, #[state] outside: &Outside) -> Result<String, std::io::Error> {
    outside.effect("bank", &paid(order_id, dollars)).await?;
    Ok(refunded(order_id, dollars))
}

/// The bank's line for a refund.
pub(super) fn paid(order_id: &str, dollars: f64) -> String {
    format!("paid ${dollars:.2} back for {order_id}")
}

/// What the model is told of a refund.
pub(super) fn refunded(order_id: &str, dollars: f64) -> String {
    format!("${dollars:.2} were paid back for {order_id}.")
}

/// The runtime of both processes: the same tools over the same ledger.
pub(super) fn runtime(outside: Outside, ledger: SqliteLedger) -> anyhow::Result<ToolRuntime> {
    let shop = tools::registry(&Arc::new(Store::new(Data::sample()?)));
    let outside = Arc::new(outside);
    let tools = [
        erase(TrackParcel::new(Arc::clone(&outside))),
        erase(BookPickup::new(Arc::clone(&outside))),
        erase(RefundOrder::new(outside)),
    ];
    let registry = RawToolRegistry::try_new(shop.get("get_order_details").cloned().into_iter().chain(tools))?;
    // Approvals are another story, which `retail` without a command tells.
    Ok(ToolRuntime::builder(registry).gate(AllowAll).ledger(ledger).build()?)
}
