//! What the tests of the exports share.
#![allow(dead_code, unreachable_pub, missing_docs)] // each test binary uses a part of it

pub mod checks;
pub mod golden;
pub mod values;
pub mod zoo;
