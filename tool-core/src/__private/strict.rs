//! Which types refuse by themselves what serde lets through: arrays for structs, doubled keys, ignored values.

use std::marker::PhantomData;

/// A type that decodes nothing but what its schema says.
#[doc(hidden)]
pub trait DecodesStrictly {}

macro_rules! strict {
    ($($ty:ty),*) => { $(impl DecodesStrictly for $ty {})* };
}

strict!(bool, char, String, i8, i16, i32, i64, u8, u16, u32, u64, usize, f32, f64);

impl<T: DecodesStrictly> DecodesStrictly for Option<T> {}
impl<T: DecodesStrictly> DecodesStrictly for Vec<T> {}
impl<T: DecodesStrictly> DecodesStrictly for Box<T> {}

/// Asks whether `T` is known to be strict: `(&&StrictProbe::<T>::NEW).__tool_is_strict()`.
pub struct StrictProbe<T>(PhantomData<fn() -> T>);

impl<T> StrictProbe<T> {
    /// The question.
    pub const NEW: Self = Self(PhantomData);
}

/// Chosen where it is known.
pub trait IsStrict {
    /// Yes.
    fn __tool_is_strict(&self) -> bool;
}

impl<T: DecodesStrictly> IsStrict for &StrictProbe<T> {
    fn __tool_is_strict(&self) -> bool {
        true
    }
}

/// Chosen where it is not.
pub trait IsUnknown {
    /// No.
    fn __tool_is_strict(&self) -> bool;
}

impl<T> IsUnknown for StrictProbe<T> {
    fn __tool_is_strict(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    #[allow(clippy::needless_borrow)] // the question is the same for every type
    fn a_type_is_strict_only_where_that_is_known() {
        assert!((&&StrictProbe::<Option<Vec<Box<u64>>>>::NEW).__tool_is_strict());
        assert!(!(&&StrictProbe::<HashMap<String, u64>>::NEW).__tool_is_strict());
        assert!(!(&&StrictProbe::<Vec<serde_json::Value>>::NEW).__tool_is_strict());
    }
}
