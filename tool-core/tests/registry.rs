//! The registry fails closed.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use tool_core::{
    ArgumentLimits, ArgumentMode, RawTool, RawToolRegistry, RegistryProblem, Tool, ToolAnnotations, ToolCall,
    ToolDescriptor, ToolError, ToolExecutionTarget, ToolExecutor, ToolOutput, ToolRecoveryCapability, async_trait,
    erase, tool,
};

/// Finds nothing.
#[tool(read_only, title = "Search", target = sandbox)]
fn search() -> String {
    "nothing".into()
}

/// Finds something.
#[tool(id = "search")]
fn search_again() -> String {
    "something".into()
}

/// Says what it was told.
#[tool]
fn echo(text: String) -> String {
    text
}

/// A tool of the given argument type, written by hand.
macro_rules! by_hand {
    ($name:ident, $args:ty, $id:literal) => {
        struct $name;

        #[async_trait]
        impl Tool for $name {
            type Args = $args;
            type Output = String;
            const ID: &'static str = $id;
            const DESCRIPTION: &'static str = "Written by hand.";

            async fn call(&self, _: $args) -> Result<String, ToolError> {
                Ok("ran".to_owned())
            }
        }
    };
}

/// A raw tool that answers under a foreign call id.
struct Raw {
    id: &'static str,
    descriptor: Option<Arc<ToolDescriptor>>,
}

#[async_trait]
impl RawTool for Raw {
    fn id(&self) -> &str {
        self.id
    }

    fn descriptor(&self) -> Option<Arc<ToolDescriptor>> {
        self.descriptor.clone()
    }

    async fn invoke(&self, _: ToolCall) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::ok("raw").with_call_id("another call"))
    }
}

async fn text(registry: &RawToolRegistry, id: &str, arguments: Value) -> String {
    match registry.invoke(&ToolCall::new("call_1", id, arguments)).await {
        Ok(output) => output.text().into_owned(),
        Err(error) => error.to_string(),
    }
}

#[tokio::test]
async fn an_id_that_came_twice_is_closed_for_good() {
    let mut registry = RawToolRegistry::new([erase(Search), erase(Echo), erase(SearchAgain)]);
    assert_eq!(registry.problems(), [RegistryProblem::AmbiguousId { tool_id: "search".into() }]);
    let said = "tool \"search\" cannot be called: tool id \"search\" was registered more than once; give each tool an \
                id of its own";
    assert_eq!(text(&registry, "search", json!({})).await, said);
    registry.insert(erase(Search));
    assert_eq!(text(&registry, "search", json!({})).await, said);
    assert!(registry.get("search").is_none());
    assert_eq!(registry.recovery_capability("search"), ToolRecoveryCapability::NonRecoverable);
    let offered: Vec<&str> = registry.descriptors().map(|descriptor| descriptor.id()).collect();
    assert_eq!(offered, ["echo"]);
    assert_eq!(text(&registry, "echo", json!({"text": "heard"})).await, "heard");
}

#[test]
fn the_same_object_twice_is_ambiguous_too() {
    let tool = erase(Echo);
    let registry = RawToolRegistry::new([Arc::clone(&tool), tool]);
    assert_eq!(registry.problems(), [RegistryProblem::AmbiguousId { tool_id: "echo".into() }]);
}

#[tokio::test]
async fn an_id_becomes_ambiguous_after_it_was_listed_and_called() {
    let mut registry = RawToolRegistry::new([erase(Search)]);
    assert_eq!(registry.descriptors().count(), 1);
    assert_eq!(text(&registry, "search", json!({})).await, "nothing");
    registry.insert(erase(SearchAgain));
    assert_eq!(registry.descriptors().count(), 0);
    assert_eq!(registry.problems().len(), 1);
}

#[tokio::test]
async fn an_unknown_tool_is_an_error_that_names_it() {
    let registry = RawToolRegistry::new([erase(Echo)]);
    let error = registry.invoke(&ToolCall::new("c", "ehco", "{}")).await.unwrap_err();
    assert_eq!(error, ToolError::unknown("ehco", "no tool is registered under this id"));
    assert_eq!(registry.recovery_capability("ehco"), ToolRecoveryCapability::NonRecoverable);
}

