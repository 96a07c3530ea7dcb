//! The story of the demonstration, found in whatever shop there is: a customer has got an item, and would rather have
//! another variant of it.

use serde_json::{Value, json};

use crate::records::{Item, Order, Product, Status, User, Variant};
use crate::store::Data;

pub(super) struct Story<'a> {
    pub(super) user_id: &'a str,
    user: &'a User,
    pub(super) order_id: &'a str,
    /// Of the item in the order.
    position: usize,
    item: &'a Item,
    wish: &'a Variant,
    payment_method_id: &'a str,
}

/// One call of the conversation.
pub(super) struct Scene {
    /// What is going on, for somebody who sees this for the first time.
    pub(super) before: String,
    pub(super) tool: &'static str,
    /// JSON text, as a model writes it.
    pub(super) arguments: String,
    /// The places worth seeing (JSON pointers) in an answer that is a whole record.
    pub(super) show: Vec<String>,
    /// What a person answers, where the call waits for one.
    pub(super) person: Option<Value>,
}

impl<'a> Story<'a> {
    /// The first delivered order with an item that can be exchanged, on the method that paid for it.
    pub(super) fn find(data: &'a Data) -> Option<Self> {
        let delivered = data.orders.iter().filter(|(_, order)| order.status == Status::Delivered);
        delivered.into_iter().find_map(|(id, order)| Self::about(data, id, order))
    }

    fn about(data: &'a Data, order_id: &'a str, order: &'a Order) -> Option<Self> {
        let (user_id, user) = data.users.get_key_value(&order.user_id)?;
        let payment_method_id = &order.payment_history.first()?.payment_method_id;
        let method = user.payment_methods.method(payment_method_id).ok()?;
        let (position, item, wish) = order.items.iter().enumerate().find_map(|(position, item)| {
            let wish = nearest_variant(data.products.get(&item.product_id)?, item)?;
            Some((position, item, wish))
        })?;
        let affordable = method.covers(wish.price.dollars() - item.price.dollars());
        affordable.then_some(Self { user_id, user, order_id, position, item, wish, payment_method_id })
    }

    pub(super) fn opening(&self) -> String {
        let name = &self.user.name;
        format!(
            "A customer writes: \"This is {} {}, zip code {}. I have got a {} from you and would rather have it with {}.\"",
            name.first_name,
            name.last_name,
            self.user.address.zip,
            self.item.name,
            changed_options(self.item, self.wish).join(" and "),
        )
    }

    pub(super) fn scenes(&self) -> [Scene; 6] {
        let name = &self.user.name;
        let item = format!("/items/{}", self.position);
        [
            Scene {
                before: "First the model has to know who that is.".to_owned(),
                tool: "find_user_id_by_name_zip",
                arguments: object(&[
                    ("first_name", json!(name.first_name)),
                    ("last_name", json!(name.last_name)),
                    ("zip", json!(self.user.address.zip)),
                ]),
                show: vec![],
                person: None,
            },
            Scene {
                before: "The customer gives the number of the order. Its record is long; this is some of it."
                    .to_owned(),
                tool: "get_order_details",
                arguments: object(&[("order_id", json!(self.order_id))]),
                show: vec!["/status".into(), item, "/payment_history/0".into()],
                person: None,
            },
            Scene {
                before: "Is the other variant in stock, and what does it cost?".to_owned(),
                tool: "get_product_details",
                arguments: object(&[("product_id", json!(self.item.product_id))]),
                show: vec![format!("/variants/{}", self.wish.item_id)],
                person: None,
            },
            Scene {
                before: "The customer says yes. The model asks for the exchange, but gets the name of an argument \
                    wrong. The tool is not started; what the model is told is meant to be enough to do better."
                    .to_owned(),
                tool: "exchange_delivered_order_items",
                arguments: self.exchange("new_items"),
                show: vec![],
                person: None,
            },
            Scene {
                before: "It does better.".to_owned(),
                tool: "exchange_delivered_order_items",
                arguments: self.exchange("new_item_ids"),
                show: vec![
                    "/status".into(),
                    "/exchange_items".into(),
                    "/exchange_new_items".into(),
                    "/exchange_price_difference".into(),
                ],
                person: None,
            },
            Scene {
                before:
                    "It loses the thread and asks once more. Now a rule of the shop says no: an order is exchanged \
                    once. A refusal is an answer, not a crash: the model reads it and the conversation goes on."
                        .to_owned(),
                tool: "exchange_delivered_order_items",
                arguments: self.exchange("new_item_ids"),
                show: vec![],
                person: None,
            },
        ]
    }

    fn exchange(&self, name_for_new_items: &str) -> String {
        object(&[
            ("order_id", json!(self.order_id)),
            ("item_ids", json!([self.item.item_id])),
            (name_for_new_items, json!([self.wish.item_id])),
            ("payment_method_id", json!(self.payment_method_id)),
        ])
    }
}

/// A JSON object with its fields in this order.
pub(super) fn object(fields: &[(&str, Value)]) -> String {
    let fields: Vec<String> = fields.iter().map(|(name, value)| format!("\"{name}\": {value}")).collect();
    format!("{{{}}}", fields.join(", "))
}

/// Another variant in stock, the one that differs in the fewest options.
fn nearest_variant<'a>(product: &'a Product, item: &Item) -> Option<&'a Variant> {
    let others = product.variants.values().filter(|variant| variant.available && variant.item_id != item.item_id);
    others.min_by_key(|variant| changed_options(item, variant).len())
}

/// Like `size L`.
fn changed_options(item: &Item, variant: &Variant) -> Vec<String> {
    let options = variant.options.as_object().into_iter().flatten();
    options
        .filter(|(name, value)| item.options.get(name.as_str()) != Some(value))
        .map(|(name, value)| format!("{name} {}", value.as_str().unwrap_or_default()))
        .collect()
}
