//! What can be done about an order that has arrived.

use tool_core::tool;

use super::swap::{Swap, first_missing};
use crate::money::{names_gift_card, round2};
use crate::records::{Order, Status};
use crate::refusal::Refusal;
use crate::store::Store;

/// Registers the return of items from a delivered order, and answers the order.
///
/// An order is returned or exchanged once, so collect every item the customer wants to send back, explain how the
/// refund is paid, and wait for a clear yes before you call this. The customer then gets an e-mail about how and
/// where to send the items.
#[tool(destructive)]
pub(crate) fn return_delivered_order_items(
    /// Id of the order with the `#` it begins with, for example `#W6743211`.
    order_id: &str,
    /// Item ids to send back, for example `6475953829`; twice the same id if two such items go back.
    item_ids: &[String],
    /// Id of the method that gets the refund: the one that paid for the order, or a gift card of the customer.
    payment_method_id: &str,
    #[state] store: &Store,
) -> Result<Order, Refusal> {
    let mut data = store.lock();
    let mut order = data.order(order_id)?.clone();
    if order.status != Status::Delivered {
        return Err(Refusal::ReturnNotDelivered);
    }
    data.wallet_for(&order).method(payment_method_id)?;
    let paid_the_order =
        order.payment_history.first().is_some_and(|first| first.payment_method_id == payment_method_id);
    if !paid_the_order && !names_gift_card(payment_method_id) {
        return Err(Refusal::NeitherOriginalNorGiftCard);
    }
    if first_missing(&order, item_ids).is_some() {
        return Err(Refusal::SomeItemNotFound);
    }

    order.status = Status::ReturnRequested;
    order.return_items = Some(sorted(item_ids));
    order.return_payment_method_id = Some(payment_method_id.to_owned());
    data.save_order(order_id, &order);
    Ok(order)
}

/// Registers the exchange of items in a delivered order for other variants of the same products, and answers the order.
///
/// An order is returned or exchanged once, so collect every item the customer wants exchanged, explain the price
/// difference, and wait for a clear yes before you call this. No money moves and no item changes yet: the order
/// records what is to be exchanged for what.
#[tool(destructive)]
pub(crate) fn exchange_delivered_order_items(
    /// Id of the order with the `#` it begins with, for example `#W6743211`.
    order_id: &str,
    /// Item ids to send back, for example `6475953829`; twice the same id if two such items go back.
    item_ids: &[String],
    /// Item ids to get instead, one for each of `item_ids` and in the same order; each a variant, in stock, of the
    /// same product.
    new_item_ids: &[String],
    /// Id of the method that will pay the price difference or get it back, for example `credit_card_6120602`; one of
    /// the customer's own.
    payment_method_id: &str,
    #[state] store: &Store,
) -> Result<Order, Refusal> {
    let mut data = store.lock();
    let mut order = data.order(order_id)?.clone();
    if order.status != Status::Delivered {
        return Err(Refusal::ExchangeNotDelivered);
    }
    let swap = Swap::plan(&order, &data.products, item_ids, new_item_ids)?;
    let difference = round2(swap.difference);
    let wallet = data.wallet_for(&order);
    if !wallet.method(payment_method_id)?.covers(difference) {
        return Err(Refusal::GiftCardBelowDifference);
    }

    order.status = Status::ExchangeRequested;
    order.exchange_items = Some(sorted(item_ids));
    order.exchange_new_items = Some(sorted(new_item_ids));
    order.exchange_payment_method_id = Some(payment_method_id.to_owned());
    order.exchange_price_difference = Some(difference.into());
    data.save_order(order_id, &order);
    Ok(order)
}

fn sorted(ids: &[String]) -> Vec<String> {
    let mut ids = ids.to_vec();
    ids.sort();
    ids
}