#[test]
fn listing_keeps_the_order_and_the_instance_stands_in_the_descriptor() {
    let registry = RawToolRegistry::try_new([erase(Search), erase(Echo)]).unwrap();
    let descriptors: Vec<_> = registry.descriptors().collect();
    assert_eq!(descriptors.iter().map(|d| d.id()).collect::<Vec<_>>(), ["search", "echo"]);
    assert_eq!(descriptors[0].title(), Some("Search"));
    assert_eq!(descriptors[0].recovery_capability(), ToolRecoveryCapability::ReplaySafe);
    assert_eq!(descriptors[0].execution_target(), ToolExecutionTarget::Sandbox);
    assert_eq!(descriptors[0].annotations(), &ToolAnnotations::new().with_read_only(true));
    assert_eq!(descriptors[1].recovery_capability(), ToolRecoveryCapability::NonRecoverable);
    assert_eq!(descriptors[1].execution_target(), ToolExecutionTarget::Brain);
    assert_eq!(descriptors[0].identity(), ToolDescriptor::for_tool::<Search>("local").identity());
    assert!(Arc::ptr_eq(registry.descriptors().next().unwrap(), descriptors[0]));
}

#[tokio::test]
async fn a_raw_tool_without_a_descriptor_can_be_called_and_is_not_offered() {
    let raw: Arc<dyn RawTool> = Arc::new(Raw { id: "raw", descriptor: None });
    let registry = RawToolRegistry::try_new([raw]).unwrap();
    assert_eq!(registry.descriptors().count(), 0);
    let output = registry.invoke(&ToolCall::new("call_1", "raw", "{}")).await.unwrap();
    assert_eq!((output.text().as_ref(), output.call_id.as_str()), ("raw", "call_1"));
}

#[test]
fn a_descriptor_of_another_id_and_an_empty_id_are_refused() {
    let described = |id: &str| Some(Arc::new(ToolDescriptor::new("x", id, "Other.", json!({"type": "object"}), None)));
    let tools: [Arc<dyn RawTool>; 2] = [
        Arc::new(Raw { id: "raw", descriptor: described("other") }),
        Arc::new(Raw { id: "", descriptor: described("") }),
    ];
    let problems = RawToolRegistry::try_new(tools).unwrap_err();
    assert_eq!(
        problems.problems(),
        [
            RegistryProblem::ForeignDescriptor { tool_id: "raw".into(), described: "other".into() },
            RegistryProblem::EmptyId,
        ]
    );
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code)] // only the schema is looked at
enum Untagged {
    Text(String),
    List(Vec<String>),
}

by_hand!(NoArguments, (), "no_arguments");
by_hand!(Text, String, "text");
by_hand!(List, Vec<String>, "list");
by_hand!(Anything, Value, "anything");
by_hand!(UntaggedEnum, Untagged, "untagged");

