//! Argument text → decode → encode, for argument types of every kind, in both modes. See the README.

#![no_main]

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::any::TypeId;
use std::fmt::Debug;
use std::sync::{LazyLock, Mutex};
use tool_core::{
    ArgumentMode, ArgumentParser, Parsed, RawToolRegistry, RepairRule, ToolArguments, ToolCall, ToolError, erase,
    input_schema, parse_tool_args,
};
use tool_fuzz::keys::look;
use tool_fuzz::{texts, types};

trait Arguments: Serialize + DeserializeOwned + JsonSchema + PartialEq + Debug + 'static {}

impl<A: Serialize + DeserializeOwned + JsonSchema + PartialEq + Debug + 'static> Arguments for A {}

/// What is made once for a type.
struct Boundary {
    schema: Value,
    judge: jsonschema::Validator,
    lenient: ArgumentParser,
    strict: ArgumentParser,
}

impl Boundary {
    fn new(schema: Value) -> Self {
        let parser = || ArgumentParser::new(&schema).expect("enforceable");
        let judge = jsonschema::validator_for(&schema).expect("a schema");
        Self { judge, lenient: parser(), strict: parser().with_mode(ArgumentMode::Strict), schema }
    }

    fn of<A: Arguments>() -> &'static Self {
        static KNOWN: Mutex<Vec<(TypeId, &'static Boundary)>> = Mutex::new(Vec::new());
        let id = TypeId::of::<A>();
        let mut known = KNOWN.lock().expect("nothing panicked");
        if let Some((_, boundary)) = known.iter().find(|(known, _)| *known == id) {
            return boundary;
        }
        let boundary: &'static Self = Box::leak(Box::new(Self::new(input_schema::<A>())));
        known.push((id, boundary));
        boundary
    }
}

/// What the bytes stand for: themselves, or a text that they generate along the schema.
fn sent(raw: bool, schema: &Value, bytes: &[u8]) -> Option<Vec<u8>> {
    if raw {
        return Some(bytes.to_owned());
    }
    texts::near(schema, &mut Unstructured::new(bytes)).ok().map(String::into_bytes)
}

fn refused(error: &ToolError) {
    let message = error.to_string();
    assert!(matches!(error, ToolError::InvalidArguments(_)), "{error:?}");
    assert!(!message.trim().is_empty(), "{error:?}");
    assert!(message.chars().count() < 1_000, "{} characters: {message}", message.chars().count());
}

fn parse<A: Arguments>(parser: &ArgumentParser, arguments: &ToolArguments) -> Option<Parsed<A>> {
    parser.parse::<A>(arguments).inspect_err(refused).ok()
}

fn decodes_and_encodes<A: Arguments>(raw: bool, bytes: &[u8]) {
    let boundary = Boundary::of::<A>();
    let Some(sent) = sent(raw, &boundary.schema, bytes) else { return };
    let arguments = ToolArguments::from(sent.as_slice());
    let strict = parse::<A>(&boundary.strict, &arguments);
    let lenient = parse::<A>(&boundary.lenient, &arguments);
    // Without a schema, no more is asked than that it is one object: it must not panic.
    let _ = parse_tool_args::<A>(&arguments).inspect_err(refused);
    let _ = boundary.lenient.parse_prepared::<A>(&arguments, Ok).inspect_err(refused);

    let Ok(text) = std::str::from_utf8(&sent) else {
        assert!(strict.is_none() && lenient.is_none(), "not UTF-8, and accepted");
        return;
    };
    // No arguments: an `Option` is `None` then, whatever its type requires.
    let blank = matches!(text.trim_matches([' ', '\t', '\n', '\r']), "" | "null" | "{}");
    let looked = look(text);
    assert!(blank || looked.is_some() || lenient.is_none(), "no JSON, and accepted: {text}");
    if looked.is_some_and(|looked| looked.key_twice || looked.depth > 64) {
        assert!(strict.is_none() && lenient.is_none(), "a key twice, or too deep, and accepted: {text}");
    }
    if let Some(strict) = &strict {
        let only_floats = strict.repairs.iter().all(|repair| repair.rule == RepairRule::IntegralFloat);
        assert!(only_floats, "{:?}: {text}", strict.repairs);
        assert_eq!(lenient.as_ref(), Some(strict), "the modes differ: {text}");
        if let (Some(_), Ok(value)) = (looked, serde_json::from_str::<Value>(text)) {
            assert!(blank || boundary.judge.is_valid(&value), "the schema refuses what is accepted: {text}");
        }
    }
    if let (Some(looked), Ok(value)) = (looked, serde_json::from_str::<Value>(text))
        && !looked.key_twice
    {
        let of_value = parse::<A>(&boundary.lenient, &ToolArguments::from(value));
        if looked.small_numbers {
            // Not what was rewritten: the value's text has its own order and white space.
            let of_value = of_value.as_ref().map(|parsed| (&parsed.args, &parsed.repairs));
            let of_text = lenient.as_ref().map(|parsed| (&parsed.args, &parsed.repairs));
            assert_eq!(of_value, of_text, "the text and its value differ: {text}");
        }
    }
    if let Some(lenient) = lenient {
        round(boundary, &lenient.args, text);
    }
}

