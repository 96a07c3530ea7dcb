//! Values of several forms: which one is meant, and what becomes of it.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tool_core::{ArgumentParser, ToolArguments, input_schema};

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct One<T> {
    p: T,
}

/// The arguments, with the repairs as `path rule`.
fn read<A: DeserializeOwned + JsonSchema>(text: &str) -> Result<(A, Vec<String>), String> {
    let parser = ArgumentParser::new(&input_schema::<A>()).unwrap();
    let parsed = parser.parse::<A>(&ToolArguments::from(text)).map_err(|error| error.to_string())?;
    let repairs = parsed.repairs.iter().map(|repair| format!("{} {}", repair.path, repair.rule)).collect();
    Ok((parsed.args, repairs))
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Ids {
    Numbers(Vec<u32>),
    Flags(Vec<bool>),
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Either {
    Number { a: u32 },
    Flag { a: bool },
}

#[test]
fn the_one_form_that_a_repair_fits_is_read_to_its_end_whatever_form_was_tried_last() {
    let repaired = |path: &str| vec![format!("{path} number_from_string")];
    let (one, repairs) = read::<One<Ids>>(r#"{"p":["1"]}"#).unwrap();
    assert_eq!((one.p, repairs), (Ids::Numbers(vec![1]), repaired("p[0]")));
    let (one, repairs) = read::<One<Either>>(r#"{"p":{"a":"1"}}"#).unwrap();
    assert_eq!((one.p, repairs), (Either::Number { a: 1 }, repaired("p.a")));
    let (one, _) = read::<One<Ids>>(r#"{"p":["true"]}"#).unwrap();
    assert_eq!(one.p, Ids::Flags(vec![true]));
}
