//! Schema → every export, the lint, the names, and a parser that reads arguments along it. See the README.

#![no_main]

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use tool_core::{
    ArgumentMode, ArgumentParser, ExportFormat, NameMap, ToolArguments, ToolDescriptor, ToolError, export_all, lint_for,
};
use tool_fuzz::keys::look;
use tool_fuzz::{schemas, texts};

/// An export is at most so many times as long as its tool, …
const FACTOR: usize = 64;
/// … and as much longer as a schema may be whose references are written out: a bound of tool-core itself.
const WRITTEN_OUT: usize = 8 << 20;
/// How deep the JSON of an export may be: at most 4 levels for each of the 100 to which a schema is followed, and 16
/// around; or as deep as the tool's own schema, where it is exported as it stands.
const DEEPEST: usize = 4 * 101 + 16;

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(list) => 1 + list.iter().map(depth).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

/// What the providers say of names, written down a second time.
fn is_legal(format: ExportFormat, name: &str) -> bool {
    let mut characters = name.chars();
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    match format {
        ExportFormat::Mcp => (1..=128).contains(&name.len()) && characters.all(|c| word(c) || c == '.'),
        ExportFormat::Gemini | ExportFormat::GeminiJsonSchema => {
            name.len() <= 64
                && characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
                && characters.all(|c| word(c) || c == '.' || c == ':')
        }
        _ => (1..=64).contains(&name.len()) && characters.all(word),
    }
}

/// Every export of a tool; `turn` says for which of them more is looked at, so that the fuzzer gets on.
fn exported(id: &str, schema: &Value, turn: usize) {
    let make = |id: &str| ToolDescriptor::new("fuzz", id, "A tool of the fuzzer.", schema.clone(), None);
    let descriptor = make(id);
    let length = schema.to_string().len() + id.len();
    for format in ExportFormat::ALL {
        let export = descriptor.export(format);
        let text = export.tool.to_string();
        assert!(text.len() <= FACTOR * length + WRITTEN_OUT, "{format}: {} bytes of {length}", text.len());
        assert!(depth(&export.tool) <= DEEPEST.max(depth(schema) + 16), "{format}: {} deep", depth(&export.tool));
        if depth(&export.tool) < 120 {
            assert!(serde_json::from_str::<Value>(&text).is_ok_and(|read| read == export.tool), "{format}: {text}");
        }
        assert!(is_legal(format, &export.name), "{format}: {:?} for {id:?}", export.name);
        assert!(export.findings.iter().all(|finding| finding.message.len() < 1_000 + 2 * length));
        if let Some(parameters) = export.parameters() {
            assert_eq!(parameters["type"], "object", "{format}: {text}");
        }
    }
    let format = ExportFormat::ALL[turn % ExportFormat::ALL.len()];
    assert_eq!(descriptor.export(format), make(id).export(format), "{format}: not the same twice");
    let other = make(&format!("{id}."));
    let ids = [descriptor.id(), other.id(), "a_b", "a.b"];
    let names = NameMap::new(format, ids);
    for id in ids {
        let name = names.provider_name(id).expect("named");
        assert!(is_legal(format, name) && names.tool_id(name) == Some(id), "{format}: {name:?} for {id:?}");
    }
    assert_eq!(names, NameMap::new(format, ids.into_iter().rev()));
    match turn % 4 {
        0 => assert!(!export_all(format, [&descriptor, &other]).tools.is_empty()),
        1 => drop(lint_for(&[format], [&descriptor, &other])),
        _ => {}
    }
}

fn refused(error: &ToolError) {
    let message = error.to_string();
    assert!(!message.trim().is_empty() && message.chars().count() < 1_000, "{message}");
}

/// A parser along the schema reads a text as an independent validator judges it.
fn parsed(schema: &Value, text: &str, is_judged: bool) {
    let Ok(lenient) = ArgumentParser::new(schema) else { return };
    let strict = ArgumentParser::new(schema).expect("as before").with_mode(ArgumentMode::Strict);
    let arguments = ToolArguments::from(text);
    let strict = strict.parse::<Value>(&arguments).inspect_err(refused).ok();
    let lenient = lenient.parse::<Value>(&arguments).inspect_err(refused);
    if let Some(strict) = &strict {
        assert_eq!(lenient.as_ref().ok(), Some(strict), "{text} under {schema}");
    }
    if let (Some(looked), Ok(value)) = (look(text), serde_json::from_str::<Value>(text))
        && !looked.key_twice
        && looked.depth < 60
    {
        let of_value = ArgumentParser::new(schema).expect("as before").parse::<Value>(&ToolArguments::from(value));
        if looked.small_numbers {
            // Not what was rewritten: the value's text has its own order and white space.
            let of_value = of_value.as_ref().ok().map(|parsed| (&parsed.args, &parsed.repairs));
            let of_text = lenient.as_ref().ok().map(|parsed| (&parsed.args, &parsed.repairs));
            assert_eq!(of_value, of_text, "{text} under {schema}");
        }
    }
    if !is_judged {
        return;
    }
    let Ok(judge) = jsonschema::options().with_draft(jsonschema::Draft::Draft202012).build(schema) else { return };
    if let Ok(lenient) = &lenient {
        assert!(judge.is_valid(&lenient.args), "{text} is read as {} under {schema}", lenient.args);
    }
    let Ok(value) = serde_json::from_str::<Value>(text) else { return };
    let Some(looked) = look(text).filter(|looked| looked.small_numbers && !looked.key_twice) else { return };
    if value.is_object() && looked.depth < 60 && strict.is_none() && judge.is_valid(&value) {
        let why = lenient.map_or_else(|error| error.to_string(), |_| "lenient takes it".to_owned());
        assert!(why.contains("too many alternatives") || why.contains("deeply"), "{why}: {text} under {schema}");
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((choice, bytes)) = data.split_first() else { return };
    let (schema, text, id);
    if choice & 0x80 != 0 {
        // Raw: a schema, and behind a line's end a text.
        let Ok(raw) = std::str::from_utf8(bytes) else { return };
        let (first, rest) = raw.split_once('\n').unwrap_or((raw, "{}"));
        let Ok(read) = serde_json::from_str::<Value>(first) else { return };
        (schema, text, id) = (read, rest.to_owned(), rest.chars().take(140).collect::<String>());
    } else {
        let mut bytes = Unstructured::new(bytes);
        let Ok(made) = schemas::document(&mut bytes) else { return };
        let Ok(near) = texts::near(&made, &mut bytes) else { return };
        (schema, text, id) = (made, near, "a.b/c".to_owned());
    }
    // Every other input looks at one half, so that the fuzzer gets on.
    if choice & 1 == 0 {
        exported(&id, &schema, usize::from(choice >> 1));
    } else {
        parsed(&schema, &text, choice & 0x80 == 0);
    }
});
