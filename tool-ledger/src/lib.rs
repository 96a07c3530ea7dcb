//! Ledgers that outlive the process: what is known of each operation, so that after a crash nothing happens twice that
//! must not, and no outcome is lost.
//!
//! [`SqliteLedger`] is a [`tool_core::OperationLedger`] in one SQLite file, for one process or several on one machine:
//!
//! ```
//! use tool_core::{OperationFilter, OperationLedger};
//! use tool_ledger::SqliteLedger;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let directory = std::env::temp_dir().join(format!("tool-ledger-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&directory)?;
//! # let path = directory.join("operations.ledger");
//! let ledger = SqliteLedger::open_or_create(&path)?;
//! assert!(ledger.list(&OperationFilter::all()).await?.is_empty());
//! ledger.close().await;
//!
//! // A path that was mistyped is an error, not an empty ledger.
//! assert!(SqliteLedger::open(path.with_extension("legder")).is_err());
//! # std::fs::remove_dir_all(directory)?;
//! # Ok(()) }
//! ```

mod error;
mod sqlite;

pub use error::OpenError;
pub use sqlite::SqliteLedger;