#[tokio::test]
async fn arguments_without_an_object_form_are_refused_where_the_tool_is_registered() {
    let registry =
        RawToolRegistry::new([erase(NoArguments), erase(Text), erase(List), erase(Anything), erase(UntaggedEnum)]);
    let refused: Vec<String> = registry.problems().iter().map(ToString::to_string).collect();
    let expected = ["text", "list", "anything", "untagged"]
        .map(|id| format!("the arguments of tool {id:?} are not a JSON object; put them into the fields of a struct"));
    assert_eq!(refused, expected);
    assert_eq!(text(&registry, "no_arguments", json!({})).await, "ran");
    assert_eq!(
        text(&registry, "text", json!("x")).await,
        "tool \"text\" cannot be called: the arguments of tool \"text\" are not a JSON object; put them into the fields \
         of a struct"
    );
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only the schema is looked at
struct Job {
    run_id: String,
    name: String,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only the schema is looked at
struct Nested {
    jobs: Vec<Option<Job>>,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only the schema is looked at
struct Flattened {
    #[serde(flatten)]
    job: Job,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only the schema is looked at
struct Renamed {
    #[serde(rename = "workspaceId")]
    subject: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", tag = "kind")]
#[allow(dead_code)] // only the schema is looked at
enum InVariant {
    Plain {
        name: String,
    },
    #[serde(rename_all = "camelCase")]
    Deep {
        call_id: String,
    },
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only the schema is looked at
struct Recursive {
    thread_id: u32,
    children: Vec<Recursive>,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only its names are looked at
struct Aliased {
    #[serde(alias = "run_id")]
    job: String,
}

by_hand!(AliasedTool, Aliased, "aliased");
by_hand!(NestedTool, Nested, "nested");
by_hand!(FlattenedTool, Flattened, "flattened");
by_hand!(RenamedTool, Renamed, "renamed");
by_hand!(InVariantTool, InVariant, "in_variant");
by_hand!(RecursiveTool, Recursive, "recursive");

struct Allowed;

#[async_trait]
impl Tool for Allowed {
    type Args = Nested;
    type Output = String;
    const ID: &'static str = "allowed";
    const DESCRIPTION: &'static str = "Takes a field that bears the name of a coordinate.";
    const NOT_RUNTIME: &'static [&'static str] = &["jobs.run_id"];

    async fn call(&self, _: Nested) -> Result<String, ToolError> {
        Ok("ran".to_owned())
    }
}

#[tokio::test]
async fn a_hand_written_coordinate_is_refused_at_any_depth_unless_the_tool_says_so() {
    let registry = RawToolRegistry::new([
        erase(NestedTool),
        erase(FlattenedTool),
        erase(RenamedTool),
        erase(InVariantTool),
        erase(RecursiveTool),
        erase(AliasedTool),
        erase(Allowed),
    ]);
    let found: Vec<(String, String)> = registry
        .problems()
        .into_iter()
        .map(|problem| match problem {
            RegistryProblem::ReservedProperty { tool_id, path } => (tool_id, path),
            other => panic!("{other}"),
        })
        .collect();
    let expected = [
        ("nested", "jobs.run_id"),
        ("flattened", "run_id"),
        ("renamed", "workspaceId"),
        ("in_variant", "callId"),
        ("recursive", "thread_id"),
        ("aliased", "run_id"),
    ];
    assert_eq!(found, expected.map(|(tool, path)| (tool.to_owned(), path.to_owned())));
    assert_eq!(text(&registry, "allowed", json!({"jobs": []})).await, "ran");
    assert_eq!(
        text(&registry, "nested", json!({"jobs": []})).await,
        "tool \"nested\" cannot be called: argument `jobs.run_id` of tool \"nested\" is named for a runtime coordinate, \
         which no model may author; read it from the ToolContext, or list it in `Tool::NOT_RUNTIME` if it is a business \
         field"
    );
}

#[test]
fn a_tool_from_elsewhere_may_name_its_arguments_as_it_likes() {
    let schema = json!({"type": "object", "properties": {"run_id": {"type": "string"}}});
    let descriptor = Arc::new(ToolDescriptor::new("server", "raw", "Of another server.", schema, None));
    let raw: Arc<dyn RawTool> = Arc::new(Raw { id: "raw", descriptor: Some(descriptor) });
    let registry = RawToolRegistry::try_new([raw]).unwrap();
    assert_eq!(registry.descriptors().count(), 1);
}

#[tokio::test]
async fn a_call_id_may_repeat() {
    let registry = RawToolRegistry::new([erase(Echo)]);
    for said in ["one", "two"] {
        let output = registry.invoke(&ToolCall::new("call_0", "echo", json!({"text": said}))).await.unwrap();
        assert_eq!((output.text().as_ref(), output.call_id.as_str()), (said, "call_0"));
    }
}

/// Finds.
#[tool]
fn range_of_text(#[arg(range(1..))] text: String) -> String {
    text
}

/// Finds.
#[tool]
fn pattern_of_number(#[arg(pattern = "^y$")] number: u32) -> u32 {
    number
}

/// Finds.
#[tool]
fn length_of_number(#[arg(length(1..=3))] number: Option<u8>) -> bool {
    number.is_some()
}

/// Finds.
#[tool]
fn wider_than_its_type(#[arg(range(-1..=300))] number: u8) -> u8 {
    number
}

#[test]
fn a_constraint_that_a_type_can_never_have_is_refused_where_the_tool_is_registered() {
    let registry = RawToolRegistry::new([
        erase(RangeOfText),
        erase(PatternOfNumber),
        erase(LengthOfNumber),
        erase(WiderThanItsType),
    ]);
    let reasons: Vec<String> = registry
        .problems()
        .into_iter()
        .map(|problem| match problem {
            RegistryProblem::UnenforceableSchema { reason, .. } => reason,
            other => panic!("{other}"),
        })
        .collect();
    assert_eq!(
        reasons,
        [
            "`text` is asked for a range, which a value of type string never has",
            "`number` is asked for a length or a pattern, which a value of type integer never has",
            "`number` is asked for a length or a pattern, which a value of type integer or null never has",
        ]
    );
    let wider = registry.descriptors().next().unwrap();
    assert_eq!(wider.input_schema()["properties"]["number"], json!({"type": "integer", "minimum": 0, "maximum": 255}));
}

#[tokio::test]
async fn a_registry_reads_strictly_and_within_its_own_limits() {
    /// Doubles.
    #[tool]
    fn double(n: u32) -> u32 {
        n * 2
    }

    /// Doubles what is written as a number.
    #[tool(strict)]
    fn double_strictly(n: u32) -> u32 {
        n * 2
    }

    async fn told(registry: &RawToolRegistry, id: &str, arguments: &str) -> String {
        match registry.dispatch(&ToolCall::new("c", id, arguments)).await {
            Ok(output) => output.text().into_owned(),
            Err(error) => error.to_string(),
        }
    }

    let lenient = RawToolRegistry::new([erase(Double), erase(DoubleStrictly)]);
    let strict = RawToolRegistry::new([erase(Double), erase(DoubleStrictly)]).with_argument_mode(ArgumentMode::Strict);
    let refused = "Invalid arguments: `n`: expected an integer from 0 to 4294967295, got the string \"4\"";
    assert_eq!(told(&lenient, "double", r#"{"n":"4"}"#).await, "8");
    assert_eq!(told(&lenient, "double_strictly", r#"{"n":"4"}"#).await, refused);
    assert_eq!(told(&strict, "double", r#"{"n":"4"}"#).await, refused);
    assert_eq!(told(&strict, "double", r#"{"n":4}"#).await, "8");

    let short = RawToolRegistry::new([erase(Double)]).with_argument_limits(ArgumentLimits::default().with_max_bytes(8));
    assert_eq!(told(&short, "double", r#"{"n":40}"#).await, "80");
    assert_eq!(
        told(&short, "double", r#"{"n":400}"#).await,
        "Invalid arguments: too long: 9 bytes, and at most 8 are read"
    );
    let long =
        RawToolRegistry::new([erase(Echo)]).with_argument_limits(ArgumentLimits::default().with_max_bytes(4 << 20));
    let text = "x".repeat(2 << 20);
    assert_eq!(told(&long, "echo", &json!({ "text": text }).to_string()).await.len(), text.len());
}

/// Doubles a number.
#[tool(id = "double", read_only)]
fn double(n: u32) -> u32 {
    2 * n
}

/// Hands on what another tool answers.
#[tool(id = "hand_on")]
async fn hand_on(#[state] inner: &RawToolRegistry) -> Result<ToolOutput, ToolError> {
    inner.dispatch(&ToolCall::new("inner", "double", r#"{"n": "5"}"#)).await
}

#[tokio::test]
async fn an_output_that_is_handed_on_bears_its_own_call_and_no_repairs_of_another_s_arguments() {
    let inner = Arc::new(RawToolRegistry::try_new([erase(Double)]).unwrap());
    let outer = RawToolRegistry::try_new([erase(HandOn::new(inner.clone()))]).unwrap();
    let repaired = inner.dispatch(&ToolCall::new("c", "double", r#"{"n": "5"}"#)).await.unwrap();
    assert_eq!(repaired.repairs.len(), 1);
    let handed_on = outer.dispatch(&ToolCall::new("outer", "hand_on", "{}")).await.unwrap();
    assert_eq!((&*handed_on.text(), &*handed_on.call_id, handed_on.repairs.len()), ("10", "outer", 0));
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind")]
#[allow(dead_code)] // only registered
enum Filter {
    By { x: u32 },
    All,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only registered
struct PerhapsFiltered {
    q: String,
    #[serde(flatten)]
    filter: Option<Filter>,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only registered
struct Inner {
    within: PerhapsFiltered,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only registered
struct TwicePerhaps {
    #[serde(flatten)]
    filter: Option<Filter>,
    #[serde(flatten)]
    other: Option<Order>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "order")]
#[allow(dead_code)] // only registered
enum Order {
    Newest,
    By { field: String },
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only registered
struct Filtered {
    q: String,
    #[serde(flatten)]
    filter: Filter,
    other: Option<Filter>,
    #[serde(flatten)]
    more: Option<More>,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only registered
struct More {
    page: u32,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code)] // only registered
enum KnownOrAny {
    Known { x: u32 },
    Any(serde_json::Map<String, Value>),
}

by_hand!(TakesPerhapsFiltered, PerhapsFiltered, "perhaps_filtered");
by_hand!(TakesTwicePerhaps, TwicePerhaps, "twice_perhaps");
by_hand!(TakesInner, Inner, "inner");
by_hand!(TakesFiltered, Filtered, "filtered");
by_hand!(TakesKnownOrAny, KnownOrAny, "known_or_any");

#[test]
fn an_option_of_an_enum_is_not_flattened_since_what_fits_no_form_would_be_dropped() {
    let registry = RawToolRegistry::new([erase(TakesPerhapsFiltered), erase(TakesInner), erase(TakesTwicePerhaps)]);
    let problems: Vec<String> = registry.problems().iter().map(ToString::to_string).collect();
    assert_eq!(problems.len(), 3, "{problems:?}");
    assert!(problems.iter().all(|problem| problem.contains("give the enum a property of its own")), "{problems:?}");
    assert!(problems[1].contains("#/properties/within"), "{problems:?}");
    let registry = RawToolRegistry::new([erase(TakesFiltered), erase(TakesKnownOrAny)]);
    assert_eq!(registry.problems(), []);
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code)] // only registered
enum Movement {
    Move { x: i32 },
    Animated { x: i32, animate: bool },
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only registered
struct Moves {
    moves: Vec<Movement>,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only registered
struct FlatMovement {
    name: String,
    #[serde(flatten)]
    movement: Movement,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code)] // only registered
enum Typed {
    Short(Short),
    Long(Long),
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only registered
struct Short {
    #[serde(default)]
    page: u32,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only registered
struct Long {
    text: String,
}

by_hand!(TakesMovement, Movement, "movement");
by_hand!(TakesMoves, Moves, "moves");
by_hand!(TakesFlatMovement, FlatMovement, "flat_movement");
by_hand!(TakesTyped, Typed, "typed");

#[test]
fn a_form_that_would_take_and_drop_what_is_meant_for_a_later_one_is_refused() {
    let registry =
        RawToolRegistry::new([erase(TakesMovement), erase(TakesMoves), erase(TakesFlatMovement), erase(TakesTyped)]);
    let problems: Vec<String> = registry.problems().iter().map(ToString::to_string).collect();
    assert_eq!(problems.len(), 4, "{problems:?}");
    assert!(
        problems[0].contains("number 1 takes what is meant for number 2, and drops its `animate`")
            && problems[0].contains("deny_unknown_fields"),
        "{problems:?}"
    );
    assert!(problems[1].contains("#/properties/moves/items"), "{problems:?}");
}

macro_rules! forms {
    ($($name:ident $tool:ident $id:literal { $($forms:tt)* })*) => {
        $(
            #[derive(Deserialize, JsonSchema)]
            #[serde(untagged)]
            #[allow(dead_code)] // only registered
            enum $name { $($forms)* }

            by_hand!($tool, $name, $id);
        )*
    };
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only registered
enum Disk {
    Disk,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only registered
enum Net {
    /// Over there.
    Net,
    /// Over the hills.
    Far,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)] // only registered
struct ClosedShort {
    page: u32,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only registered
struct LongPage {
    page: u32,
    text: String,
}

forms! {
    LargerFirst TakesLargerFirst "larger_first" { Animated { x: i32, animate: bool }, Move { x: i32 } }
    OtherKey TakesOtherKey "other_key" { Id { id: u32 }, Name { name: String, page: u32 } }
    ByType TakesByType "by_type" { Id { key: u32 }, Name { key: String, page: u32 } }
    ByConstant TakesByConstant "by_constant" { Disk { kind: Disk }, Net { kind: Net, host: String } }
    ByTypeWithin TakesByTypeWithin "by_type_within" { Id { key: LongPage }, Name { key: ClosedShort, page: u32 } }
    Closed TakesClosed "closed" { Short(ClosedShort), Long(LongPage) }
    Kept TakesKept "kept" { Any { x: u32, #[serde(flatten)] more: std::collections::HashMap<String, Value> }, More { x: u32, y: u32 } }
}

#[test]
fn forms_that_are_told_apart_are_taken() {
    let registry = RawToolRegistry::new([
        erase(TakesLargerFirst),
        erase(TakesOtherKey),
        erase(TakesByType),
        erase(TakesByConstant),
        erase(TakesByTypeWithin),
        erase(TakesClosed),
        erase(TakesKept),
    ]);
    assert_eq!(registry.problems(), []);
}
