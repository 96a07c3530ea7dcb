//! Globs: `*` stands for any text, also none, `?` for one character, and everything else for itself.

use std::cmp::Reverse;

/// Whether all of `text` fits `pattern`. Takes time linear in `text`: a `*` is tried again only from the last one on.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    let (mut pattern, mut text) = (pattern.chars(), text.chars());
    // Behind the last `*`: the pattern there, and the text from which it is to be tried next.
    let mut last_star = None;
    loop {
        let before = text.clone();
        match (pattern.next(), text.next()) {
            (Some('*'), _) => {
                last_star = Some((pattern.clone(), before.clone()));
                text = before;
                continue;
            }
            (Some('?'), Some(_)) => continue,
            (Some(wanted), Some(found)) if wanted == found => continue,
            (None, None) => return true,
            (Some(_), None) => return false,
            (_, Some(_)) => {}
        }
        let Some((after_star, mut tried)) = last_star else { return false };
        tried.next();
        (pattern, text) = (after_star.clone(), tried.clone());
        last_star = Some((after_star, tried));
    }
}

/// Whether this stands for more than itself.
pub(super) fn is_glob(pattern: &str) -> bool {
    pattern.contains(['*', '?'])
}

/// How narrow a pattern is, the greater the narrower; in the order of the fields. A pattern that fits only what another
/// fits is never the less narrow of the two, and two that fit the same are equally narrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Narrowness {
    /// It stands for itself alone.
    exact: bool,
    /// Characters before the first wildcard.
    prefix: usize,
    /// Characters that stand for themselves.
    literal: usize,
    /// Characters that have to be there, whichever they are.
    any: usize,
    /// Places where any text may stand. Wildcards side by side are one place: `*?*` fits what `?*` fits.
    open: Reverse<usize>,
}

impl Narrowness {
    pub(super) fn of(pattern: &str) -> Self {
        let literal = |character: &char| !matches!(character, '*' | '?');
        Self {
            exact: !is_glob(pattern),
            prefix: pattern.chars().take_while(literal).count(),
            literal: pattern.chars().filter(literal).count(),
            any: pattern.chars().filter(|character| *character == '?').count(),
            open: Reverse(
                pattern.split(|character| literal(&character)).filter(|wildcards| wildcards.contains('*')).count(),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition, word for word; exponential.
    fn by_definition(pattern: &[char], text: &[char]) -> bool {
        match (pattern, text) {
            ([], _) => text.is_empty(),
            (['*', rest @ ..], _) => (0..=text.len()).any(|from| by_definition(rest, &text[from..])),
            (['?', rest @ ..], [_, text @ ..]) => by_definition(rest, text),
            ([wanted, rest @ ..], [found, text @ ..]) => wanted == found && by_definition(rest, text),
            (_, []) => false,
        }
    }

    /// Every text of up to five of three characters; the patterns below know only two of them.
    fn texts() -> Vec<String> {
        let mut texts = vec![String::new()];
        let mut from = 0;
        for _ in 0..5 {
            let longer: Vec<_> =
                texts[from..].iter().flat_map(|text| ['a', 'b', 'ü'].map(|next| format!("{text}{next}"))).collect();
            from = texts.len();
            texts.extend(longer);
        }
        texts
    }

    #[test]
    fn wildcards_stand_for_what_they_say() {
        for (pattern, text, expected) in [
            ("orders.*", "orders.get", true),
            ("orders.*", "orders.", true),
            ("orders.*", "orders", false),
            ("orders.*", "Orders.get", false),
            ("*", "", true),
            ("*", "a/b.c\nd", true),
            ("?", "ü", true),
            ("?", "", false),
            ("?", "ab", false),
            ("get_*_by_id", "get_user_by_name_by_id", true),
            ("get_*_by_id", "get_user_by_id_", false),
            ("[ab]", "a", false),
            ("", "", true),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text:?}");
        }
    }

    #[test]
    fn a_hostile_text_takes_no_exponential_time() {
        let pattern = format!("{}b", "a*".repeat(30));
        assert!(!matches(&pattern, &"a".repeat(20_000)));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

        #[test]
        fn matching_is_as_defined(pattern in "[ab*?]{0,6}") {
            let wanted: Vec<char> = pattern.chars().collect();
            for text in texts() {
                let found: Vec<char> = text.chars().collect();
                prop_assert_eq!(matches(&pattern, &text), by_definition(&wanted, &found), "{} {:?}", pattern, text);
            }
        }

        /// What makes "the narrowest wins" true: the order agrees with the sets.
        #[test]
        fn what_fits_less_is_never_the_broader(one in "[ab*?]{1,4}", two in "[ab*?]{1,4}") {
            let (mut only_one, mut only_two) = (false, false);
            for text in texts() {
                let (one, two) = (matches(&one, &text), matches(&two, &text));
                only_one |= one && !two;
                only_two |= two && !one;
            }
            let order = Narrowness::of(&one).cmp(&Narrowness::of(&two));
            match (only_one, only_two) {
                (false, false) => prop_assert!(order.is_eq(), "{} {}: {:?}", one, two, order),
                (false, true) => prop_assert!(order.is_ge(), "{} {}: {:?}", one, two, order),
                (true, false) => prop_assert!(order.is_le(), "{} {}: {:?}", one, two, order),
                (true, true) => {}
            }
        }
    }
}
