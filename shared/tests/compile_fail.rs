//! Ways around the checks of a refresh that do not compile: contracts 5, 6a, 14 and 21 are held by types.
//! A file that does compile, `compile_pass/the_one_way.rs`, shows that the programs fail for what they do.

#[test]
fn no_way_around_the_checks_compiles() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/compile_pass/the_one_way.rs");
    cases.compile_fail("tests/compile_fail/*.rs");
}
