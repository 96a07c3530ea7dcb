//! A rule of the service desk: a person is asked before much money is paid back.

use std::sync::Arc;

use serde::Deserialize;
use tool_core::{GateRequest, ToolGate, Verdict, async_trait};

use crate::money::round2;
use crate::records::{Order, Product, Status};
use crate::store::{Data, Store};

/// Asks before a call that pays back more than so many dollars, and allows every other.
///
/// Written by hand, since the rule is about an amount, and no call bears one: a model writes which order and which items,
/// and what those are worth stands in the shop's records. The patterns of [`tool_core::Rules`] look at arguments alone, and
/// could not know it.
pub(crate) struct AskAbove {
    store: Arc<Store>,
    dollars: f64,
}

impl AskAbove {
    pub(crate) fn new(store: Arc<Store>, dollars: f64) -> Self {
        Self { store, dollars }
    }
}

#[async_trait]
impl ToolGate for AskAbove {
    async fn judge(&self, request: &GateRequest<'_>) -> Verdict {
        // The arguments have been read by now: a gate never sees a call that the tool's schema refuses.
        let about = About::deserialize(request.arguments.value()).unwrap_or_default();
        let data = self.store.lock();
        match paid_back(&data, &request.call.tool_id, &about) {
            Some(dollars) if dollars > self.dollars => {
                Verdict::ask(format!("It pays back ${dollars:.2}, and above ${:.2} a person decides.", self.dollars))
            }
            // Not about money, or about an order that there is not, as the tool itself will say.
            _ => Verdict::Allow,
        }
    }
}

/// What the tools that pay back are told. Each of them has some of it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct About {
    order_id: String,
    item_ids: Vec<String>,
    new_item_ids: Vec<String>,
}

/// What a call would pay back, in dollars; negative where the customer pays. `None` where it moves no money, or where the tool will
/// refuse it: nobody is to be asked for nothing.
///
/// Another payment method for an order is no refund: what one method gets back, the other pays.
fn paid_back(data: &Data, tool: &str, about: &About) -> Option<f64> {
    let order = data.orders.get(&about.order_id)?;
    let dollars = match (tool, &order.status) {
        ("cancel_pending_order", Status::Pending) => for_cancelling(order),
        ("return_delivered_order_items", Status::Delivered) => for_items(order, &about.item_ids)?,
        ("exchange_delivered_order_items", Status::Delivered) | ("modify_pending_order_items", Status::Pending) => {
            for_items(order, &about.item_ids)? - for_variants(data.products.values(), &about.new_item_ids)?
        }
        _ => return None,
    };
    Some(round2(dollars))
}

/// All that was paid for an order.
pub(crate) fn for_cancelling(order: &Order) -> f64 {
    order.payment_history.iter().map(|paid| paid.amount.dollars()).sum()
}

/// What some items of an order were sold for.
fn for_items(order: &Order, item_ids: &[String]) -> Option<f64> {
    let price = |id: &String| order.items.iter().find(|item| item.item_id == *id).map(|item| item.price.dollars());
    item_ids.iter().map(price).sum()
}

/// What some variants are sold for now.
fn for_variants<'a>(products: impl Iterator<Item = &'a Product> + Clone, item_ids: &[String]) -> Option<f64> {
    let price =
        |id: &String| products.clone().find_map(|product| product.variants.get(id)).map(|it| it.price.dollars());
    item_ids.iter().map(price).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worth(tool: &str, order_id: &str, item_ids: &[&str], new_item_ids: &[&str]) -> Option<f64> {
        let ids = |ids: &[&str]| ids.iter().map(|&id| id.to_owned()).collect();
        let about = About { order_id: order_id.to_owned(), item_ids: ids(item_ids), new_item_ids: ids(new_item_ids) };
        paid_back(&Data::sample().expect("the sample can be read"), tool, &about)
    }

    #[test]
    fn the_amount_is_what_the_shops_records_say() {
        const JACKET: &str = "6475953829";
        for (tool, order_id, item_ids, new_item_ids, expected) in [
            ("cancel_pending_order", "#W8482047", &[][..], &[][..], Some(107.8)),
            ("return_delivered_order_items", "#W6743211", &[JACKET], &[], Some(104.25)),
            ("return_delivered_order_items", "#W6743211", &[JACKET, "8361683877"], &[], Some(131.25)),
            // The dearer chess set for the cheaper one, and the other way round.
            ("exchange_delivered_order_items", "#W3410656", &["6829301277"], &["4793217620"], Some(84.9)),
            ("modify_pending_order_items", "#W8482047", &["4793217620"], &["6829301277"], Some(-84.9)),
            ("modify_pending_order_payment", "#W8482047", &[], &[], None),
            ("get_order_details", "#W8482047", &[], &[], None),
            // What the tool itself refuses.
            ("cancel_pending_order", "#W0000000", &[], &[], None),
            ("cancel_pending_order", "#W6743211", &[], &[], None),
            ("return_delivered_order_items", "#W6743211", &["no such item"], &[], None),
        ] {
            assert_eq!(worth(tool, order_id, item_ids, new_item_ids), expected, "{tool} {order_id} {item_ids:?}");
        }
    }
}
