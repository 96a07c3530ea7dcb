//! One item for another: what changing a pending order and exchanging a delivered one have in common.

use std::collections::HashMap;

use indexmap::IndexMap;

use crate::records::{Item, Order, Product, Variant};
use crate::refusal::Refusal;

/// A list of exchanges that the order and the stock allow.
#[derive(Debug)]
pub(super) struct Swap<'a> {
    /// In the order asked for.
    pairs: Vec<Pair<'a>>,
    /// What the customer pays on top, in dollars and not rounded; negative if the shop pays back.
    pub(super) difference: f64,
}

#[derive(Debug)]
struct Pair<'a> {
    old_id: &'a str,
    new_id: &'a str,
    new: &'a Variant,
}

impl<'a> Swap<'a> {
    /// Checks every pair of old and new item.
    pub(super) fn plan(
        order: &Order,
        products: &'a IndexMap<String, Product>,
        item_ids: &'a [String],
        new_item_ids: &'a [String],
    ) -> Result<Self, Refusal> {
        if let Some(id) = first_missing(order, item_ids) {
            return Err(Refusal::ItemNotFound(id.to_owned()));
        }
        if item_ids.len() != new_item_ids.len() {
            return Err(Refusal::ItemCountsDiffer);
        }

        let mut swap = Self { pairs: Vec::with_capacity(item_ids.len()), difference: 0.0 };
        for (old_id, new_id) in item_ids.iter().zip(new_item_ids) {
            let old = item(order, old_id).ok_or_else(|| Refusal::ItemNotFound(old_id.clone()))?;
            let new = variant(products, &old.product_id, new_id)
                .ok_or_else(|| Refusal::NewItemUnavailable(new_id.clone()))?;
            // The order of these additions is part of the result: doubles do not add up alike in another.
            swap.difference += new.price.dollars() - old.price.dollars();
            swap.pairs.push(Pair { old_id, new_id, new });
        }
        Ok(swap)
    }

    /// Puts the new items into the order. Of several items alike the first changes, and an id that has just come in
    /// can go out again.
    pub(super) fn apply(&self, order: &mut Order) {
        for Pair { old_id, new_id, new } in &self.pairs {
            let first = order.items.iter_mut().find(|item| item.item_id == *old_id);
            if let Some(item) = first {
                (*new_id).clone_into(&mut item.item_id);
                item.price = new.price;
                item.options.clone_from(&new.options);
            }
        }
    }
}

/// The first id that is asked for more often than the order holds such an item.
pub(super) fn first_missing<'a>(order: &Order, wanted: &'a [String]) -> Option<&'a str> {
    let held = count(order.items.iter().map(|item| item.item_id.as_str()));
    let asked = count(wanted.iter().map(String::as_str));
    let mut ids = wanted.iter().map(String::as_str);
    ids.find(|id| asked.get(id) > held.get(id))
}

fn count<'a>(ids: impl Iterator<Item = &'a str>) -> HashMap<&'a str, usize> {
    let mut counts = HashMap::new();
    for id in ids {
        *counts.entry(id).or_default() += 1;
    }
    counts
}

fn item<'a>(order: &'a Order, id: &str) -> Option<&'a Item> {
    order.items.iter().find(|item| item.item_id == id)
}

/// A variant of the product, if there is one of that id and it is in stock.
fn variant<'a>(products: &'a IndexMap<String, Product>, product_id: &str, id: &str) -> Option<&'a Variant> {
    let variant = products.get(product_id)?.variants.get(id)?;
    variant.available.then_some(variant)
}
