//! The tests are in `tests/ui.rs`; their cases in `fail/<family>/*.rs` and `pass/*.rs`, each named for what it shows.

/// The examples of the README are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
