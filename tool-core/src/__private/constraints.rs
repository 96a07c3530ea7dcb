//! What `#[arg(range(…), length(…), …)]` adds to the schema of an argument. The argument boundary enforces it from there.

use schemars::Schema;
use serde_json::{Map, Value, json};

/// A bound of `range(…)`: a number.
#[diagnostic::on_unimplemented(message = "`{Self}` cannot bound a range", label = "a bound of `range(…)` is a number")]
pub trait NumberBound {
    /// The number in JSON.
    fn to_json(self) -> Value;
}

macro_rules! number_bounds {
    ($($ty:ty),*) => {
        $(impl NumberBound for $ty {
            fn to_json(self) -> Value {
                self.into()
            }
        })*
    };
}

number_bounds!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize, f32, f64);

/// The schema of one argument, to which its constraints are added.
pub struct Property(pub(super) Schema);

impl Property {
    /// `range(minimum..)`
    #[must_use]
    pub fn minimum(self, minimum: impl NumberBound) -> Self {
        self.with("minimum", minimum.to_json())
    }

    /// `range(..=maximum)`
    #[must_use]
    pub fn maximum(self, maximum: impl NumberBound) -> Self {
        self.with("maximum", maximum.to_json())
    }

    /// `range(..end)`
    #[must_use]
    pub fn below(self, end: impl NumberBound) -> Self {
        self.with("exclusiveMaximum", end.to_json())
    }

    /// `length(minimum..)`: characters of a text, items of a list, properties of a map.
    #[must_use]
    pub fn min_length(mut self, minimum: usize) -> Self {
        if !self.has_length() {
            return self.with("minLength", json!(minimum)); // found where the tool is registered
        }
        for (kind, keyword) in [("string", "minLength"), ("array", "minItems"), ("object", "minProperties")] {
            if self.may_be(kind) {
                self = self.with(keyword, json!(minimum));
            }
        }
        self
    }

    /// `length(..=maximum)`
    #[must_use]
    pub fn max_length(mut self, maximum: usize) -> Self {
        if !self.has_length() {
            return self.with("maxLength", json!(maximum)); // found where the tool is registered
        }
        for (kind, keyword) in [("string", "maxLength"), ("array", "maxItems"), ("object", "maxProperties")] {
            if self.may_be(kind) {
                self = self.with(keyword, json!(maximum));
            }
        }
        self
    }

    /// `pattern = "…"`
    #[must_use]
    pub fn pattern(self, pattern: &str) -> Self {
        self.with("pattern", json!(pattern))
    }

    /// `example = …`; left out where it cannot be written as JSON.
    #[must_use]
    pub fn example(self, example: Option<Value>) -> Self {
        match example {
            Some(example) => self.with("examples", json!([example])),
            None => self,
        }
    }

    /// `deprecated`
    #[must_use]
    pub fn deprecated(self) -> Self {
        self.with("deprecated", json!(true))
    }

    fn has_length(&self) -> bool {
        ["string", "array", "object"].iter().any(|kind| self.may_be(kind))
    }

    fn with(mut self, keyword: &str, value: Value) -> Self {
        self.0.insert(keyword.to_owned(), value);
        self
    }

    /// Whether a value of this schema may be of the kind; a schema that does not say so may be of any.
    fn may_be(&self, kind: &str) -> bool {
        match self.0.as_object().and_then(|object: &Map<String, Value>| object.get("type")) {
            Some(Value::String(only)) => only == kind,
            Some(Value::Array(kinds)) => kinds.iter().any(|one| one == kind),
            _ => true,
        }
    }
}
