//! The shop's data, and the one store that all tools share.

use std::fs;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::Context;
use indexmap::IndexMap;
use serde::de::DeserializeOwned;

use crate::money::Wallet;
use crate::records::{Order, Product, User};
use crate::refusal::Refusal;

/// Everything the shop knows, by id. The maps keep the order of the files, because "the first customer of that name"
/// means the first in the file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Data {
    pub(crate) orders: IndexMap<String, Order>,
    pub(crate) users: IndexMap<String, User>,
    pub(crate) products: IndexMap<String, Product>,
}

impl Data {
    /// The small invented shop that comes with the program.
    pub(crate) fn sample() -> anyhow::Result<Self> {
        Ok(Self {
            orders: parse(include_str!("../data/orders.json"), "sample orders.json")?,
            users: parse(include_str!("../data/users.json"), "sample users.json")?,
            products: parse(include_str!("../data/products.json"), "sample products.json")?,
        })
    }

    /// A shop from a folder that holds `orders.json`, `users.json` and `products.json`.
    pub(crate) fn load(folder: &Path) -> anyhow::Result<Self> {
        Ok(Self {
            orders: read(&folder.join("orders.json"))?,
            users: read(&folder.join("users.json"))?,
            products: read(&folder.join("products.json"))?,
        })
    }

    pub(crate) fn order(&self, id: &str) -> Result<&Order, Refusal> {
        self.orders.get(id).ok_or(Refusal::OrderNotFound)
    }

    pub(crate) fn user(&self, id: &str) -> Result<&User, Refusal> {
        self.users.get(id).ok_or(Refusal::UserNotFound)
    }

    pub(crate) fn product(&self, id: &str) -> Result<&Product, Refusal> {
        self.products.get(id).ok_or(Refusal::ProductNotFound)
    }

    /// The payment methods of the customer who placed an order; none if nobody of that id is on file.
    pub(crate) fn wallet_for(&self, order: &Order) -> Wallet {
        self.users.get(&order.user_id).map(|user| user.payment_methods.clone()).unwrap_or_default()
    }

    /// Puts a changed order back in its place, and with it the wallet that paid for the change.
    pub(crate) fn save(&mut self, id: &str, order: &Order, wallet: Wallet) {
        if let Some(user) = self.users.get_mut(&order.user_id) {
            user.payment_methods = wallet;
        }
        self.save_order(id, order);
    }

    /// Puts a changed order back in its place.
    pub(crate) fn save_order(&mut self, id: &str, order: &Order) {
        self.orders.insert(id.to_owned(), order.clone());
    }
}

fn read<T: DeserializeOwned>(file: &Path) -> anyhow::Result<T> {
    let name = file.display().to_string();
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {name}"))?;
    parse(&text, &name)
}

fn parse<T: DeserializeOwned>(text: &str, name: &str) -> anyhow::Result<T> {
    serde_json::from_str(text).with_context(|| format!("{name} is not what a shop's file looks like"))
}

/// The data behind a lock: what every tool holds as its `#[state]`.
///
/// A tool that changes something takes the lock once, works on *copies* of the records, and saves them when the last
/// check has passed. So a refusal has changed nothing, and no other call sees half a change.
#[derive(Debug)]
pub(crate) struct Store {
    data: Mutex<Data>,
}

impl Store {
    pub(crate) fn new(data: Data) -> Self {
        Self { data: Mutex::new(data) }
    }

    /// A tool that panics while it holds the lock has saved nothing (see above), so the data is sound and the next
    /// call goes on.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Data> {
        self.data.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
