//! The floors: what a program would write that has this one problem and no framework.

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;

use super::{Args, Filler, ID, filler_ids};
use tool_core::RawTool;

type Function = fn(Input<'_>) -> Result<String, String>;

/// What a call brings.
#[derive(Clone, Copy)]
pub(crate) enum Input<'a> {
    Text(&'a str),
    Value(&'a Value),
}

/// Decode, call, encode, nothing else.
fn search_orders(input: Input<'_>) -> Result<String, String> {
    let args = match input {
        Input::Text(text) => serde_json::from_str::<Args>(text),
        Input::Value(value) => Args::deserialize(value),
    };
    serde_json::to_string(&args.map_err(|error| error.to_string())?.search()).map_err(|error| error.to_string())
}

#[allow(clippy::unnecessary_wraps)] // one signature for all
fn filler(_: Input<'_>) -> Result<String, String> {
    Ok("nothing".to_owned())
}

/// Floor (a): a map of plain functions.
pub(crate) struct Plain(HashMap<String, Function>);

impl Plain {
    pub(crate) fn new(size: usize) -> Self {
        let fillers = filler_ids(size - 1).map(|id| (id, filler as Function));
        Self(fillers.chain([(ID.to_owned(), search_orders as Function)]).collect())
    }

    pub(crate) fn call(&self, tool: &str, input: Input<'_>) -> Result<String, String> {
        let function = self.0.get(tool).ok_or_else(|| format!("there is no tool {tool:?}"))?;
        function(input)
    }
}

#[async_trait]
trait Callable: Send + Sync {
    async fn call(&self, text: &str) -> Result<String, String>;
}

struct Search;

#[async_trait]
impl Callable for Search {
    async fn call(&self, text: &str) -> Result<String, String> {
        search_orders(Input::Text(text))
    }
}

#[async_trait]
impl Callable for Filler {
    async fn call(&self, _: &str) -> Result<String, String> {
        Ok("nothing".to_owned())
    }
}

/// Floor (b): the same through one boxed call.
pub(crate) struct Boxed(HashMap<String, Box<dyn Callable>>);

impl Boxed {
    pub(crate) fn new(size: usize) -> Self {
        let fillers = filler_ids(size - 1).map(|id| (id.clone(), Box::new(Filler(id)) as Box<dyn Callable>));
        Self(fillers.chain([(ID.to_owned(), Box::new(Search) as Box<dyn Callable>)]).collect())
    }

    pub(crate) async fn call(&self, tool: &str, text: &str) -> Result<String, String> {
        let tool = self.0.get(tool).ok_or_else(|| format!("there is no tool {tool:?}"))?;
        tool.call(text).await
    }
}

/// Boxed objects in a bare map: what a registry is built on.
pub(crate) fn map_of_boxes(ids: Vec<String>) -> HashMap<String, Box<dyn RawTool>> {
    ids.into_iter().map(|id| (id.clone(), Box::new(Filler(id)) as Box<dyn RawTool>)).collect()
}
