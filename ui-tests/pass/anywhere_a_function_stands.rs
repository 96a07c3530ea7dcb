//! In a function's body, in a private module, from `macro_rules!`, under `#[cfg]`.
#![deny(warnings)]

use tool_core::{erase, tool};

mod inner {
    /// Adds.
    #[tool_core::tool]
    pub(crate) fn add(a: u32) -> u32 {
        a
    }

    /// Adds privately.
    #[tool_core::tool]
    fn add_privately(a: u32) -> u32 {
        a
    }

    pub(super) fn private() -> std::sync::Arc<dyn tool_core::RawTool> {
        tool_core::erase(AddPrivately)
    }
}

macro_rules! constant {
    ($name:ident, $id:literal, $doc:literal, $arg:ident: $ty:ty) => {
        #[doc = $doc]
        #[tool(id = $id)]
        fn $name(#[doc = $doc] $arg: $ty) -> $ty {
            $arg
        }
    };
}
constant!(echo_text, "echo.text", "Echoes a text.", text: String);
constant!(echo_number, "echo.number", "Echoes a number.", number: u32);

/// Not there.
#[tool]
#[cfg(any())]
fn absent(missing: Missing) -> Nowhere {}

/// There.
#[cfg(not(any()))]
#[tool]
fn present() {}

fn main() {
    /// Adds in a body.
    #[tool]
    fn local(a: u32) -> u32 {
        a
    }
    let tools = [
        erase(inner::Add),
        inner::private(),
        erase(Local),
        erase(EchoText),
        erase(EchoNumber),
        erase(Present),
    ];
    let ids: Vec<&str> = tools.iter().map(|tool| tool.id()).collect();
    assert_eq!(ids, ["add", "add_privately", "local", "echo.text", "echo.number", "present"]);
    assert_eq!(tools[3].descriptor().unwrap().description(), "Echoes a text.");
}
