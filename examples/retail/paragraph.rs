//! Text for people, broken into lines.

use std::io::{self, Write};

/// Columns that the text may take.
const WIDTH: usize = 100;

/// Prints text between words, the first line behind a label and the others below its start.
pub(crate) fn paragraph(out: &mut impl Write, label: &str, text: &str) -> io::Result<()> {
    let indent = label.chars().count();
    let mut line = label.to_owned();
    let mut length = indent;
    for word in text.split_whitespace() {
        let word_length = word.chars().count();
        if length > indent && length + 1 + word_length > WIDTH {
            writeln!(out, "{line}")?;
            line = " ".repeat(indent);
            length = indent;
        }
        if length > indent {
            line.push(' ');
            length += 1;
        }
        line.push_str(word);
        length += word_length;
    }
    writeln!(out, "{}", line.trim_end())
}
