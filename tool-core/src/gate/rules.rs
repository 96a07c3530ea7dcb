//! Rules that an operator keeps: which calls may be made, which a person is asked for, and which are refused.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::cmp::Reverse;
use std::fmt;
use std::sync::LazyLock;

use super::argument::{ArgumentTest, Condition, Doubt};
use super::check::{self, RuleProblem};
use super::glob::{self, Narrowness};
use super::{GateRequest, ToolGate, Verdict};
use crate::descriptor::ToolDescriptor;

/// A gate of rules: of all that fit a call, the narrowest decides.
///
/// Where none fits, a tool that is annotated `read_only` is allowed and a person is asked for any other. `read_only` is the
/// tool's own word: for tools from a server that is not trusted, write a rule (`ask` for `"their_server.*"`).
///
/// ```
/// use tool_core::{ArgumentTest, GateRule, Rules};
///
/// # fn main() -> Result<(), tool_core::InvalidRule> {
/// let rules = Rules::new()
///     .allow("orders.*")?
///     .deny("orders.delete")?
///     .with(GateRule::ask("refund")?.when("amount", ArgumentTest::MoreThan(100.into()))?.because("We look twice."));
/// assert_eq!(rules.rules().len(), 3);
/// # Ok(()) }
/// ```
///
/// The same, as an operator keeps it; the order of rules means nothing:
///
/// ```
/// # use tool_core::Rules;
/// let rules: Rules = serde_json::from_str(r#"{"rules": [
///     {"effect": "allow", "tool": "orders.*"},
///     {"effect": "deny", "tool": "orders.delete"},
///     {"effect": "ask", "tool": "refund", "when": [{"argument": "amount", "more_than": 100}],
///      "reason": "We look twice."}
/// ]}"#)?;
/// assert_eq!(rules.rules().len(), 3);
/// # Ok::<_, serde_json::Error>(())
/// ```
///
/// # Tools
///
/// A rule names a tool by its id or by a glob over ids, case-sensitive and whole: `*` stands for any text (dots and slashes
/// too), `?` for one character. A call by another name (one that a provider was given) is judged by the id.
/// [`Rules::check`] finds rules that fit no tool.
///
/// # Arguments
///
/// A condition is a path (`amount`, `address.country`, `items[*].sku`) and an [`ArgumentTest`]; all conditions of a rule have
/// to hold. (A property with one of `.`, `[`, `]` and `*` in its name has no path.) Where it cannot be told whether one
/// holds, a rule that allows does not fit, and one that asks or denies does:
///
/// | at the path | `allow` | `ask`, `deny` |
/// |---|---|---|
/// | several values, by `[*]` | every one has to hold | one is enough |
/// | nothing | only `exists: false` holds | so too; but where the schema has a `default`, that is judged as well |
/// | a list without elements, at `[*]` | as nothing | as nothing |
/// | `null` | nothing holds | `exists` holds either way; else as nothing |
/// | a value of another type than the test's | does not hold | holds |
/// | a number that is not known exactly | does not hold | holds |
/// | unreachable: a text where the path needs an object | does not hold | holds |
///
/// # The narrowest
///
/// | | narrower | broader |
/// |---|---|---|
/// | 1 | an id: `refund` | a glob: `refun?` |
/// | 2 | more characters before the first wildcard: `orders.*` | `order*`, `*.get_all` |
/// | 3 | more characters that stand for themselves: `a*.get` | `a*` |
/// | 4 | more `?`: `get_??` | `get_?*` |
/// | 5 | fewer `*`: `?a` | more: `*?a` |
/// | 6 | more conditions on arguments | fewer |
/// | 7 | the stricter effect: `deny`, then `ask` | `allow` |
///
/// The first line that tells two rules apart decides, so that a rule by a tool's id stands above every glob, whatever
/// conditions that has. To refuse something of *every* tool, add a second gate: `Rules` of an `allow` of `"*"`, so that it is
/// silent otherwise, and of a `deny` of `"*"` with the conditions. Of rules that are equal up to line 6 none loosens another.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct Rules {
    /// The narrowest first: the first that fits decides.
    rules: Vec<GateRule>,
}

impl Rules {
    /// No rules: what is annotated `read_only` is allowed, a person is asked for anything else.
    pub fn new() -> Self {
        Self::default()
    }

    /// Allows the tool of this id, or the tools that fit this glob.
    pub fn allow(self, tool: &str) -> Result<Self, InvalidRule> {
        GateRule::allow(tool).map(|rule| self.with(rule))
    }

    /// Asks a person for every call of the tool of this id, or of the tools that fit this glob.
    pub fn ask(self, tool: &str) -> Result<Self, InvalidRule> {
        GateRule::ask(tool).map(|rule| self.with(rule))
    }

    /// Refuses the tool of this id, or the tools that fit this glob.
    pub fn deny(self, tool: &str) -> Result<Self, InvalidRule> {
        GateRule::deny(tool).map(|rule| self.with(rule))
    }

