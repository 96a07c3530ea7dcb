//! What is repaired is judged once more: no repair leads past the schema.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashSet};
use tool_core::{ArgumentParser, ToolArguments, input_schema};

#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code)] // only refusals are looked at
struct One<T> {
    p: T,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
enum Colour {
    Red,
    Green,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("minProperties" = 1))]
#[allow(dead_code)] // only refusals are looked at
struct Some {
    #[serde(default)]
    a: u32,
}

fn refusal_under<A: DeserializeOwned>(schema: &Value, text: &str) -> String {
    let refused = ArgumentParser::new(schema).unwrap().parse::<A>(&ToolArguments::from(text)).err();
    refused.unwrap().to_string().strip_prefix("Invalid arguments: ").unwrap().to_owned()
}

fn refusal<A: DeserializeOwned + JsonSchema>(text: &str) -> String {
    refusal_under::<A>(&input_schema::<A>(), text)
}

#[test]
fn two_spellings_of_one_element_are_the_same_element() {
    assert_eq!(
        refusal::<One<HashSet<u32>>>(r#"{"p":["1",1]}"#),
        "`p[1]`: the same element again; each may be given once (a number in a string counts as the number)",
    );
    assert_eq!(
        refusal::<One<BTreeSet<Colour>>>(r#"{"p":["Red","red"]}"#),
        "`p[1]`: the same element again; each may be given once (letter case does not count)",
    );
    // What is lost nowhere is still repaired.
    let parser = ArgumentParser::new(&input_schema::<One<BTreeSet<Colour>>>()).unwrap();
    let parsed = parser.parse::<One<BTreeSet<Colour>>>(&ToolArguments::from(r#"{"p":["Red","green"]}"#)).unwrap();
    assert_eq!(parsed.args.p, BTreeSet::from([Colour::Red, Colour::Green]));
}

#[test]
fn a_property_that_counts_as_left_out_is_not_counted() {
    assert_eq!(
        refusal::<Some>(r#"{"a":null}"#),
        "expected an object of at least 1 property, got 0 (null counts as left out)",
    );
}

#[test]
fn what_is_not_allowed_is_not_allowed_in_another_spelling() {
    let schema =
        json!({"type": "object", "properties": {"p": {"type": "integer"}}, "not": {"properties": {"p": {"const": 5}}}});
    assert_eq!(
        refusal_under::<Value>(&schema, r#"{"p":"5"}"#),
        "this value is not allowed here (a number in a string counts as the number)",
    );
}

#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code)] // only refusals are looked at
struct Neighbours {
    ids: BTreeSet<u8>,
    #[serde(default)]
    idsx: u8,
}

#[test]
fn a_fault_is_told_with_the_repairs_of_its_own_place() {
    assert_eq!(
        refusal::<Neighbours>(r#"{"ids":["1",1],"idsx":null}"#),
        "`ids[1]`: the same element again; each may be given once (a number in a string counts as the number)",
    );
}
