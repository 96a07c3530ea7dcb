//! Modules, types and macros of the user's own do not get in the way of the expansion.
#![allow(dead_code, unused_macros, non_camel_case_types)]

mod serde {}
mod schemars {}
mod std {}
mod core {}
mod alloc {}
mod tool_core {}
struct Option;
struct Result;
struct Box;
struct Vec;
struct String;
struct str;
struct usize;
struct bool;
trait Send {}
trait Default {}
trait Into {}
trait Tool {}
macro_rules! concat { () => {}; }
macro_rules! module_path { () => {}; }

/// Adds.
#[::tool_core::tool]
async fn add(#[arg(default)] a: u32, #[arg(default = "x")] b: ::std::string::String) -> ::std::string::String {
    ::std::format!("{a}{b}")
}

fn main() {
    let _ = ::tool_core::erase(Add);
}
