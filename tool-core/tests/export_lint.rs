//! The lint: quality rules, and what each provider would refuse.

use serde_json::{Value, json};
use tool_core::{ExportFormat, Finding, Rule, Severity, ToolDescriptor, lint, lint_for};

fn tool(id: &str, description: &str, properties: Value) -> ToolDescriptor {
    let schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
    ToolDescriptor::new("test", id, description, schema, None)
}

fn quality(tools: &[ToolDescriptor]) -> Vec<(String, String, Rule)> {
    lint_for(&[], tools).into_iter().map(|finding| (finding.tool, finding.path, finding.rule)).collect()
}

fn found(tool: &str, path: &str, rule: Rule) -> (String, String, Rule) {
    (tool.to_owned(), path.to_owned(), rule)
}

#[test]
fn a_well_described_tool_has_no_findings() {
    let properties = json!({
        "id": {"type": "string", "description": "The order's id."},
        "sort": {"type": "string", "enum": ["asc", "desc"], "description": "By date, upwards or downwards."},
        "lines": {"type": "array", "description": "What was bought.", "items": {
            "type": "object", "properties": {"sku": {"type": "string", "description": "The article."}}, "required": ["sku"],
        }},
    });
    let findings = lint([&tool("cancel", "Cancels an order that has not been sent.", properties)]);
    assert!(findings.iter().all(|finding| finding.severity == Severity::Note), "{findings:?}");
}

#[test]
fn what_is_not_described_is_found_at_its_path() {
    let properties = json!({
        "id": {"type": "string"},
        "lines": {"type": "array", "description": "Lines.", "items": {"type": "object", "properties": {
            "sku": {"type": "string"},
            "odd name": {"enum": ["a", "b"]},
        }}},
        "prices": {"type": "object", "description": "By article.", "additionalProperties": {"enum": ["low", "high"]}},
        "shape": {"description": "What to draw.", "oneOf": [
            {"type": "object", "properties": {"kind": {"const": "a"}, "size": {}}},
            {"type": "object", "properties": {"kind": {"const": "b"}, "size": {}}},
        ]},
    });
    assert_eq!(
        quality(&[tool("a", "", properties), tool("b", "Short.", json!({}))]),
        [
            found("a", "$", Rule::DescriptionMissing),
            found("a", "$.id", Rule::ParameterUndescribed),
            found("a", "$.lines[*][\"odd name\"]", Rule::ParameterUndescribed),
            found("a", "$.lines[*][\"odd name\"]", Rule::EnumUndocumented),
            found("a", "$.lines[*].sku", Rule::ParameterUndescribed),
            found("a", "$.prices.*", Rule::EnumUndocumented),
            found("a", "$.shape.size", Rule::ParameterUndescribed),
            found("b", "$", Rule::DescriptionShort),
        ]
    );
}

#[test]
fn descriptions_that_a_model_cannot_tell_apart_are_found() {
    let tools = [
        tool("search_orders", "Searches the orders of a customer by their id.", json!({})),
        tool("find_orders", "Searches the  orders of a customer by their ID", json!({})),
        tool("cancel", "Cancels an order that has not been sent yet.", json!({})),
    ];
    assert_eq!(quality(&tools), [found("find_orders", "$", Rule::DescriptionsAlike)]);
}

#[test]
fn many_tools_of_one_description_are_linted_in_time() {
    let tools: Vec<_> = (0..2_000).map(|n| tool(&format!("t{n}"), &"the same ".repeat(100), json!({}))).collect();
    let findings = lint_for(&[], &tools);
    assert_eq!(findings.len(), 1_999);
}

