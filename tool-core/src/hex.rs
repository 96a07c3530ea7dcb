//! Lower-case hexadecimal text of a digest.

pub(crate) fn encode(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let halves = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    halves.map(|half| char::from(DIGITS[usize::from(half)])).collect()
}

/// The bytes of exactly `2 * N` lower-case hexadecimal digits.
pub(crate) fn decode<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits = text.as_bytes();
    if digits.len() != 2 * N {
        return None;
    }
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_read_back_and_nothing_else_is_read() {
        let bytes = [0x00, 0x9f, 0xab];
        assert_eq!(encode(&bytes), "009fab");
        assert_eq!(decode("009fab"), Some(bytes));
        for wrong in ["009fa", "009fabc", "009FAB", "009fa ", "00é", ""] {
            assert_eq!(decode::<3>(wrong), None, "{wrong:?}");
        }
    }
}
