//! What becomes of a conversation between two turns of the model, from what its tools declare: whether it is at its end,
//! whether it goes in circles, what may be left out of it, and what has to come along when it is cut.
//!
//! All of it is pure, over values that the caller holds; only [`carried_state`](crate::carried_state) asks the tools.

pub(crate) mod carried;
pub(crate) mod history;
pub(crate) mod loops;
pub(crate) mod termination;
pub(crate) mod transcript;
