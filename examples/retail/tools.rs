//! The sixteen tools of the shop, each an ordinary function under `#[tool]`.
//!
//! A function's doc comment is what the model reads about the tool, and its parameters' doc comments are what it
//! reads about the arguments. `#[state]` parameters are no arguments: the program hands them over once, in
//! [`registry`], and the model never sees them.
//!
//! # What the attributes claim
//!
//! - `read_only`: looks, and changes nothing. Such a tool may be called again at any time.
//! - `destructive`: overwrites what was there, and does not only add to it. A host may want to ask a person first.
//! - `recovery = replay_safe`: doing it twice is doing it once, so a call that was cut off by a crash may simply be
//!   made again. True of a new address. *Not* true of a cancellation, a payment, a return or an exchange, although
//!   the order's status keeps a second call from taking effect: that second call would be answered with a refusal,
//!   and the model would believe that nothing had happened. Those stay at the default, `non_recoverable`, and a
//!   cut-off call is reported as what it is, unknown.

mod catalog;
mod customers;
mod delivered;
mod general;
mod orders;
mod swap;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use tool_core::{RawToolRegistry, erase};

use crate::store::Store;

/// All tools over one store, in the order in which a model is offered them.
pub(crate) fn registry(store: &Arc<Store>) -> RawToolRegistry {
    let store = || Arc::clone(store);
    RawToolRegistry::new([
        erase(customers::FindUserIdByEmail::new(store())),
        erase(customers::FindUserIdByNameZip::new(store())),
        erase(customers::GetUserDetails::new(store())),
        erase(customers::ModifyUserAddress::new(store())),
        erase(catalog::ListAllProductTypes::new(store())),
        erase(catalog::GetProductDetails::new(store())),
        erase(orders::GetOrderDetails::new(store())),
        erase(orders::ModifyPendingOrderAddress::new(store())),
        erase(orders::ModifyPendingOrderPayment::new(store())),
        erase(orders::ModifyPendingOrderItems::new(store())),
        erase(orders::CancelPendingOrder::new(store())),
        erase(delivered::ReturnDeliveredOrderItems::new(store())),
        erase(delivered::ExchangeDeliveredOrderItems::new(store())),
        erase(general::Calculate),
        erase(general::Think),
        erase(general::TransferToHumanAgents),
    ])
}
