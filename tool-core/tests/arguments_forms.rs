//! Values of several forms: which one is meant, and what becomes of it.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tool_core::{ArgumentParser, ExportFormat, ToolArguments, ToolDescriptor, input_schema};

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

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Where {
    By { id: u32, region: String },
    All { region: String },
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Limited {
    limit: u32,
    #[serde(flatten)]
    place: Where,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
enum Sought {
    Name { name: Option<String>, page: u32 },
    Code { code: Option<String>, page: u32 },
}

fn is_strict<A: JsonSchema>() -> bool {
    let descriptor = ToolDescriptor::new("forms", "forms", "Takes several forms.", input_schema::<A>(), None);
    descriptor.export(ExportFormat::OpenAiStrict).is_strict()
}

#[test]
fn what_a_strict_export_asks_for_of_other_forms_is_taken_for_absent() {
    let region = || "eu".to_owned();
    assert!(is_strict::<Where>() && is_strict::<Limited>() && is_strict::<Sought>());
    let (place, repairs) = read::<Where>(r#"{"id":null,"region":"eu"}"#).unwrap();
    assert_eq!((place, repairs), (Where::All { region: region() }, vec!["id null_as_absent".to_owned()]));
    let (place, _) = read::<Where>(r#"{"id":4,"region":"eu"}"#).unwrap();
    assert_eq!(place, Where::By { id: 4, region: region() });
    let (limited, _) = read::<Limited>(r#"{"id":null,"region":"eu","limit":3}"#).unwrap();
    assert_eq!(limited, Limited { limit: 3, place: Where::All { region: region() } });
    assert!(read::<Where>(r#"{"other":null,"region":"eu"}"#).is_err());
    // The first form, as without the nulls.
    let (sought, _) = read::<Sought>(r#"{"name":null,"code":null,"page":2}"#).unwrap();
    assert_eq!((sought, read::<Sought>(r#"{"page":2}"#).unwrap().0), {
        let first = || Sought::Name { name: None, page: 2 };
        (first(), first())
    });
    let (sought, _) = read::<Sought>(r#"{"name":null,"code":"x","page":2}"#).unwrap();
    assert_eq!(sought, Sought::Code { code: Some("x".to_owned()), page: 2 });
}
