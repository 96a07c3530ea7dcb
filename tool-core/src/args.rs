//! The parse boundary: what a model wrote becomes a tool's `Args` here, or is refused with words that let the model
//! correct its call.
//!
//! # The order of the steps
//!
//! 1. **Size.** A text longer than the [limit](ArgumentLimits) is not looked at.
//! 2. **Prepare**, where the tool has such a function ([`ArgumentParser::parse_prepared`]): it gets the arguments as a
//!    value and may change them.
//! 3. **No arguments.** Blank text and `null` are `{}`.
//! 4. **The way that succeeds.** The text is decoded straight into `Args`. What the decoder asks for is checked along the
//!    tool's schema before it gets it ([`walk`]): valid JSON, one object, no key twice, not too deep, all that the schema
//!    says, and nothing to repair. A decoder that is known to refuse all of this by itself spares the checks.
//! 5. **The careful way**, only after a refusal: a walk along the schema, to the end. It collects every fault, and every edit that
//!    repairs the text. Faults are reported all at once; without any, the repaired text is judged once more, as it stands,
//!    and decoded.
//! 6. **The decoder's own refusal**, of what no schema says (a date that is none): its sentence in JSON's terms, at its
//!    path ([`explain`]), read by a [decoder](decode) that no feature of `serde_json` can change.

mod close;
mod decode;
mod describe;
mod explain;
mod findings;
mod forms;
mod input;
mod key;
mod mode;
mod number;
mod plan;
mod quote;
mod reader;
mod report;
mod terms;
mod walk;

use serde::de::DeserializeOwned;
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;
use std::sync::LazyLock;

pub(crate) use close::close_objects;
pub(crate) use forms::unkept_form;
pub use mode::{ArgumentLimits, ArgumentRepair, RepairRule};
pub use plan::UnenforceableSchema;

use crate::absent;
use crate::call::{Repr, ToolArguments};
use crate::error::ToolError;
use crate::secrets::Secrets;
use mode::ArgumentMode;
use plan::Plan;

/// Decodes a call's arguments into `A`, without a schema: for hand-written raw tools, and the least that any tool asks.
///
/// The arguments are one JSON object without a key twice, at any depth, within the default [`ArgumentLimits`]. Blank text
/// and `null` are no arguments, `{}`; for an `A` that has no object form (`()`, `Option<T>`) so is `{}` itself. A JSON
/// string that holds the object is unwrapped. An array is never taken for a struct, but where serde buffers it (within an
/// untagged or internally tagged enum, or a flattened struct). Fails with [`ToolError::InvalidArguments`] that names the
/// faulty place.
///
/// A tool that has a schema is better served by an [`ArgumentParser`], which holds the model to it.
///
/// ```
/// # use tool_core::{parse_tool_args, ToolArguments};
/// #[derive(serde::Deserialize)]
/// struct Args { depth: u32 }
///
/// let args: Args = parse_tool_args(&ToolArguments::from(r#"{"depth": 3}"#))?;
/// assert_eq!(args.depth, 3);
/// let refused = parse_tool_args::<Args>(&ToolArguments::from(r#"{"depth": "deep"}"#)).err().unwrap();
/// assert_eq!(
///     refused.to_string(),
///     "Invalid arguments: `depth`: expected a non-negative integer, got the string \"deep\"",
/// );
/// # Ok::<(), tool_core::ToolError>(())
/// ```
pub fn parse_tool_args<A: DeserializeOwned>(arguments: &ToolArguments) -> Result<A, ToolError> {
    static OBJECT: LazyLock<ArgumentParser> = LazyLock::new(|| ArgumentParser::over(Plan::any_object()));
    OBJECT.parse(arguments).map(|parsed| parsed.args)
}

