//! The records of the shop, spelled as its files spell them.
//!
//! Every record keeps the fields that this program does not know in `rest`, so that a record which is read and
//! written again loses nothing.

#![expect(clippy::struct_field_names, reason = "the fields have the names that the files give them")]

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::money::{Money, Wallet};

/// Fields of a record that no tool looks at.
pub(crate) type Rest = IndexMap<String, Value>;

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(crate) struct Order {
    pub(crate) order_id: String,
    pub(crate) user_id: String,
    pub(crate) address: Address,
    pub(crate) items: Vec<Item>,
    pub(crate) fulfillments: Vec<Value>,
    pub(crate) status: Status,
    pub(crate) payment_history: Vec<Payment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cancel_reason: Option<CancelReason>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) return_items: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) return_payment_method_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) exchange_items: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) exchange_new_items: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) exchange_payment_method_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) exchange_price_difference: Option<Money>,
    #[serde(flatten)]
    pub(crate) rest: Rest,
}

/// How far an order has come. Each tool accepts exactly one status.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) enum Status {
    #[serde(rename = "pending")]
    Pending,
    /// Not `Pending` any more: the items of an order are changed once, and then no tool touches it again.
    #[serde(rename = "pending (item modified)")]
    PendingItemModified,
    #[serde(rename = "delivered")]
    Delivered,
    #[serde(rename = "cancelled")]
    Cancelled,
    #[serde(rename = "return requested")]
    ReturnRequested,
    #[serde(rename = "exchange requested")]
    ExchangeRequested,
    /// `processed`, and whatever else a shop writes here.
    #[serde(untagged)]
    Other(String),
}

/// Why a customer cancels. An argument as well as a field: the two texts are the `enum` in the tool's schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub(crate) enum CancelReason {
    #[serde(rename = "no longer needed")]
    NoLongerNeeded,
    #[serde(rename = "ordered by mistake")]
    OrderedByMistake,
}

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(crate) struct Item {
    pub(crate) name: String,
    pub(crate) product_id: String,
    pub(crate) item_id: String,
    pub(crate) price: Money,
    pub(crate) options: Value,
    #[serde(flatten)]
    pub(crate) rest: Rest,
}

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(crate) struct Payment {
    pub(crate) transaction_type: TransactionType,
    pub(crate) amount: Money,
    pub(crate) payment_method_id: String,
    #[serde(flatten)]
    pub(crate) rest: Rest,
}

impl Payment {
    pub(crate) fn new(transaction_type: TransactionType, amount: Money, method_id: &str) -> Self {
        Self { transaction_type, amount, payment_method_id: method_id.to_owned(), rest: Rest::new() }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TransactionType {
    Payment,
    Refund,
}

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(crate) struct User {
    pub(crate) name: Name,
    pub(crate) address: Address,
    pub(crate) email: String,
    pub(crate) payment_methods: Wallet,
    pub(crate) orders: Vec<String>,
    #[serde(flatten)]
    pub(crate) rest: Rest,
}

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(crate) struct Name {
    pub(crate) first_name: String,
    pub(crate) last_name: String,
    #[serde(flatten)]
    pub(crate) rest: Rest,
}

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(crate) struct Address {
    pub(crate) address1: String,
    pub(crate) address2: String,
    pub(crate) city: String,
    pub(crate) country: String,
    pub(crate) state: String,
    pub(crate) zip: String,
    #[serde(flatten)]
    pub(crate) rest: Rest,
}

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(crate) struct Product {
    pub(crate) name: String,
    pub(crate) product_id: String,
    /// By item id.
    pub(crate) variants: IndexMap<String, Variant>,
    #[serde(flatten)]
    pub(crate) rest: Rest,
}

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(crate) struct Variant {
    pub(crate) item_id: String,
    pub(crate) options: Value,
    pub(crate) available: bool,
    pub(crate) price: Money,
    #[serde(flatten)]
    pub(crate) rest: Rest,
}