    /// Adds a rule. When it is added means nothing.
    #[must_use]
    pub fn with(mut self, rule: GateRule) -> Self {
        let order = rule.order();
        let at = self.rules.partition_point(|held| held.order() < order);
        if self.rules.get(at) != Some(&rule) {
            self.rules.insert(at, rule);
        }
        self
    }

    /// The rules, the narrowest first.
    pub fn rules(&self) -> &[GateRule] {
        &self.rules
    }

    /// What in these rules cannot be meant for these tools: a rule that fits none of them, a path that no tool has which its
    /// rule fits, and a test for a type that nothing there is of. A misspelt `deny` refuses nothing, so that a program should
    /// not start with one.
    pub fn check(&self, descriptors: impl IntoIterator<Item: AsRef<ToolDescriptor>>) -> Vec<RuleProblem> {
        let held: Vec<_> = descriptors.into_iter().collect();
        check::problems(&self.rules, &held.iter().map(AsRef::as_ref).collect::<Vec<_>>())
    }

    fn verdict(&self, request: &GateRequest<'_>) -> Verdict {
        let tool = request.descriptor.map_or(&*request.call.tool_id, ToolDescriptor::id);
        match self.rules.iter().find(|rule| rule.fits(tool, request)) {
            Some(rule) => rule.verdict(tool),
            None if request.descriptor.is_some_and(|tool| tool.annotations().read_only == Some(true)) => Verdict::Allow,
            None => Verdict::ask(format!("Tool {tool:?} may change something, and no rule speaks of such a call.")),
        }
    }
}

#[async_trait]
impl ToolGate for Rules {
    async fn judge(&self, request: &GateRequest<'_>) -> Verdict {
        self.verdict(request)
    }

    fn minds_earlier_calls(&self) -> bool {
        false
    }
}

impl Extend<GateRule> for Rules {
    fn extend<I: IntoIterator<Item = GateRule>>(&mut self, rules: I) {
        self.rules.extend(rules);
        self.rules.sort_by_cached_key(GateRule::order);
        self.rules.dedup();
    }
}

impl FromIterator<GateRule> for Rules {
    fn from_iter<I: IntoIterator<Item = GateRule>>(rules: I) -> Self {
        let mut all = Self::new();
        all.extend(rules);
        all
    }
}

/// What a rule says of a call that it fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleEffect {
    /// It may be made.
    Allow,
    /// A person is asked.
    Ask,
    /// It is refused.
    Deny,
}

impl fmt::Display for RuleEffect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        })
    }
}

/// One rule of [`Rules`]: tools, conditions on their arguments, and what is said of such a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "WrittenRule", into = "WrittenRule")]
pub struct GateRule {
    effect: RuleEffect,
    tool: String,
    conditions: Vec<Condition>,
    reason: Option<String>,
}

impl GateRule {
    /// Allows the tool of this id, or the tools that fit this glob.
    pub fn allow(tool: &str) -> Result<Self, InvalidRule> {
        Self::new(RuleEffect::Allow, tool)
    }

    /// Asks a person for calls of the tool of this id, or of the tools that fit this glob.
    pub fn ask(tool: &str) -> Result<Self, InvalidRule> {
        Self::new(RuleEffect::Ask, tool)
    }

    /// Refuses the tool of this id, or the tools that fit this glob.
    pub fn deny(tool: &str) -> Result<Self, InvalidRule> {
        Self::new(RuleEffect::Deny, tool)
    }

    fn new(effect: RuleEffect, tool: &str) -> Result<Self, InvalidRule> {
        match pattern_problem(tool) {
            Some(problem) => Err(InvalidRule(format!("rule {effect} {tool:?}: {problem}"))),
            None => Ok(Self { effect, tool: tool.to_owned(), conditions: Vec::new(), reason: None }),
        }
    }

    /// Fits only calls of which this holds too. The same condition again says nothing more.
    pub fn when(self, argument: &str, test: ArgumentTest) -> Result<Self, InvalidRule> {
        match Condition::new(argument, test) {
            Ok(condition) => Ok(self.and(condition)),
            Err(problem) => Err(InvalidRule(format!("rule {self}: {problem}"))),
        }
    }

    fn and(mut self, condition: Condition) -> Self {
        if !self.conditions.contains(&condition) {
            self.conditions.push(condition);
        }
        self
    }

    /// Says why, in the operator's words: to the model where the rule refuses, to the person where it asks.
    #[must_use]
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    /// What it says of a call that it fits.
    pub fn effect(&self) -> RuleEffect {
        self.effect
    }