/// Reads the arguments of one tool along its canonical schema ([`input_schema`](crate::input_schema)). Made once a tool.
///
/// Arguments that are right take the shortest way: they are checked where they stand and decoded straight into the type,
/// and nothing is allocated but what the type needs (a table for an array of unique elements, for an object of more than
/// a dozen keys that no schema names, and for one of more than 64 that it does). Others are read a second time, with
/// care: every fault is reported, or every repair made that the [mode](ArgumentMode) allows.
///
/// ```
/// # use tool_core::{ArgumentParser, RepairRule, ToolArguments, input_schema};
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Args {
///     depth: u32,
///     code: String,
/// }
///
/// let parser = ArgumentParser::new(&input_schema::<Args>())?;
/// let parsed = parser.parse::<Args>(&ToolArguments::from(r#"{"depth": "3", "code": "007"}"#))?;
/// assert_eq!((parsed.args.depth, parsed.args.code.as_str()), (3, "007"));
/// assert_eq!((parsed.repairs[0].path.as_str(), parsed.repairs[0].rule), ("depth", RepairRule::NumberFromString));
///
/// let refused = parser.parse::<Args>(&ToolArguments::from(r#"{"depth": -1}"#)).err().unwrap();
/// assert_eq!(
///     refused.to_string(),
///     "Invalid arguments: `depth`: expected an integer from 0 to 4294967295, got the number -1; \
///      `code`: required, but missing",
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ArgumentParser {
    plan: Plan,
    mode: ArgumentMode,
    limits: ArgumentLimits,
    /// Whether arguments are walked before they are decoded.
    walks: bool,
    secrets: Secrets,
}

/// Arguments that were decoded, and what was repaired in them.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Parsed<A> {
    /// The arguments.
    pub args: A,
    /// The repairs, in the order of the text; empty where it was right as it stood.
    pub repairs: Vec<ArgumentRepair>,
    /// The JSON text that was decoded, where it is not what the model wrote: it was repaired, or
    /// [prepared](ArgumentParser::parse_prepared).
    pub rewritten: Option<String>,
}

impl<A> Parsed<A> {
    /// Arguments that were right as they stood.
    pub(crate) fn clean(args: A) -> Self {
        Self { args, repairs: Vec::new(), rewritten: None }
    }
}

impl ArgumentParser {
    /// Compiles a tool's canonical input schema. Fails where the schema promises what is not enforced here: a keyword
    /// that constrains and is not supported, a pattern that does not compile, a reference that leads nowhere.
    ///
    /// `type`, `enum`, `const`, `$ref` within the schema, `allOf`, `anyOf`, `oneOf`, `not`, and everything that says
    /// something of a number, string, array or object by itself is enforced. `format` and unknown keywords are
    /// annotations; a type's own decoder enforces its format.
    pub fn new(schema: &Value) -> Result<Self, UnenforceableSchema> {
        Ok(Self::over(Plan::compile(schema)?))
    }

    /// Reads one value that is not a call's arguments, and need be no object: as the one property `name` of an object.
    /// `document` is the schema that the value's own one stands in, or itself: references lead there.
    #[cfg(any(feature = "export", feature = "runtime"))]
    pub(crate) fn of_value(name: &str, schema: &Value, document: &Value) -> Result<Self, UnenforceableSchema> {
        Ok(Self::over(Plan::of_value(name, schema, document)?))
    }

    fn over(plan: Plan) -> Self {
        let (mode, limits) = (ArgumentMode::default(), ArgumentLimits::default());
        Self { plan, mode, limits, walks: true, secrets: Secrets::default() }
    }

    /// Sets the mode; lenient unless set.
    #[must_use]
    pub fn with_mode(self, mode: ArgumentMode) -> Self {
        Self { mode, ..self }
    }

    /// Sets the limits.
    #[must_use]
    pub fn with_limits(self, limits: ArgumentLimits) -> Self {
        Self { limits, ..self }
    }

    /// Says that the decoder of the arguments refuses by itself whatever their schema refuses, so that they need not be
    /// walked before: wrong types, unknown, missing and repeated keys, arrays in place of objects, integers out of the
    /// range of their Rust type. It can know nothing of other keywords (a length, a pattern, a range of one's own that
    /// happens not to be that of a type): where the schema has such, the arguments are walked all the same.
    ///
    /// A range that is one of a Rust type but not of *this* type (`0..=255` for a `u32`) looks like the type's own; do not
    /// call the decoder strict then. The depth is not checked where nothing is walked: what no field can hold is refused
    /// before it is deep.
    #[must_use]
    pub fn with_strict_decoder(self, decodes_strictly: bool) -> Self {
        Self { walks: !decodes_strictly || self.plan.has_constraints, ..self }
    }

    /// Names the arguments that no message may quote, by their paths, as [`Tool::SECRETS`](crate::Tool::SECRETS) has them.
    /// Only a refusal looks at them.
    #[must_use]
    pub fn with_secrets<S: AsRef<str>>(self, paths: impl IntoIterator<Item = S>) -> Self {
        Self { secrets: Secrets::new(paths), ..self }
    }

    /// The mode.
    pub fn mode(&self) -> ArgumentMode {
        self.mode
    }

    /// The limits.
    pub fn limits(&self) -> ArgumentLimits {
        self.limits
    }

