//! What is known of a node only once all nodes are there: which kinds it admits, and how alternatives are told apart.

use serde_json::Value;

use super::{Alternatives, Kinds, Node, NodeId};

/// How the one branch that can hold is told from the value alone, so that a fault is explained within the right branch
/// and nothing is tried in vain.
#[derive(Debug)]
pub(in crate::args) enum Choice {
    /// Every branch requires the property `name` and allows it values of its own: a tagged enum.
    Tag {
        name: String,
        /// Each value, and the branch that it stands for.
        values: Vec<(String, NodeId)>,
    },
    /// Every object among the branches requires a property that no other branch has: an externally tagged enum.
    Key(Vec<(String, NodeId)>),
}

/// Fills in [`Node::admits`] and what depends on it.
pub(super) fn admitted(nodes: &mut [Node]) {
    let admits: Vec<Kinds> = (0..nodes.len()).map(|at| admits(nodes, NodeId(at))).collect();
    let nullable: Vec<bool> = (0..nodes.len()).map(|at| admits_null(nodes, NodeId(at))).collect();
    for (node, admits) in nodes.iter_mut().zip(admits) {
        node.admits = admits;
        node.free = node.free_scalars();
        node.in_one_reading = node.is_read_once();
        for property in node.object.iter_mut().flat_map(|object| &mut object.properties) {
            property.admits_null = nullable[property.node.0];
        }
    }
}

/// No node is defined by itself (see `refuse_loops`), so that this ends.
fn admits(nodes: &[Node], id: NodeId) -> Kinds {
    let node = &nodes[id.0];
    let mut kinds = node.kinds;
    for all in &node.all {
        kinds = kinds.and(admits(nodes, *all));
    }
    for alternatives in &node.alternatives {
        let any = alternatives.branches.iter().fold(Kinds::NONE, |any, branch| any.with(admits(nodes, *branch)));
        kinds = kinds.and(any);
    }
    if let Some(inner) = node.or_null {
        kinds = kinds.and(admits(nodes, inner).with(Kinds::NULL));
    }
    if let Some(allowed) = &node.allowed {
        let any = allowed.iter().fold(Kinds::NONE, |any, value| any.with(kinds_of(value)));
        kinds = kinds.and(any);
    }
    kinds
}

fn admits_null(nodes: &[Node], id: NodeId) -> bool {
    let refused = nodes[id.0].not.is_some_and(|not| admits(nodes, not).holds(Kinds::NULL));
    admits(nodes, id).holds(Kinds::NULL) && !refused
}

fn kinds_of(value: &Value) -> Kinds {
    match value {
        Value::Null => Kinds::NULL,
        Value::Bool(_) => Kinds::BOOL,
        Value::Number(_) => Kinds::NUMBER,
        Value::String(_) => Kinds::STRING,
        Value::Array(_) => Kinds::ARRAY,
        Value::Object(_) => Kinds::OBJECT,
    }
}

/// Fills in [`Alternatives::choice`].
pub(super) fn choices(nodes: &mut [Node]) {
    for at in 0..nodes.len() {
        for which in 0..nodes[at].alternatives.len() {
            let choice = choice(nodes, &nodes[at].alternatives[which]);
            if choice.is_some() {
                name_other_forms(nodes, at, which);
            }
            nodes[at].alternatives[which].choice = choice;
        }
    }
}

/// Fills in [`ObjectRules::of_other_forms`](super::ObjectRules::of_other_forms) of each branch.
fn name_other_forms(nodes: &mut [Node], at: usize, which: usize) {
    let branches: Vec<NodeId> =
        nodes[at].alternatives[which].branches.iter().map(|branch| resolved_id(nodes, *branch)).collect();
    let names = |nodes: &[Node], branch: &NodeId| -> Vec<String> {
        let object = nodes[branch.0].object.as_ref();
        object.into_iter().flat_map(|object| &object.properties).map(|property| property.name.clone()).collect()
    };
    let all: Vec<String> = branches.iter().flat_map(|branch| names(nodes, branch)).collect();
    for branch in &branches {
        let own = names(nodes, branch);
        if let Some(object) = &mut nodes[branch.0].object {
            object.of_other_forms = all.iter().filter(|name| !own.contains(name)).cloned().collect();
        }
    }
}

fn choice(nodes: &[Node], alternatives: &Alternatives) -> Option<Choice> {
    let is_object = |id: &&NodeId| nodes[id.0].admits.holds(Kinds::OBJECT);
    let objects: Vec<NodeId> = alternatives.branches.iter().filter(is_object).copied().collect();
    if objects.len() < 2 {
        return None;
    }
    tag(nodes, &objects).or_else(|| key(nodes, &objects))
}

/// The node that says what a branch's object holds: the branch, or what it refers to.
fn resolved(nodes: &[Node], id: NodeId) -> &Node {
    &nodes[resolved_id(nodes, id).0]
}

fn resolved_id(nodes: &[Node], id: NodeId) -> NodeId {
    let node = &nodes[id.0];
    match node.all.as_slice() {
        [only] if node.object.is_none() => resolved_id(nodes, *only),
        _ => id,
    }
}

/// The property `name` of a branch, if it is required, and the node it has.
fn required<'n>(nodes: &'n [Node], branch: NodeId, name: &str) -> Option<&'n Node> {
    let object = resolved(nodes, branch).object.as_ref()?;
    let property = object.properties.iter().find(|property| property.name == name && property.required)?;
    Some(resolved(nodes, property.node))
}

fn tag(nodes: &[Node], branches: &[NodeId]) -> Option<Choice> {
    let first = resolved(nodes, *branches.first()?).object.as_ref()?;
    first.properties.iter().find_map(|property| {
        let mut values: Vec<(String, NodeId)> = Vec::new();
        for branch in branches {
            for value in required(nodes, *branch, &property.name)?.allowed.as_ref()? {
                let value = value.as_str()?;
                if values.iter().any(|(known, _)| known == value) {
                    return None;
                }
                values.push((value.to_owned(), *branch));
            }
        }
        Some(Choice::Tag { name: property.name.clone(), values })
    })
}

fn key(nodes: &[Node], branches: &[NodeId]) -> Option<Choice> {
    let names = |branch: NodeId| {
        let object = resolved(nodes, branch).object.as_ref();
        object.into_iter().flat_map(|object| &object.properties)
    };
    let mut keys = Vec::new();
    for branch in branches {
        let own = names(*branch).find(|property| {
            let elsewhere = branches.iter().filter(|other| *other != branch);
            property.required && !elsewhere.flat_map(|other| names(*other)).any(|other| other.name == property.name)
        })?;
        keys.push((own.name.clone(), *branch));
    }
    Some(Choice::Key(keys))
}