/// What was accepted is accepted again as it is written, by both modes, and is the same.
fn round<A: Arguments>(boundary: &Boundary, args: &A, text: &str) {
    let written = serde_json::to_string(args).expect("is written");
    let value: Value = serde_json::from_str(&written).expect("is JSON");
    // `()` and `None` are written `null`, which is no arguments rather than an object.
    assert!(value.is_null() || boundary.judge.is_valid(&value), "{written} from {text}");
    let again = ToolArguments::from(written.as_str());
    for parser in [&boundary.strict, &boundary.lenient] {
        let parsed = parser.parse::<A>(&again);
        let Ok(parsed) = parsed else { panic!("{parsed:?}: {written} from {text}") };
        assert!(parsed.args == *args && parsed.repairs.is_empty(), "{parsed:?}: {written} from {text}");
    }
}

/// Through a registry, a tool that answers with its arguments.
fn dispatched(tool: &'static str, raw: bool, bytes: &[u8]) {
    static TOOLS: LazyLock<RawToolRegistry> = LazyLock::new(|| {
        RawToolRegistry::try_new([erase(types::Lenient), erase(types::Strict), erase(types::ByHand)]).expect("callable")
    });
    static RUNTIME: LazyLock<tokio::runtime::Runtime> =
        LazyLock::new(|| tokio::runtime::Builder::new_current_thread().build().expect("a runtime"));
    let descriptor = TOOLS.descriptors().into_iter().find(|descriptor| descriptor.id() == tool).expect("listed");
    let Some(sent) = sent(raw, descriptor.input_schema(), bytes) else { return };
    let call = |arguments: &[u8]| {
        let output = RUNTIME.block_on(TOOLS.dispatch(&ToolCall::new("call", tool, ToolArguments::from(arguments))));
        output.inspect_err(refused).ok()
    };
    let Some(output) = call(&sent) else { return };
    let text = output.text().into_owned();
    let again = call(text.as_bytes()).unwrap_or_else(|| panic!("refused: {text}"));
    assert_eq!(again.text(), text);
    assert!(again.repairs.is_empty(), "{:?}: {text}", again.repairs);
}

fuzz_target!(|data: &[u8]| {
    let Some((choice, bytes)) = data.split_first() else { return };
    let raw = choice & 0x80 != 0;
    match choice & 0x0f {
        0 => decodes_and_encodes::<types::Plain>(raw, bytes),
        1 => decodes_and_encodes::<types::Constrained>(raw, bytes),
        2 => decodes_and_encodes::<types::Enums>(raw, bytes),
        3 => decodes_and_encodes::<types::Nested>(raw, bytes),
        4 => decodes_and_encodes::<types::FlatMap>(raw, bytes),
        5 => decodes_and_encodes::<types::FlatEnum>(raw, bytes),
        6 => decodes_and_encodes::<types::Formula>(raw, bytes),
        7 => decodes_and_encodes::<types::Shape>(raw, bytes),
        8 => decodes_and_encodes::<types::Adjacent>(raw, bytes),
        9 => decodes_and_encodes::<Option<types::Enums>>(raw, bytes),
        10 => decodes_and_encodes::<types::Tree>(raw, bytes),
        11 => decodes_and_encodes::<Option<types::Plain>>(raw, bytes),
        12 => decodes_and_encodes::<()>(raw, bytes),
        13 => dispatched("lenient", raw, bytes),
        14 => dispatched("strict", raw, bytes),
        _ => dispatched("by_hand", raw, bytes),
    }
});
