//! "Did you mean …?"

/// The name nearest to `given`, where one is near enough to be meant: a small slip of the pen, or one name within the
/// other (`depth` for `max_depth`).
pub(crate) fn nearest<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let given = given.to_lowercase();
    known
        .filter_map(|name| {
            let likeness = likeness(&given, &name.to_lowercase());
            (likeness >= 0.7).then_some((likeness, name))
        })
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, name)| name)
}

/// From 0 (nothing in common) to 1 (the same).
fn likeness(given: &str, known: &str) -> f64 {
    // A long text is no slip of the pen, and the comparison takes quadratic time.
    const COMPARED_BYTES: usize = 64;
    if given.len() > COMPARED_BYTES || known.len() > COMPARED_BYTES {
        return 0.0;
    }
    let contained = given.len() >= 3 && known.len() >= 3 && (known.contains(given) || given.contains(known));
    let distance = strsim::normalized_damerau_levenshtein(given, known);
    if contained { distance.max(0.8) } else { distance }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_or_a_part_is_suggested_and_a_stranger_is_not() {
        let known = ["max_depth", "query", "order_id"];
        for (given, expected) in [
            ("depth", Some("max_depth")),
            ("Query", Some("query")),
            ("quary", Some("query")),
            ("orderId", Some("order_id")),
            ("colour", None),
            ("", None),
        ] {
            assert_eq!(nearest(given, known.into_iter()), expected, "{given}");
        }
        assert_eq!(nearest(&"x".repeat(1_000_000), known.into_iter()), None);
    }
}
