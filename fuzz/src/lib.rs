//! What the fuzz targets share: argument types, and generators that turn bytes into texts and schemas.
//!
//! The generators make what a fuzzer would need days to come upon: arguments that nearly fit a schema, and schemas whose
//! keywords mean something.

pub mod keys;
pub mod schemas;
pub mod texts;
pub mod types;
