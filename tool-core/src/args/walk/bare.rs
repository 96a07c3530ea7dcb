//! The name of a form that stands alone, where the form's content has to come with it.

use super::{Path, Walker, Way};
use crate::args::describe;
use crate::args::input::{Halt, Input, Text, Token};
use crate::args::plan::{Alternatives, Kinds, Node, NodeId};
use crate::error::ArgumentFault;

impl Walker<'_> {
    /// What to write instead of a string that names one of the forms and is none.
    pub(super) fn bare_form<'s, I: Input<'s>>(
        &mut self,
        alternatives: &Alternatives,
        input: I,
        path: &Path<'_>,
    ) -> Result<Option<ArgumentFault>, Halt> {
        let Way::Careful(_) = self.way else { return Ok(None) };
        let start = input.mark();
        let Token::String(text) = input.open()? else { return Ok(None) };
        input.rewind(start);
        let mut branches = alternatives.branches.iter();
        let Some(content) = branches.find_map(|branch| self.content_of(*branch, text)) else { return Ok(None) };
        let (name, quote) = (text.decoded(), self.quote(path));
        let takes_it = |branch: &NodeId| {
            let node = self.plan.node(*branch);
            let is_one = |value: &str| value.to_lowercase() == name.to_lowercase();
            let may_be_one = |node: &Node| match &node.allowed {
                Some(allowed) => allowed.iter().filter_map(|value| value.as_str()).any(is_one),
                None => true,
            };
            node.admits.holds(Kinds::STRING) && may_be_one(node)
        };
        if quote.hides_string(&name) || alternatives.branches.iter().any(takes_it) {
            return Ok(None);
        }
        Ok(Some(ArgumentFault::new(self.written(path), describe::form_without_content(&name, content))))
    }

    /// What the content of a form is, where this is the form's name: the one property that its object has.
    fn content_of(&self, branch: NodeId, name: Text<'_>) -> Option<Kinds> {
        match self.plan.object_of(branch)?.properties.as_slice() {
            [only] if only.required && name.is(&only.name) => Some(self.plan.node(only.node).admits),
            _ => None,
        }
    }
}