#[test]
fn what_a_provider_refuses_is_an_error_for_that_provider_alone() {
    let long =
        tool("long", &"Says a lot. ".repeat(100), json!({"zwei wörter": {"type": "string", "description": "Two."}}));
    let errors: Vec<Finding> =
        lint([&long]).into_iter().filter(|finding| finding.severity == Severity::Error).collect();
    let found: Vec<_> = errors
        .iter()
        .map(|finding| (finding.format.map(ExportFormat::name).unwrap_or_default(), finding.rule))
        .collect();
    assert_eq!(
        found,
        [
            ("openai", Rule::DescriptionTooLong),
            ("openai-responses", Rule::DescriptionTooLong),
            ("openai-strict", Rule::DescriptionTooLong),
            ("openai-responses-strict", Rule::DescriptionTooLong),
            ("anthropic", Rule::PropertyName),
            ("anthropic-strict", Rule::PropertyName),
        ]
    );
    assert_eq!(errors[4].path, r#"$["zwei wörter"]"#);
    assert_eq!(serde_json::to_value(&errors[4]).unwrap_or_default()["rule"], "property-name");
}

#[test]
fn rules_have_distinct_ids_in_kebab_case() {
    let mut ids: Vec<&str> = Rule::ALL.iter().map(|rule| rule.id()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), Rule::ALL.len());
    assert!(ids.iter().all(|id| id.chars().all(|c| c.is_ascii_lowercase() || c == '-')));
}

#[test]
fn a_descriptor_that_is_read_from_json_has_the_same_findings() {
    let properties = json!({"odd name": {"enum": ["a", "b"]}, "any": {"type": "object", "additionalProperties": true}});
    let tools = [tool("list.odd things", "Short.", properties)];
    let stored = serde_json::to_string(&tools).unwrap();
    let read: Vec<ToolDescriptor> = serde_json::from_str(&stored).unwrap();
    let findings = lint(&read);
    assert!(findings.iter().any(|finding| finding.rule == Rule::NameMapped), "{findings:?}");
    assert_eq!(findings, lint(&tools));
}

#[test]
fn a_default_or_an_example_that_the_tool_refuses_is_found() {
    let properties = json!({
        "limit": {"type": "integer", "description": "How many.", "maximum": 100, "default": 500},
        "code": {"type": "string", "description": "Its code.", "pattern": "^[A-Z]+$", "examples": ["AB", "ab"]},
        "colour": {"description": "Which.", "$ref": "#/$defs/Colour", "default": "mauve"},
        "note": {"type": "string", "description": "A note.", "default": null},
        "size": {"type": "integer", "description": "How large.", "default": 3, "examples": [1, 2]},
    });
    let colour = json!({"type": "string", "enum": ["red", "blue"]});
    let schema = json!({"type": "object", "properties": properties, "$defs": {"Colour": colour}});
    let tool = ToolDescriptor::new("test", "paint", "Paints a wall.", schema, None);
    let found: Vec<_> = lint_for(&[], [&tool])
        .into_iter()
        .filter(|finding| finding.rule == Rule::ValueRefused)
        .map(|finding| (finding.path, finding.message))
        .collect();
    let refused = |path: &str, what: &str, reason: &str| {
        (path.to_owned(), format!("the {what} is refused by the tool itself: {reason}; mend one of the two"))
    };
    assert_eq!(
        found,
        [
            refused(
                "$.code",
                "example",
                r#"expected a string that matches `^[A-Z]+$`, got the string "ab" (for example "AB")"#
            ),
            refused("$.colour", "default", r#"unknown value "mauve". Known: `red`, `blue`"#),
            refused("$.limit", "default", "expected an integer of at most 100, got the number 500"),
        ]
    );
}

#[test]
fn an_example_of_a_recursive_type_is_read_along_its_own_root() {
    let schema = |example: Value| {
        let kids = json!({"type": "array", "items": {"$ref": "#"}, "examples": [example], "description": "Its parts."});
        let properties = json!({"name": {"type": "string", "description": "Its name."}, "kids": kids});
        json!({"type": "object", "properties": properties, "required": ["name", "kids"], "additionalProperties": false})
    };
    let refused = |example: Value| {
        let tool = ToolDescriptor::new("test", "plant", "Plants a tree of names.", schema(example), None);
        quality(&[tool]).into_iter().filter(|(.., rule)| *rule == Rule::ValueRefused).collect::<Vec<_>>()
    };
    assert_eq!(refused(json!([{"name": "a", "kids": [{"name": "b", "kids": []}]}])), []);
    assert_eq!(refused(json!([{"name": "a"}])), [found("plant", "$.kids", Rule::ValueRefused)]);
}
