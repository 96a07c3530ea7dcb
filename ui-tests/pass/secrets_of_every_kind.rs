//! Secrets reach the tool as any argument does, and are named as the wire names them.

use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use tool_core::{Tool, ToolArguments, ToolCall, erase, tool};

#[derive(Deserialize, JsonSchema)]
struct Login {
    user: String,
    password: String,
}

/// Logs in.
#[tool]
async fn log_in(
    user: &str,
    #[arg(secret, rename = "passWord", length(4..=80))] password: &str,
    #[arg(secret)] pin: Option<u32>,
    #[arg(secret = true, default)] tokens: Vec<String>,
    #[arg(secret = false)] remember: Option<bool>,
    #[cfg(any())]
    #[arg(secret)]
    never: String,
    #[arg(secret)] r#type: Option<Login>,
) -> String {
    let named = r#type.map(|login| login.user + &login.password);
    format!("{user} {password} {pin:?} {tokens:?} {remember:?} {named:?}")
}

/// Logs in by a type.
#[tool(secrets("login.password", "others.password"))]
fn by_type(login: Login, others: Vec<Login>, #[arg(secret)] key: String) -> usize {
    login.user.len() + login.password.len() + others.len() + key.len()
}

/// Logs in by a whole type.
#[tool(secrets("password"))]
fn whole(#[args] login: Login) -> String {
    login.user + &login.password
}

/// Has none.
#[tool]
fn without(#[arg(secret = false)] text: String) -> String {
    text
}

struct Shop;

#[tool]
impl Shop {
    /// Opens the till.
    #[tool]
    fn open(&self, #[arg(secret)] pin: &str) -> String {
        pin.chars().rev().collect()
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    assert_eq!(LogIn::SECRETS, ["passWord", "pin", "tokens", "type"]);
    assert_eq!(ByType::SECRETS, ["key", "login.password", "others.password"]);
    assert_eq!(Whole::SECRETS, ["password"]);
    assert_eq!(Without::SECRETS, [""; 0]);
    assert_eq!(ShopOpen::SECRETS, ["pin"]);

    let tools = [erase(LogIn), erase(ByType), erase(Whole), erase(Without)];
    let registry = tool_core::RawToolRegistry::try_new(tools.into_iter().chain(Shop::tools(Arc::new(Shop)))).unwrap();
    let call = ToolCall::new("call_1", "open", r#"{"pin": "4711"}"#);
    assert_eq!(registry.dispatch(&call).await.unwrap().text(), "1174");
    let call = ToolCall::new("call_2", "log_in", r#"{"user": "ada", "passWord": "abc"}"#);
    assert_eq!(
        registry.dispatch(&call).await.unwrap_err().to_string(),
        "Invalid arguments: `passWord`: expected a string of 4 to 80 characters, got a string (not shown)"
    );
    let descriptor = registry.get("whole").unwrap().descriptor().unwrap();
    let shown = descriptor.redact(&ToolArguments::from(r#"{"user": "ada", "password": "hunter2"}"#));
    assert_eq!(shown.to_string(), r#"{"password":"[redacted]","user":"ada"}"#);
}