    /// The tool's id, or the glob.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    pub(super) fn fits_tool(&self, tool: &str) -> bool {
        if glob::is_glob(&self.tool) { glob::matches(&self.tool, tool) } else { self.tool == tool }
    }

    pub(super) fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    fn fits(&self, tool: &str, request: &GateRequest<'_>) -> bool {
        let doubt = match self.effect {
            RuleEffect::Allow => Doubt::Fails,
            RuleEffect::Ask | RuleEffect::Deny => Doubt::Holds,
        };
        let schema = request.descriptor.map(ToolDescriptor::input_schema);
        self.fits_tool(tool)
            && self.conditions.iter().all(|condition| condition.holds(arguments(request), schema, doubt))
    }

    /// The place among other rules, the narrowest first. The last part only makes the order total.
    fn order(&self) -> (Reverse<(Narrowness, usize, RuleEffect)>, String) {
        let narrowness = (Narrowness::of(&self.tool), self.conditions.len(), self.effect);
        // A rule is texts, numbers and lists of those, of which there is always a JSON text.
        (Reverse(narrowness), serde_json::to_string(self).unwrap_or_default())
    }

    fn verdict(&self, tool: &str) -> Verdict {
        match self.effect {
            RuleEffect::Allow => Verdict::Allow,
            RuleEffect::Ask => Verdict::ask(match &self.reason {
                Some(reason) => reason.clone(),
                None => format!("Rule {self} asks for approval."),
            }),
            RuleEffect::Deny => Verdict::deny(self.refusal(tool), self.remedy(tool)),
        }
    }

    /// For the model: neither values nor limits, which it could creep up to.
    fn refusal(&self, tool: &str) -> String {
        let mut paths: Vec<_> =
            self.conditions.iter().map(|condition| format!("`{}`", condition.path.as_str())).collect();
        paths.dedup();
        let (what, instead) = if paths.is_empty() {
            (String::new(), "Go on without it")
        } else {
            (
                format!(" with this {}", paths.join(", ")),
                "Call it otherwise if what you were asked for allows that, or go on without it",
            )
        };
        let reason = self.reason.as_ref().map(|reason| format!(" {reason}")).unwrap_or_default();
        format!("Tool {tool:?} may not be called{what}.{reason} {instead}, and say what you could not do.")
    }

    fn remedy(&self, tool: &str) -> String {
        let narrower = if glob::is_glob(&self.tool) {
            format!("of the id {tool:?}")
        } else {
            "of the same id and more conditions".to_owned()
        };
        format!("Rule {self} refuses it: change that rule, or add an `allow` or `ask` {narrower}, which is narrower.")
    }
}

/// As in `deny "refund" when amount more_than 100`.
impl fmt::Display for GateRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.effect, self.tool)?;
        for (position, condition) in self.conditions.iter().enumerate() {
            write!(f, " {} {condition}", if position == 0 { "when" } else { "and" })?;
        }
        Ok(())
    }
}

/// The call's arguments; blank text and `null` are none, as at the argument boundary.
fn arguments<'a>(request: &GateRequest<'a>) -> &'a Value {
    static NONE: LazyLock<Value> = LazyLock::new(|| Value::Object(serde_json::Map::new()));
    if matches!(request.arguments.text().trim_ascii(), "" | "null") { &NONE } else { request.arguments.value() }
}

fn pattern_problem(tool: &str) -> Option<String> {
    if tool.is_empty() {
        return Some("no tool is named: write a tool's id, or a glob such as \"orders.*\"".to_owned());
    }
    if tool != tool.trim() {
        return Some("there is white space around it: take that away".to_owned());
    }
    // Somebody who writes these means what a glob here does not know, and his rule would never fit.
    let stranger = tool.chars().find(|character| "[]{}()^$|\\+".contains(*character));
    stranger.filter(|_| glob::is_glob(tool)).map(|stranger| {
        format!("a glob knows `*` (any text) and `?` (one character), and not `{stranger}`: write a rule for each tool")
    })
}

/// Why something is no rule, and what to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidRule(String);

impl fmt::Display for InvalidRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidRule {}

/// Rules as an operator writes them.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    rules: Vec<GateRule>,
}

impl From<Written> for Rules {
    fn from(written: Written) -> Self {
        written.rules.into_iter().collect()
    }
}

impl From<Rules> for Written {
    fn from(Rules { rules }: Rules) -> Self {
        Self { rules }
    }
}

/// A rule as an operator writes it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRule {
    effect: RuleEffect,
    tool: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    when: Vec<Condition>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl TryFrom<WrittenRule> for GateRule {
    type Error = InvalidRule;

    fn try_from(WrittenRule { effect, tool, when, reason }: WrittenRule) -> Result<Self, InvalidRule> {
        let rule = when.into_iter().fold(Self::new(effect, &tool)?, Self::and);
        Ok(Self { reason, ..rule })
    }
}

impl From<GateRule> for WrittenRule {
    fn from(GateRule { effect, tool, conditions, reason }: GateRule) -> Self {
        Self { effect, tool, when: conditions, reason }
    }
}
