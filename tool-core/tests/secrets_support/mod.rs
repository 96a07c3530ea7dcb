//! A tool with secrets of every kind.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tool_core::{Tool, ToolError, async_trait};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)] // only refusals are looked at
pub(crate) struct Args {
    user: String,
    #[schemars(length(max = 4), regex(pattern = "^[0-9]*$"))]
    pin: Option<String>,
    login: Option<Login>,
    #[schemars(length(max = 2))]
    items: Option<Vec<Item>>,
    #[schemars(range(max = 9))]
    code: Option<u32>,
    mode: Option<Mode>,
    exact: Option<Fixed>,
    method: Option<Method>,
    either: Option<Either>,
    tokens: Option<std::collections::BTreeMap<String, u32>>,
    tree: Option<Box<Tree>>,
    own: Option<Own>,
    extra: Option<std::collections::BTreeMap<String, u32>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct Login {
    user: String,
    password: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct Item {
    #[schemars(length(max = 4))]
    pin: String,
    count: Option<u8>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(dead_code)]
enum Mode {
    Fast,
    Hunter,
}

/// A schema of one constant object, and a decoder that repeats what it was given.
struct Fixed;

impl<'de> Deserialize<'de> for Fixed {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Err(serde::de::Error::custom(Value::deserialize(deserializer)?))
    }
}

impl JsonSchema for Fixed {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Fixed".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"enum": [{"key": 1}, ["key"], 5, true]})
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
#[allow(dead_code)]
enum Method {
    Card { number: String },
    Cash { coins: u8 },
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code)]
enum Either {
    Number(u8),
    Flag(bool),
    Object { number: u8 },
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct Tree {
    #[schemars(length(max = 3))]
    key: Option<String>,
    children: Option<Vec<Tree>>,
}

/// Takes a date, says its schema, and quotes the text that is none.
struct Own;

impl<'de> Deserialize<'de> for Own {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Err(serde::de::Error::custom(format!("{} is no date", String::deserialize(deserializer)?)))
    }
}

impl JsonSchema for Own {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Own".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "string"})
    }
}

pub(crate) struct Open;

impl Open {
    pub(crate) const SECRETS: &'static [&'static str] = &[
        "pin",
        "login.password",
        "items.pin",
        "code",
        "mode",
        "exact",
        "method.number",
        "method.kind",
        "either",
        "tokens",
        "tree.key",
        "own",
    ];
}

#[async_trait]
impl Tool for Open {
    type Args = Args;
    type Output = String;
    const ID: &'static str = "open";
    const DESCRIPTION: &'static str = "Opens.";
    const SECRETS: &'static [&'static str] = Self::SECRETS;

    async fn call(&self, _: Args) -> Result<String, ToolError> {
        Ok("open".to_owned())
    }
}
