//! What a schema says of a value, as far as one node alone says it.

use crate::args::input::Text;
use crate::args::plan::{Additional, Node, NodeId, Plan};

/// What is known of a value that has been walked.
#[derive(Clone, Copy)]
pub(in crate::args) enum Spoken<'p> {
    /// No schema speaks of it: the type alone decides.
    Nothing,
    By(&'p Plan, NodeId),
    /// It is not known which one does.
    Unclear,
}

impl<'p> Spoken<'p> {
    pub(in crate::args) fn root(plan: &'p Plan) -> Self {
        Self::By(plan, plan.root())
    }

    /// The one node that speaks of the inside of an array or object.
    fn alone(self) -> Option<(&'p Plan, &'p Node)> {
        let Self::By(plan, mut id) = self else { return None };
        while let Some(inner) = plan.node(id).or_null {
            id = inner;
        }
        let node = plan.node(id);
        (!node.has_more()).then_some((plan, node))
    }

    pub(in crate::args) fn element(self, at: usize) -> Self {
        let Some((plan, node)) = self.alone() else { return self.content() };
        let rules = node.array.as_ref();
        let schema = rules.and_then(|rules| rules.prefix.get(at).copied().or(rules.items));
        schema.map_or(Self::Nothing, |id| Self::By(plan, id))
    }

    pub(in crate::args) fn member(self, name: Text<'_>) -> Self {
        let Some((plan, node)) = self.alone() else { return self.content() };
        let Some(rules) = &node.object else { return Self::Nothing };
        if !rules.patterns.is_empty() {
            return Self::Unclear;
        }
        match (rules.find(name, 0), rules.additional) {
            (Some(position), _) => Self::By(plan, rules.properties[position].node),
            (None, Additional::Schema(id)) => Self::By(plan, id),
            (None, Additional::Anything | Additional::Refused) => Self::Nothing,
        }
    }

    /// What the form of an enum holds, which its decoder finds by itself.
    pub(in crate::args) fn content(self) -> Self {
        if self.says_nothing() { Self::Nothing } else { Self::Unclear }
    }

    /// Whether arrays and objects may hold anything here.
    pub(super) fn says_nothing(self) -> bool {
        match self {
            Self::Nothing => true,
            Self::By(..) => self.alone().is_some_and(|(_, node)| node.says_nothing_of_structure()),
            Self::Unclear => false,
        }
    }
}