    /// Reads a call's arguments. Fails with [`ToolError::InvalidArguments`], which names every faulty place.
    pub fn parse<A: DeserializeOwned>(&self, arguments: &ToolArguments) -> Result<Parsed<A>, ToolError> {
        match self.decode(arguments) {
            Some(args) => Ok(Parsed::clean(args)),
            None => self.parse_with_care(arguments),
        }
    }

    /// The arguments, where they are right as they stand.
    pub(crate) fn decode<A: DeserializeOwned>(&self, arguments: &ToolArguments) -> Option<A> {
        match &arguments.repr {
            Repr::Text(text) => self.reading(arguments).decode_body(text),
            Repr::Value(value) => self.reading(arguments).decode_value(value),
            Repr::NotUtf8(_) => None,
        }
    }

    /// [`parse`](Self::parse) of what [`decode`](Self::decode) refused.
    #[cold]
    pub(crate) fn parse_with_care<A: DeserializeOwned>(
        &self,
        arguments: &ToolArguments,
    ) -> Result<Parsed<A>, ToolError> {
        let reading = self.reading(arguments);
        match &arguments.repr {
            Repr::Text(text) => reading.parse_with_care(reading.body(text)?),
            Repr::Value(value) => reading.parse_with_care(&reading.value_as_text(value)?),
            Repr::NotUtf8(_) => Err(not_utf8()),
        }
    }

    /// [`parse`](Self::parse), after `prepare` has made of the arguments what it will. It gets them as the model sent
    /// them, whatever kind of value they are, with `{}` for no arguments; only what is no JSON, too deep, too long, or has
    /// a key twice is refused before. Fails also with what `prepare` fails with.
    ///
    /// A value holds numbers as `serde_json` does: beyond 64 bits, and `9007199254740993.0`, as the nearest float.
    pub fn parse_prepared<A: DeserializeOwned>(
        &self,
        arguments: &ToolArguments,
        prepare: impl FnOnce(Value) -> Result<Value, ToolError>,
    ) -> Result<Parsed<A>, ToolError> {
        let reading = self.reading(arguments);
        let value = match &arguments.repr {
            Repr::Text(text) => reading.text_as_value(text)?,
            Repr::Value(value) => match &**value {
                Value::Null => Value::Object(serde_json::Map::new()),
                value => value.clone(),
            },
            Repr::NotUtf8(_) => return Err(not_utf8()),
        };
        let prepared = prepare(value)?;
        let parsed = match reading.decode_value(&prepared) {
            Some(args) => Parsed::clean(args),
            None => reading.parse_with_care(&reading.value_as_text(&prepared)?)?,
        };
        Ok(Parsed { rewritten: parsed.rewritten.or_else(|| Some(prepared.to_string())), ..parsed })
    }

    /// How these arguments are read: strictly where either side asks for it, and by the call's limits where it has some.
    fn reading(&self, arguments: &ToolArguments) -> Reading<'_> {
        let mode = match arguments.mode {
            ArgumentMode::Lenient => self.mode,
            strict @ ArgumentMode::Strict => strict,
        };
        let limits = arguments.limits.unwrap_or(self.limits);
        Reading { plan: &self.plan, secrets: &self.secrets, walks: self.walks, mode, limits }
    }
}

/// A parser as it reads one call's arguments.
#[derive(Clone, Copy)]
struct Reading<'p> {
    plan: &'p Plan,
    secrets: &'p Secrets,
    walks: bool,
    mode: ArgumentMode,
    limits: ArgumentLimits,
}

