//! Where a decoder stands, so that what it refuses has a place.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt::Write;

/// One step from a value into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::args) enum Segment<'s> {
    /// The element of an array.
    Element(usize),
    /// The member of an object.
    Member(Cow<'s, str>),
    /// The content of an enum's form, which stands under the form's name.
    Form(Cow<'s, str>),
}

/// The steps from the root to where the decoder stands; after a refusal, to what it refused. It goes back once a value has been
/// read, and never after an error, so that whoever sees the error finds it standing there.
#[derive(Debug, Default)]
pub(in crate::args) struct Way<'s>(RefCell<Vec<Segment<'s>>>);

impl<'s> Way<'s> {
    pub(super) fn depth(&self) -> usize {
        self.0.borrow().len()
    }

    pub(super) fn enter(&self, segment: Segment<'s>) {
        self.0.borrow_mut().push(segment);
    }

    pub(super) fn back_to(&self, depth: usize) {
        self.0.borrow_mut().truncate(depth);
    }

    pub(in crate::args) fn into_segments(self) -> Vec<Segment<'s>> {
        self.0.into_inner()
    }
}

/// The path as a model is told of it; of the root it is empty.
pub(in crate::args) fn path_of(segments: &[Segment<'_>]) -> String {
    let mut path = String::new();
    for segment in segments {
        match segment {
            // Writing to a string fails nowhere.
            Segment::Element(index) => drop(write!(path, "[{index}]")),
            Segment::Member(name) | Segment::Form(name) => {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(name);
            }
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::super::{Decoder, Spoken};
    use super::*;
    use crate::args::reader::Reader;
    use serde::Deserialize;
    use serde::de::DeserializeOwned;
    use std::collections::BTreeMap;
    use std::fmt;

    /// Where a text is refused as an `A`.
    fn refused<A: DeserializeOwned + fmt::Debug>(text: &str) -> String {
        let (reader, way) = (Reader::new(text), Way::default());
        A::deserialize(Decoder::new(&reader, Spoken::Nothing, &way)).unwrap_err();
        path_of(&way.into_segments())
    }

    #[derive(Debug, Deserialize)]
    #[allow(dead_code)] // read by nobody
    struct Point {
        x: i8,
        y: i8,
    }

    #[derive(Debug, Deserialize)]
    #[allow(dead_code)] // read by nobody
    enum Shape {
        Dot,
        Circle { at: Point },
        Line(Point, Point),
        Text(String),
    }

    #[test]
    fn what_is_refused_has_the_path_of_the_innermost_value() {
        for (found, expected) in [
            (refused::<i8>("true"), ""),
            (refused::<Point>(r#"{"x": 1, "y": 300}"#), "y"),
            (refused::<Point>(r#"{"x": 1}"#), ""),
            (refused::<Point>(r#"{"x": 1, "x": 2}"#), ""),
            (refused::<Vec<Point>>(r#"[{"x": 1, "y": 1}, {"x": 1, "y": "1"}]"#), "[1].y"),
            (refused::<Vec<Point>>(r#"[{"x": 1, "y": 1}, {"y": 1}]"#), "[1]"),
            (refused::<(i8, i8)>("[1, 2, 3]"), ""),
            (refused::<BTreeMap<String, Vec<bool>>>(r#"{"a": [true], "b\u0063": [true, 0]}"#), "bc[1]"),
            (refused::<BTreeMap<u8, bool>>(r#"{"1": true, "x": true}"#), "x"),
            (refused::<Option<Box<Point>>>(r#"{"x": null, "y": 1}"#), "x"),
            (refused::<Vec<Shape>>(r#"["Dot", {"Circle": {"at": {"x": 1, "y": ""}}}]"#), "[1].Circle.at.y"),
            (refused::<Shape>(r#"{"Line": [{"x": 1, "y": 1}, {"x": 1}]}"#), "Line[1]"),
            (refused::<Shape>(r#"{"Text": 1}"#), "Text"),
            (refused::<Shape>(r#"{"Blot": 1}"#), ""),
            (refused::<Shape>(r#"{"Dot": null, "Text": ""}"#), ""),
            (refused::<Shape>(r#""Text""#), ""),
        ] {
            assert_eq!(found, expected);
        }
    }
}
