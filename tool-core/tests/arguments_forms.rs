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

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
enum Change {
    Limit(Option<u32>),
    Note(Option<String>),
    Name(String),
}

#[test]
fn nulls_of_several_forms_choose_none_and_their_order_decides_nothing() {
    for text in [r#"{"p":{"Limit":null,"Note":null}}"#, r#"{"p":{"Note":null,"Limit":null,"Name":null}}"#] {
        let refused = read::<One<Change>>(text).unwrap_err().replace("`Note`, `Limit`", "`Limit`, `Note`");
        let expected = "`p`: one of `Limit`, `Note` is meant, and each is null; leave out the others";
        assert_eq!(refused, format!("Invalid arguments: {expected}"));
    }
    // The null of a form that takes none says nothing.
    for text in [r#"{"p":{"Limit":null,"Name":null}}"#, r#"{"p":{"Name":null,"Limit":null}}"#] {
        let (one, repairs) = read::<One<Change>>(text).unwrap();
        assert_eq!((one.p, repairs), (Change::Limit(None), vec!["p.Name null_as_absent".to_owned()]));
    }
    let (one, _) = read::<One<Change>>(r#"{"p":{"Limit":null,"Note":"a","Name":null}}"#).unwrap();
    assert_eq!(one.p, Change::Note(Some("a".to_owned())));
    let refused = read::<One<Change>>(r#"{"p":{"Name":null}}"#).unwrap_err();
    assert_eq!(refused, "Invalid arguments: `p.Name`: expected a string, got null");
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Table {
    Sized { rows: u32, columns: u32 },
    Named(std::collections::BTreeMap<String, Option<u32>>),
}

#[test]
fn a_null_that_a_form_takes_is_kept_whatever_is_repaired_beside_it() {
    let (one, repairs) = read::<One<Table>>(r#"{"p":{"rows":null,"a":"1"}}"#).unwrap();
    let expected = [("a".to_owned(), Some(1)), ("rows".to_owned(), None)];
    assert_eq!((one.p, repairs), (Table::Named(expected.into()), vec!["p.a number_from_string".to_owned()]));
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
enum Tree {
    Sum { of: Vec<Tree>, weight: u32 },
    Product { of: Vec<Tree>, weight: u32, base: u32 },
    Leaf(u32),
}

#[test]
fn what_is_wrong_within_a_form_that_its_keys_tell_is_told_at_its_place() {
    let refused = read::<One<Tree>>(r#"{"p":{"of":[1,{"of":[2,"x"],"weight":1,"base":2}],"weight":1}}"#).unwrap_err();
    let expected = "`p.of[1].of[1]`: expected an object with `of`, `weight` or an object with `base`, `of`, `weight` or an \
                    integer from 0 to 4294967295, got the string \"x\"";
    assert!(refused.contains(expected), "{refused}");
    // Two forms have these keys, or none: there is no place to tell.
    let refused = read::<One<Either>>(r#"{"p":{"a":"x"}}"#).unwrap_err();
    assert_eq!(refused, "Invalid arguments: `p`: expected an object with `a`, got an object that fits none");
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum Shape {
    Circle { radius: u32 },
    Square { side: u32 },
    Point,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "paint")]
enum Paint {
    Red { shade: u32 },
    Plain,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Drawn {
    x: u32,
    #[serde(flatten)]
    shape: Shape,
    #[serde(flatten)]
    paint: Paint,
}

#[test]
fn two_flattened_enums_refuse_what_neither_knows_and_say_which_is_at_fault() {
    let (drawn, _) = read::<Drawn>(r#"{"x":1,"kind":"Square","side":2,"paint":"Red","shade":"3"}"#).unwrap();
    assert_eq!(drawn, Drawn { x: 1, shape: Shape::Square { side: 2 }, paint: Paint::Red { shade: 3 } });
    for (text, refused) in [
        (
            r#"{"x":1,"kind":"Point","paint":"Plain","shad":1}"#,
            "`shad`: unknown property \"shad\". Known: `kind`, `paint`, `x`",
        ),
        (
            r#"{"x":1,"kind":"Point","paint":"Plain","side":1}"#,
            "`side`: unknown property \"side\". Known: `kind`, `paint`, `x`",
        ),
        (r#"{"x":1,"kind":"Point"}"#, "`paint`: required, but missing; one of `Red`, `Plain`"),
        (r#"{"x":1,"kind":"Pint","paint":"Plain"}"#, "`kind`: "),
        (r#"{"x":1,"kind":"Circle","paint":"Plain"}"#, "`radius`: required, but missing"),
    ] {
        let said = read::<Drawn>(text).unwrap_err();
        assert!(said.starts_with(&format!("Invalid arguments: {refused}")), "{said}");
    }
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum Drawing {
    Round {
        x: u8,
        #[serde(flatten)]
        paint: Paint,
    },
    Point {
        y: u8,
    },
}

#[test]
fn a_tag_tells_forms_of_which_one_has_forms_itself() {
    for (text, refused) in [
        (r#"{"p":{"kind":"Point","y":1,"z":1}}"#, "`p.z`: unknown property"),
        (r#"{"p":{"kind":"Point"}}"#, "`p.y`: required, but missing"),
        (r#"{"p":{"kind":"Round","x":1,"paint":"Plain","z":1}}"#, "`p.z`: unknown property"),
        (r#"{"p":{"kind":"Round","x":1,"paint":"Plan"}}"#, "`p.paint`: unknown value"),
        (r#"{"p":{"kind":"Pont","y":1}}"#, "`p.kind`: unknown value"),
    ] {
        let said = read::<One<Drawing>>(text).unwrap_err();
        assert!(said.starts_with(&format!("Invalid arguments: {refused}")), "{said}");
    }
    let (one, _) = read::<One<Drawing>>(r#"{"p":{"kind":"Round","x":1,"paint":"Red","shade":"2"}}"#).unwrap();
    assert_eq!(one.p, Drawing::Round { x: 1, paint: Paint::Red { shade: 2 } });
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Listed {
    Wheres(Vec<Either>),
    Pairs(Vec<[u8; 2]>),
    Text(String),
}

#[test]
fn arrays_of_several_kinds_are_told_by_what_they_hold() {
    let said = read::<One<Ids>>(r#"{"p":[1,true]}"#).unwrap_err();
    let forms = "an array (each element an integer from 0 to 4294967295) or an array (each element true or false)";
    assert_eq!(said, format!("Invalid arguments: `p`: expected {forms}, got an array that fits none"));
    let said = read::<One<Listed>>(r#"{"p":[1]}"#).unwrap_err();
    let forms = "an array (each element an object with `a`) or an array (each element an array of 2 items), got";
    assert!(said.contains(forms), "{said}");
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct WithMore {
    #[serde(flatten)]
    shape: Shape,
    #[serde(flatten)]
    more: std::collections::BTreeMap<String, serde_json::Value>,
}

#[test]
fn a_map_that_is_flattened_beside_an_enum_keeps_what_no_form_names() {
    let (read, _) = read::<WithMore>(r#"{"kind":"Square","side":"2","z":[1]}"#).unwrap();
    assert_eq!((read.shape, read.more["z"].to_string()), (Shape::Square { side: 2 }, "[1]".to_owned()));
    let parser = |keyword: &str, value: serde_json::Value| {
        ArgumentParser::new(&serde_json::json!({"type": "object", "properties": {"p": {keyword: value}}}))
    };
    for keyword in ["unevaluatedProperties", "unevaluatedItems"] {
        assert!(parser(keyword, true.into()).is_ok() && parser(keyword, serde_json::json!({})).is_ok());
        assert!(parser(keyword, false.into()).is_err(), "{keyword} constrains");
    }
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "pen")]
enum Pen {
    Round { radius: u8 },
    Plain,
}

/// `radius` is of two types, so that the forms cannot be multiplied.
#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Sketch {
    limit: Option<u8>,
    #[serde(flatten)]
    shape: Shape,
    #[serde(flatten)]
    pen: Pen,
}

#[test]
fn flattened_enums_that_are_not_combined_refuse_what_none_of_them_knows() {
    let valid = r#"{"kind":"Circle","radius":3,"pen":"Round","limit":"4"}"#;
    let (sketch, _) = read::<Sketch>(valid).unwrap();
    let expected = Sketch { limit: Some(4), shape: Shape::Circle { radius: 3 }, pen: Pen::Round { radius: 3 } };
    assert_eq!(sketch, expected);
    let refused = read::<Sketch>(r#"{"kind":"Point","pen":"Plain","limits":3}"#).unwrap_err();
    assert!(refused.contains("`limits`: unknown property"), "{refused}");
    assert!(read::<Sketch>(r#"{"kind":"Circle","radius":300,"pen":"Round"}"#).is_err());
    // What every export allows still holds all that is valid, and a null for what another form has is absence.
    let value = serde_json::json!({"kind": "Circle", "radius": 3, "pen": "Round", "side": null, "limit": 4});
    assert_eq!(read::<Sketch>(&value.to_string()).unwrap().0, expected);
    let descriptor = ToolDescriptor::new("forms", "forms", "Takes several forms.", input_schema::<Sketch>(), None);
    for format in ExportFormat::ALL {
        let export = descriptor.export(format);
        let parameters = jsonschema::validator_for(export.parameters().unwrap()).unwrap();
        let sent: serde_json::Value = if export.is_strict() {
            value.clone()
        } else {
            serde_json::from_str(&valid.replace("\"4\"", "4")).unwrap()
        };
        assert!(parameters.is_valid(&sent), "{format}: {}", export.tool);
    }
}
