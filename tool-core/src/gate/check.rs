//! Rules that cannot be meant for the tools there are.

use std::fmt;

use super::argument::Condition;
use super::rules::GateRule;
use crate::descriptor::ToolDescriptor;
use crate::suggest::nearest;

/// Something in a rule that cannot be meant: a rule with a misspelt id never has an effect.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuleProblem {
    /// No tool fits the rule.
    NoTool {
        /// The rule.
        rule: String,
        /// The id that may have been meant.
        nearest: Option<String>,
    },
    /// No tool that the rule fits has such an argument: the condition holds for none of their calls, or for all.
    NoArgument {
        /// The rule.
        rule: String,
        /// The argument's path.
        argument: String,
        /// The argument that may have been meant.
        nearest: Option<String>,
    },
    /// The argument is never of a type that the condition is about: no call is allowed by it, or every one refused.
    OtherType {
        /// The rule.
        rule: String,
        /// The argument's path.
        argument: String,
        /// The types that the condition is about.
        types: String,
    },
}

impl fmt::Display for RuleProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nearest = match self {
            Self::NoTool { rule, nearest } => {
                write!(f, "rule {rule} fits no tool")?;
                nearest
            }
            Self::NoArgument { rule, argument, nearest } => {
                write!(f, "rule {rule}: no tool that it fits has an argument `{argument}`")?;
                nearest
            }
            Self::OtherType { rule, argument, types } => {
                write!(f, "rule {rule}: in no tool that it fits `{argument}` is of the type {types}")?;
                &None
            }
        };
        nearest.as_ref().map_or(Ok(()), |nearest| write!(f, "; did you mean {nearest:?}?"))
    }
}

pub(super) fn problems(rules: &[GateRule], tools: &[&ToolDescriptor]) -> Vec<RuleProblem> {
    let mut problems = Vec::new();
    for rule in rules {
        let fitting: Vec<_> = tools.iter().filter(|tool| rule.fits_tool(tool.id())).collect();
        if fitting.is_empty() {
            let nearest = nearest(rule.tool(), tools.iter().map(|tool| tool.id())).map(str::to_owned);
            problems.push(RuleProblem::NoTool { rule: rule.to_string(), nearest });
            continue;
        }
        for condition in rule.conditions() {
            if fitting.iter().any(|tool| condition.path.is_in(tool.input_schema())) {
                problems.extend(other_type(rule, condition, &fitting));
                continue;
            }
            let names = fitting.iter().flat_map(|tool| {
                tool.input_schema()
                    .get("properties")
                    .and_then(|properties| properties.as_object())
                    .into_iter()
                    .flatten()
            });
            let argument = condition.path.as_str();
            let nearest = nearest(argument, names.map(|(name, _)| name.as_str())).map(str::to_owned);
            problems.push(RuleProblem::NoArgument { rule: rule.to_string(), argument: argument.to_owned(), nearest });
        }
    }
    problems
}

fn other_type(rule: &GateRule, condition: &Condition, fitting: &[&&ToolDescriptor]) -> Option<RuleProblem> {
    let types = condition.test.types()?;
    let may_be = fitting.iter().any(|tool| condition.path.may_be(tool.input_schema(), &types));
    (!may_be).then(|| RuleProblem::OtherType {
        rule: rule.to_string(),
        argument: condition.path.as_str().to_owned(),
        types: types.join(" or "),
    })
}
