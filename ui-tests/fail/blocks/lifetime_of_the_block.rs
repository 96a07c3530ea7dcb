#![allow(dead_code)]

use tool_core::tool;

struct Lent<'a>(&'a str);

#[tool]
impl<'a> Lent<'a> {
    /// Lends.
    #[tool]
    async fn lend(&self) -> String {
        self.0.to_owned()
    }
}

struct Borrowed<'a>(&'a str);

#[tool]
impl Borrowed<'_> {
    /// Borrows.
    #[tool]
    async fn borrow(&self) -> String {
        self.0.to_owned()
    }
}

struct Fixed<'a>(&'a str);

#[tool]
impl Fixed<'static> {
    /// Is of the program's own text.
    #[tool]
    async fn fixed(&self) -> String {
        self.0.to_owned()
    }
}

fn main() {}
