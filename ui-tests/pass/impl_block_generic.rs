//! A generic block: the tools are generic too, and so are the arguments that name a parameter.
#![deny(warnings)]

use std::fmt::Display;
use std::sync::{Arc, Mutex};
use tool_core::{RawToolRegistry, ToolCall, tool};

pub trait Storage: Send + Sync + 'static {
    type Item: serde::de::DeserializeOwned + schemars::JsonSchema + serde::Serialize + Clone + Display + Send;

    fn put(&self, item: Self::Item);
    fn all(&self) -> Vec<Self::Item>;
}

pub struct Memory<T>(Mutex<Vec<T>>);

impl<T> Storage for Memory<T>
where
    T: serde::de::DeserializeOwned + schemars::JsonSchema + serde::Serialize + Clone + Display + Send + 'static,
{
    type Item = T;

    fn put(&self, item: T) {
        self.0.lock().unwrap().push(item);
    }

    fn all(&self) -> Vec<T> {
        self.0.lock().unwrap().clone()
    }
}

pub struct Shop<S, const LIMIT: usize>
where
    S: Storage,
{
    storage: S,
}

#[tool]
impl<S: Storage, const LIMIT: usize> Shop<S, LIMIT> {
    /// Puts.
    #[tool]
    pub fn put(&self, item: S::Item, #[arg(default)] more: Vec<<S as Storage>::Item>) -> Result<usize, String> {
        let new = 1 + more.len();
        if self.storage.all().len() + new > LIMIT {
            return Err(format!("no room for {item}"));
        }
        std::iter::once(item).chain(more).for_each(|item| self.storage.put(item));
        Ok(new)
    }

    /// Lists.
    #[tool(read_only)]
    pub async fn list(&self, reverse: bool) -> Vec<S::Item> {
        let mut all = self.storage.all();
        if reverse {
            all.reverse();
        }
        all
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let shop = Arc::new(Shop::<Memory<u32>, 3> { storage: Memory(Mutex::new(Vec::new())) });
    let registry = RawToolRegistry::try_new(Shop::tools(shop)).unwrap();
    let put = registry.descriptors().next().unwrap();
    assert_eq!(put.input_schema()["properties"]["item"]["maximum"], u32::MAX);
    for (id, arguments, text) in [
        ("put", r#"{"item":1,"more":[2]}"#, "2"),
        ("put", r#"{"item":3,"more":[4]}"#, "no room for 3"),
        ("list", r#"{"reverse":true}"#, "[2,1]"),
    ] {
        assert_eq!(registry.dispatch(&ToolCall::new("c", id, arguments)).await.unwrap().text(), text);
    }
}
