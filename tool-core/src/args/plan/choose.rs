//! What is known of a node only once all nodes are there: which kinds it admits, and how alternatives are told apart.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Alternatives, Kinds, Node, NodeId, ObjectRules};

/// How the one branch that can hold is told from the value alone, so that a fault is explained within the right branch
/// and nothing is tried in vain.
#[derive(Debug)]
pub(in crate::args) enum Choice {
    /// Every branch requires the property `name` and allows it values of its own: a tagged enum.
    Tag {
        name: String,
        /// Each value, and the branch that it stands for; where several have it, a node of these alone.
        values: Vec<(String, NodeId)>,
    },
    /// Every object among the branches requires a property that no other branch has: an externally tagged enum.
    Key(Vec<Own>),
}

/// The property that tells a branch.
#[derive(Debug)]
pub(in crate::args) struct Own {
    pub(in crate::args) name: String,
    pub(in crate::args) branch: NodeId,
    /// Whether it may be `null`, and the branch be meant for all that.
    pub(in crate::args) admits_null: bool,
}

/// Fills in [`Node::admits`] and what depends on it.
pub(super) fn admitted(nodes: &mut [Node]) {
    let mut known = vec![None; nodes.len()];
    for at in 0..nodes.len() {
        admits(nodes, NodeId(at), &mut known);
    }
    let admits = |id: NodeId| known[id.0].unwrap_or(Kinds::ALL);
    let refuses_null = |node: &Node| node.not.is_some_and(|not| admits(not).holds(Kinds::NULL));
    let nullable: Vec<bool> = nodes
        .iter()
        .enumerate()
        .map(|(at, node)| admits(NodeId(at)).holds(Kinds::NULL) && !refuses_null(node))
        .collect();
    for (at, node) in nodes.iter_mut().enumerate() {
        node.admits = admits(NodeId(at));
        node.free = node.free_scalars();
        node.in_one_reading = node.is_read_once();
        for property in node.object.iter_mut().flat_map(|object| &mut object.properties) {
            property.admits_null = nullable[property.node.0];
        }
    }
}

