//! Each file in `fail` does not compile, and for the reason in the `.stderr` beside it; each file in `pass` compiles
//! and runs. After a changed message: `TRYBUILD=overwrite cargo test -p ui-tests`, and read the difference.

#[test]
fn the_macro_refuses_and_accepts_what_it_says() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("fail/*/*.rs");
    cases.pass("pass/*.rs");
}