impl Reading<'_> {
    fn decode_body<A: DeserializeOwned>(self, text: &str) -> Option<A> {
        let body = self.body(text).ok()?;
        if body.starts_with('{') { self.decode_text(body) } else { None }
    }

    fn decode_text<A: DeserializeOwned>(self, text: &str) -> Option<A> {
        if self.walks { walk::decode_text(self.plan, text, self.limits) } else { serde_json::from_str(text).ok() }
    }

    fn decode_value<A: DeserializeOwned>(self, value: &Value) -> Option<A> {
        match value {
            Value::Object(_) if self.walks => walk::decode(self.plan, value, self.limits, VALUE_SIZE),
            Value::Object(_) => A::deserialize(value).ok(),
            _ => None,
        }
    }

    /// The careful way. `text` has no white space around it.
    fn parse_with_care<A: DeserializeOwned>(self, text: &str) -> Result<Parsed<A>, ToolError> {
        let without_arguments = || (text == "{}").then(absent::arguments::<A>).flatten();
        let (repaired, repairs) = match self.repair(text) {
            Ok(repaired) => repaired,
            // `Option<T>` is `None` without arguments, whatever `T` requires.
            Err(error) => {
                let args = without_arguments().ok_or(error)?;
                return Ok(Parsed::clean(args));
            }
        };
        let again = if repairs.is_empty() { None } else { self.decode_text(&repaired) };
        // A type without an object form, called without arguments: `()` takes `null` for that.
        let args = match again.or_else(without_arguments) {
            Some(args) => args,
            None => {
                self.judge_repaired(&repaired, &repairs)?;
                explain::decoded(self.plan, &repaired, self.secrets)?
            }
        };
        let rewritten = matches!(repaired, Cow::Owned(_)).then(|| repaired.into_owned());
        Ok(Parsed { args, repairs, rewritten })
    }

    /// The arguments without white space around them; `{}` for none.
    fn body(self, text: &str) -> Result<&str, ToolError> {
        if text.len() > self.limits.max_bytes {
            return Err(report::too_long(text.len(), self.limits));
        }
        let is_bare = text.starts_with('{') && text.ends_with('}');
        match if is_bare { text } else { text.trim_matches(JSON_WHITESPACE) } {
            "" | "null" => Ok("{}"),
            body => Ok(body),
        }
    }

    /// The text of an object that fits the schema, as far as the mode allows to make it so.
    fn repair(self, text: &str) -> Result<(Cow<'_, str>, Vec<ArgumentRepair>), ToolError> {
        match text.as_bytes().first() {
            Some(b'{') => {}
            Some(b'"') if self.mode == ArgumentMode::Lenient => {}
            first => return Err(explain::not_an_object(text, first.copied().unwrap_or_default(), self.secrets)),
        }
        let findings = walk::findings(self.plan, self.secrets, text, self.mode, self.limits)
            .map_err(|stop| report::halted(&stop, text, self.limits))?;
        let is_string = text.starts_with('"');
        if !findings.faults.is_empty() {
            // A string that holds no object is one fault, and that of the arguments as a whole.
            if is_string && findings.faults.iter().all(|fault| fault.path().is_empty()) && findings.edits.is_empty() {
                return Err(explain::not_an_object(text, b'"', self.secrets));
            }
            return Err(report::faults(findings));
        }
        if findings.edits.is_empty() {
            return Ok((Cow::Borrowed(text), Vec::new()));
        }
        match findings.repaired(text) {
            Some((repaired, repairs)) => Ok((Cow::Owned(repaired), repairs)),
            None => Err(ToolError::invalid_arguments("can be read in more than one way; send it as the schema has it")),
        }
    }

    /// What the schema refuses only once the repairs are made (the same element in two spellings) is refused as well.
    fn judge_repaired(self, repaired: &str, repairs: &[ArgumentRepair]) -> Result<(), ToolError> {
        if repairs.is_empty() {
            return Ok(());
        }
        let mut findings = walk::findings(self.plan, self.secrets, repaired, ArgumentMode::Strict, self.limits)
            .map_err(|stop| report::halted(&stop, repaired, self.limits))?;
        if findings.faults.is_empty() {
            return Ok(());
        }
        report::tell_repairs(&mut findings, repairs);
        Err(report::faults(findings))
    }

    /// What `prepare` gets: no key is lost on the way, since none may be given twice.
    fn text_as_value(self, text: &str) -> Result<Value, ToolError> {
        let body = self.body(text)?;
        let findings = walk::findings(&Plan::anything(), self.secrets, body, ArgumentMode::Strict, self.limits)
            .map_err(|stop| report::halted(&stop, body, self.limits))?;
        if !findings.faults.is_empty() {
            return Err(report::faults(findings));
        }
        serde_json::from_str(body).map_err(|error| ToolError::invalid_arguments(format!("not valid JSON: {error}")))
    }

    /// A value's text, which the careful way reads; one that is too deep is not even written.
    fn value_as_text(self, value: &Value) -> Result<String, ToolError> {
        if walk::is_too_deep(value, self.limits) {
            return Err(report::too_deep(self.limits));
        }
        let text = number::written(value);
        self.body(&text).map(str::to_owned)
    }
}

fn not_utf8() -> ToolError {
    ToolError::invalid_arguments("the arguments are not valid UTF-8 text")
}

impl fmt::Debug for ArgumentParser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArgumentParser")
            .field("mode", &self.mode)
            .field("limits", &self.limits)
            .field("walks", &self.walks)
            .finish_non_exhaustive()
    }
}

/// What JSON counts as white space; Rust's `trim` would take away more.
const JSON_WHITESPACE: [char; 4] = [' ', '\t', '\n', '\r'];

/// A parsed value does not say how large it is; this many steps may be spent on its alternatives.
const VALUE_SIZE: usize = 1 << 16;
