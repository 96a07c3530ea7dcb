//! Orders, and what can still be changed before they leave the warehouse.

use tool_core::tool;

use super::swap::Swap;
use crate::records::{Address, CancelReason, Order, Payment, Rest, Status, TransactionType};
use crate::refusal::Refusal;
use crate::store::Store;

/// Shows one order: its items, address, status, payments and deliveries.
#[tool(read_only)]
pub(crate) fn get_order_details(
    /// Id of the order with the `#` it begins with, for example `#W6743211`.
    order_id: &str,
    #[state] store: &Store,
) -> Result<Order, Refusal> {
    store.lock().order(order_id).cloned()
}

/// Cancels an order that is still pending, pays the money back, and answers the order.
///
/// Orders that are already processed, delivered, or have had their items modified cannot be cancelled. What a gift
/// card paid is back on the card at once; other refunds take 5 to 7 business days. Explain this to the customer and
/// wait for a clear yes before you call it: a cancellation cannot be taken back.
#[tool(destructive)]
pub(crate) fn cancel_pending_order(
    /// Id of the order with the `#` it begins with, for example `#W8482047`.
    order_id: &str,
    /// Why the customer cancels. No other reason is accepted.
    reason: CancelReason,
    #[state] store: &Store,
) -> Result<Order, Refusal> {
    let mut data = store.lock();
    let mut order = data.order(order_id)?.clone();
    if order.status != Status::Pending {
        return Err(Refusal::CancelNotPending);
    }

    // Every entry is refunded, an earlier refund among them: that is what the benchmark's own tool does.
    let mut wallet = data.wallet_for(&order);
    for paid in order.payment_history.clone() {
        wallet.refund(&paid.payment_method_id, paid.amount.dollars())?;
        order.payment_history.push(Payment::new(TransactionType::Refund, paid.amount, &paid.payment_method_id));
    }

    order.status = Status::Cancelled;
    order.cancel_reason = Some(reason);
    data.save(order_id, &order, wallet);
    Ok(order)
}

/// Sends a pending order to another address, and answers the order.
///
/// Read the new address back to the customer and wait for a clear yes before you call this.
#[tool(destructive, recovery = replay_safe)]
#[expect(clippy::too_many_arguments, reason = "the tool has that many arguments")]
pub(crate) fn modify_pending_order_address(
    /// Id of the order with the `#` it begins with, for example `#W8482047`.
    order_id: &str,
    /// First line of the address, for example `14 Lantern Quay`.
    address1: String,
    /// Second line of the address, for example `Flat 3`; empty if there is none.
    address2: String,
    /// City, for example `Port Alder`.
    city: String,
    /// State, for example `OR`.
    state: String,
    /// Country, for example `USA`.
    country: String,
    /// Zip code, for example `97091`.
    zip: String,
    #[state] store: &Store,
) -> Result<Order, Refusal> {
    let mut data = store.lock();
    let mut order = data.order(order_id)?.clone();
    if order.status != Status::Pending {
        return Err(Refusal::ModifyNotPending);
    }

    order.address = Address { address1, address2, city, country, state, zip, rest: Rest::new() };
    data.save_order(order_id, &order);
    Ok(order)
}

/// Lets another payment method pay for a pending order, and answers the order.
///
/// The new method pays the whole amount, and the old one gets it back: at once on a gift card, within 5 to 7 business
/// days otherwise. Works once for an order. Explain this to the customer and wait for a clear yes before you call it.
#[tool(destructive)]
pub(crate) fn modify_pending_order_payment(
    /// Id of the order with the `#` it begins with, for example `#W8482047`.
    order_id: &str,
    /// Id of the method that is to pay, for example `credit_card_6120602` or `gift_card_7569186`; one of the
    /// customer's own.
    payment_method_id: &str,
    #[state] store: &Store,
) -> Result<Order, Refusal> {
    let mut data = store.lock();
    let mut order = data.order(order_id)?.clone();
    if order.status != Status::Pending {
        return Err(Refusal::ModifyNotPending);
    }
    let mut wallet = data.wallet_for(&order);
    let new_method = wallet.method(payment_method_id)?;
    let paid = sole_payment(&order)?.clone();
    if paid.payment_method_id == payment_method_id {
        return Err(Refusal::SamePaymentMethod);
    }
    let amount = paid.amount.dollars();
    if !new_method.covers(amount) {
        return Err(Refusal::GiftCardBelowOrder);
    }

    wallet.charge(payment_method_id, amount)?;
    wallet.refund(&paid.payment_method_id, amount)?;
    order.payment_history.extend([
        Payment::new(TransactionType::Payment, paid.amount, payment_method_id),
        Payment::new(TransactionType::Refund, paid.amount, &paid.payment_method_id),
    ]);
    data.save(order_id, &order, wallet);
    Ok(order)
}

/// The payment of an order that has been paid for once and never touched since.
fn sole_payment(order: &Order) -> Result<&Payment, Refusal> {
    match order.payment_history.as_slice() {
        [only] if only.transaction_type == TransactionType::Payment => Ok(only),
        _ => Err(Refusal::NotOnePayment),
    }
}

/// Changes items of a pending order into other variants of the same products, and answers the order.
///
/// The price difference is paid, or paid back, at once by the method named. Works once for an order, which can be
/// neither modified nor cancelled afterwards: so collect everything the customer wants changed, explain it, and wait
/// for a clear yes before you call this.
#[tool(destructive)]
pub(crate) fn modify_pending_order_items(
    /// Id of the order with the `#` it begins with, for example `#W8482047`.
    order_id: &str,
    /// Item ids to give up, for example `2242693587`; twice the same id if two such items are to change.
    item_ids: &[String],
    /// Item ids to get instead, one for each of `item_ids` and in the same order; each a variant, in stock, of the
    /// same product.
    new_item_ids: &[String],
    /// Id of the method that pays the price difference or gets it back, for example `credit_card_6120602`; one of the
    /// customer's own.
    payment_method_id: &str,
    #[state] store: &Store,
) -> Result<Order, Refusal> {
    let mut data = store.lock();
    let mut order = data.order(order_id)?.clone();
    if order.status != Status::Pending {
        return Err(Refusal::ModifyNotPending);
    }
    let swap = Swap::plan(&order, &data.products, item_ids, new_item_ids)?;
    let mut wallet = data.wallet_for(&order);
    if !wallet.method(payment_method_id)?.covers(swap.difference) {
        return Err(Refusal::GiftCardBelowNewItem);
    }

    wallet.charge(payment_method_id, swap.difference)?;
    let kind = if swap.difference > 0.0 { TransactionType::Payment } else { TransactionType::Refund };
    order.payment_history.push(Payment::new(kind, swap.difference.abs().into(), payment_method_id));
    swap.apply(&mut order);
    order.status = Status::PendingItemModified;
    data.save(order_id, &order, wallet);
    Ok(order)
}
