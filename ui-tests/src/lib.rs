//! The tests are in `tests/ui.rs`; their cases in `fail/<family>/*.rs` and `pass/*.rs`, each named for what it shows.