/// No node is defined by itself (see `refuse_loops`), so that this ends. Each is looked at once, however many refer to it.
fn admits(nodes: &[Node], id: NodeId, known: &mut [Option<Kinds>]) -> Kinds {
    if let Some(kinds) = known[id.0] {
        return kinds;
    }
    let node = &nodes[id.0];
    let mut kinds = node.kinds;
    for all in &node.all {
        kinds = kinds.and(admits(nodes, *all, known));
    }
    for alternatives in &node.alternatives {
        let any = alternatives.branches.iter().fold(Kinds::NONE, |any, branch| any.with(admits(nodes, *branch, known)));
        kinds = kinds.and(any);
    }
    if let Some(inner) = node.or_null {
        kinds = kinds.and(admits(nodes, inner, known).with(Kinds::NULL));
    }
    if let Some(allowed) = &node.allowed {
        let any = allowed.iter().fold(Kinds::NONE, |any, value| any.with(kinds_of(value)));
        kinds = kinds.and(any);
    }
    known[id.0] = Some(kinds);
    kinds
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

/// Fills in [`Alternatives::choice`]. Nodes for a part of the alternatives are added, and have their choice in turn.
pub(super) fn choices(nodes: &mut Vec<Node>) {
    let mut at = 0;
    while at < nodes.len() {
        for which in 0..nodes[at].alternatives.len() {
            let choice = choice(nodes, at, which);
            name_forms(nodes, at, which);
            nodes[at].alternatives[which].choice = choice;
        }
        at += 1;
    }
}

/// Fills in [`ObjectRules::of_all_forms`](super::ObjectRules::of_all_forms) of each form that the alternatives lead to.
fn name_forms(nodes: &mut [Node], at: usize, which: usize) {
    let mut seen = BTreeSet::new();
    for branch in &nodes[at].alternatives[which].branches {
        branches_within(nodes, *branch, &mut seen);
    }
    let forms: Vec<usize> = seen.into_iter().filter(|id| nodes[*id].object.is_some()).collect();
    if forms.len() < 2 {
        return;
    }
    let mut names = BTreeSet::new();
    for object in forms.iter().filter_map(|form| nodes[*form].object.as_ref()) {
        names.extend(object.properties.iter().map(|property| &property.name));
        names.extend(object.of_all_forms.iter()); // of a union that is met from elsewhere as well
    }
    let names: Arc<[String]> = names.into_iter().cloned().collect();
    for form in forms {
        if let Some(object) = &mut nodes[form].object {
            object.of_all_forms = Arc::clone(&names);
        }
    }
}

/// Collects what a branch is, and leads to through alternatives of its own.
fn branches_within(nodes: &[Node], branch: NodeId, seen: &mut BTreeSet<usize>) {
    let id = resolved_id(nodes, branch);
    if seen.insert(id.0) {
        for inner in nodes[id.0].alternatives.iter().flat_map(|alternatives| &alternatives.branches) {
            branches_within(nodes, *inner, seen);
        }
    }
}

fn choice(nodes: &mut Vec<Node>, at: usize, which: usize) -> Option<Choice> {
    let alternatives = &nodes[at].alternatives[which];
    let is_object = |id: &&NodeId| nodes[id.0].admits.holds(Kinds::OBJECT);
    let objects: Vec<NodeId> = alternatives.branches.iter().filter(is_object).copied().collect();
    if objects.len() < 2 {
        return None;
    }
    let exactly_one = alternatives.exactly_one;
    match tag(nodes, &objects) {
        Some((name, groups)) => {
            let one_node = |(value, group): Group| (value, of_these(nodes, group, exactly_one));
            Some(Choice::Tag { name, values: groups.into_iter().map(one_node).collect() })
        }
        None => key(nodes, &objects),
    }
}

/// A node of these branches.
fn of_these(nodes: &mut Vec<Node>, branches: Vec<NodeId>, exactly_one: bool) -> NodeId {
    if let [only] = branches.as_slice() {
        return *only;
    }
    let alternatives = vec![Alternatives { branches, exactly_one, choice: None }];
    nodes.push(Node { kinds: Kinds::OBJECT, admits: Kinds::OBJECT, alternatives, ..Node::default() });
    NodeId(nodes.len() - 1)
}

/// The node that says what a branch's object holds: the branch, or what it refers to.
pub(super) fn resolved(nodes: &[Node], id: NodeId) -> &Node {
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
    let properties = &resolved(nodes, branch).object.as_ref()?.properties;
    let position = properties.binary_search_by(|property| property.name.as_str().cmp(name)).ok()?;
    properties.get(position).filter(|property| property.required).map(|property| resolved(nodes, property.node))
}

/// A value of a tag, and the branches that have it.
type Group = (String, Vec<NodeId>);

/// The property by whose values the branches fall into groups, and these: into single ones if any property does that.
fn tag(nodes: &[Node], branches: &[NodeId]) -> Option<(String, Vec<Group>)> {
    let first = first_object(nodes, *branches.first()?)?;
    let groups = first.properties.iter().filter_map(|property| {
        let mut groups: Vec<Group> = Vec::new();
        let mut left = MOST_FORMS;
        for branch in branches {
            for value in texts(nodes, *branch, &property.name, &mut left)? {
                match groups.iter_mut().find(|(known, _)| known == value) {
                    Some((_, group)) => group.push(*branch),
                    None => groups.push((value.to_owned(), vec![*branch])),
                }
            }
        }
        // Each branch in one group, or what is made of them would grow with every property.
        let count: usize = groups.iter().map(|(_, group)| group.len()).sum();
        let tells_some = groups.len() > 1 && count == branches.len();
        let tells_all = groups.iter().all(|(_, group)| group.len() == 1);
        (tells_some || tells_all).then(|| (property.name.clone(), groups))
    });
    groups.min_by_key(|(_, groups)| groups.iter().map(|(_, group)| group.len()).max())
}

/// How many forms within forms are looked at for one tag: they may double at every step.
const MOST_FORMS: usize = 1_000;

/// The object of a branch, or of the first form that it leads to.
fn first_object(nodes: &[Node], branch: NodeId) -> Option<&ObjectRules> {
    let node = resolved(nodes, branch);
    match (&node.object, node.alternatives.as_slice()) {
        (Some(object), _) => Some(object),
        (None, [inner]) => first_object(nodes, *inner.branches.first()?),
        (None, _) => None,
    }
}

/// The texts that a branch allows the property `name`, which it requires; of a branch with forms, those of all of them.
fn texts<'n>(nodes: &'n [Node], branch: NodeId, name: &str, left: &mut usize) -> Option<BTreeSet<&'n str>> {
    *left = left.checked_sub(1)?;
    let node = resolved(nodes, branch);
    let mut texts = BTreeSet::new();
    match (&node.object, node.alternatives.as_slice()) {
        (None, [inner]) => {
            for branch in &inner.branches {
                texts.extend(self::texts(nodes, *branch, name, left)?);
            }
        }
        _ => {
            for value in required(nodes, branch, name)?.allowed.as_ref()? {
                texts.insert(value.as_str()?);
            }
        }
    }
    Some(texts)
}

fn key(nodes: &[Node], branches: &[NodeId]) -> Option<Choice> {
    let names = |branch: NodeId| {
        let object = resolved(nodes, branch).object.as_ref();
        object.into_iter().flat_map(|object| &object.properties)
    };
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for property in branches.iter().flat_map(|branch| names(*branch)) {
        *counts.entry(&property.name).or_default() += 1;
    }
    let mut keys = Vec::new();
    for branch in branches {
        let own = names(*branch).find(|property| {
            property.required && counts.get(property.name.as_str()).is_some_and(|count| *count == 1)
        })?;
        keys.push(Own { name: own.name.clone(), branch: *branch, admits_null: own.admits_null });
    }
    Some(Choice::Key(keys))
}
