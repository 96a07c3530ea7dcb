//! What a tool is to a model, and the identity of that.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use crate::annotations::ToolAnnotations;
use crate::behaviour::ToolBehaviour;
use crate::coordinates::is_reserved_property;
use crate::hex;
use crate::recovery::ToolRecoveryCapability;
use crate::reserved;
use crate::schema;
use crate::target::ToolExecutionTarget;
use crate::tool::Tool;

/// A tool as it is offered: what the model relies on, pinned by its [`ContentIdentity`], and what belongs to the instance.
///
/// Descriptors are made once a tool and shared. One that is read from JSON proves its identity: it is computed again, and a
/// text that states another one is refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored")]
pub struct ToolDescriptor {
    prefix: String,
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    description: String,
    input_schema: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_schema: Option<Value>,
    identity: ContentIdentity,
    recovery_capability: ToolRecoveryCapability,
    execution_target: ToolExecutionTarget,
    annotations: ToolAnnotations,
    behaviour: ToolBehaviour,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    secrets: Vec<String>,
    /// Properties that bear a runtime coordinate's name without leave; empty for a tool from elsewhere.
    #[serde(skip)]
    reserved_properties: Vec<String>,
    /// What the schema promises and nothing enforces; `None` for a tool from elsewhere.
    #[serde(skip)]
    unenforceable: Option<String>,
}

impl ToolDescriptor {
    /// Derives the descriptor from the implementation `T`; `prefix` names where the tool comes from.
    ///
    /// What belongs to an instance has its conservative default here; [`erase`](crate::erase) fills it in.
    pub fn for_tool<T: Tool>(prefix: &str) -> Self {
        Self::of_tool::<T>(prefix).0
    }

    /// [`for_tool`](Self::for_tool), and what its schema allows and the decoder of its arguments would not take as it is
    /// meant.
    pub(crate) fn of_tool<T: Tool>(prefix: &str) -> (Self, Option<String>) {
        let (input_schema, unkept) = schema::checked_input_schema::<T::Args>();
        let mut reserved_properties = reserved::reserved_properties(&input_schema, T::NOT_RUNTIME);
        // What the decoder takes and the schema does not show.
        for name in reserved::decoded_names::<T::Args>() {
            if is_reserved_property(name) && !T::NOT_RUNTIME.contains(name) {
                reserved_properties.push((*name).to_owned());
            }
        }
        reserved_properties.sort();
        reserved_properties.dedup();
        let described = Self::new(prefix, T::ID, T::DESCRIPTION, input_schema, T::output_schema());
        let described = described.with_secrets(T::SECRETS.iter().copied());
        (Self { reserved_properties, ..described }, unkept)
    }

    /// The descriptor of a hand-written [`RawTool`](crate::RawTool), such as one that another server implements: its
    /// arguments are its own, so a property named for a runtime coordinate is let be.
    pub fn new(
        prefix: impl Into<String>,
        id: impl Into<String>,
        description: impl Into<String>,
        input_schema: Value,
        output_schema: Option<Value>,
    ) -> Self {
        let (prefix, id, description) = (prefix.into(), id.into(), description.into());
        let identity = ContentIdentity::of(&json!({
            "prefix": prefix,
            "id": id,
            "description": description,
            "input_schema": input_schema,
            "output_schema": output_schema,
        }));
        Self {
            prefix,
            id,
            title: None,
            description,
            input_schema,
            output_schema,
            identity,
            recovery_capability: ToolRecoveryCapability::default(),
            execution_target: ToolExecutionTarget::default(),
            annotations: ToolAnnotations::default(),
            behaviour: ToolBehaviour::default(),
            secrets: Vec::new(),
            reserved_properties: Vec::new(),
            unenforceable: None,
        }
    }

    /// Gives the title that people see. Not part of the identity.
    #[must_use]
    pub fn with_title(mut self, title: Option<String>) -> Self {
        self.title = title;
        self
    }

    /// States the instance's recovery capability. Not part of the identity.
    #[must_use]
    pub fn with_recovery_capability(mut self, capability: ToolRecoveryCapability) -> Self {
        self.recovery_capability = capability;
        self
    }

    /// States where the instance runs. Not part of the identity.
    #[must_use]
    pub fn with_execution_target(mut self, target: ToolExecutionTarget) -> Self {
        self.execution_target = target;
        self
    }

    /// States the instance's behaviour. Not part of the identity.
    #[must_use]
    pub fn with_annotations(mut self, annotations: ToolAnnotations) -> Self {
        self.annotations = annotations;
        self
    }

    /// States what the instance declares for its runtime. Not part of the identity.
    #[must_use]
    pub fn with_behaviour(mut self, behaviour: ToolBehaviour) -> Self {
        self.behaviour = behaviour;
        self
    }

    /// States the paths of the arguments that must not be shown, as [`Tool::SECRETS`] has them. Not part of the identity.
    #[must_use]
    pub fn with_secrets<S: Into<String>>(mut self, paths: impl IntoIterator<Item = S>) -> Self {
        self.secrets = paths.into_iter().map(Into::into).collect();
        self
    }

    /// Where the tool comes from.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The name that a model calls it by.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The name that people see.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// What the model is told of it.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The canonical JSON Schema of its arguments.
    pub fn input_schema(&self) -> &Value {
        &self.input_schema
    }

    /// The JSON Schema of its structured result, where it has one.
    pub fn output_schema(&self) -> Option<&Value> {
        self.output_schema.as_ref()
    }

    /// The identity of what the model relies on.
    pub fn identity(&self) -> ContentIdentity {
        self.identity
    }

    /// What the instance can truthfully do after its owner died.
    pub fn recovery_capability(&self) -> ToolRecoveryCapability {
        self.recovery_capability
    }

    /// Where the instance runs.
    pub fn execution_target(&self) -> ToolExecutionTarget {
        self.execution_target
    }

    /// What the instance says of its behaviour.
    pub fn annotations(&self) -> &ToolAnnotations {
        &self.annotations
    }

    /// What the instance declares for its runtime.
    pub fn behaviour(&self) -> &ToolBehaviour {
        &self.behaviour
    }

    /// The paths of the arguments that must not be shown.
    pub fn secrets(&self) -> &[String] {
        &self.secrets
    }

    /// Notes what the schema promises and nothing enforces.
    pub(crate) fn with_unenforceable(mut self, what: Option<String>) -> Self {
        self.unenforceable = what;
        self
    }

    pub(crate) fn unenforceable(&self) -> Option<&str> {
        self.unenforceable.as_deref()
    }

    pub(crate) fn reserved_properties(&self) -> &[String] {
        &self.reserved_properties
    }
}

impl AsRef<Self> for ToolDescriptor {
    fn as_ref(&self) -> &Self {
        self
    }
}

/// A descriptor as it was written.
#[derive(Deserialize)]
struct Stored {
    prefix: String,
    id: String,
    #[serde(default)]
    title: Option<String>,
    description: String,
    input_schema: Value,
    #[serde(default)]
    output_schema: Option<Value>,
    #[serde(default)]
    identity: Option<ContentIdentity>,
    #[serde(default)]
    recovery_capability: ToolRecoveryCapability,
    #[serde(default)]
    execution_target: ToolExecutionTarget,
    #[serde(default)]
    annotations: ToolAnnotations,
    #[serde(default)]
    behaviour: ToolBehaviour,
    #[serde(default)]
    secrets: Vec<String>,
}

impl TryFrom<Stored> for ToolDescriptor {
    type Error = String;

    fn try_from(stored: Stored) -> Result<Self, String> {
        let Stored { prefix, id, title, description, input_schema, output_schema, identity, .. } = stored;
        let read = Self::new(prefix, id, description, input_schema, output_schema)
            .with_title(title)
            .with_recovery_capability(stored.recovery_capability)
            .with_execution_target(stored.execution_target)
            .with_annotations(stored.annotations)
            .with_behaviour(stored.behaviour)
            .with_secrets(stored.secrets);
        match identity.filter(|stated| *stated != read.identity) {
            None => Ok(read),
            Some(stated) => Err(format!(
                "the content of tool {:?} has the identity {}, and {stated} is stated: it was changed after it was written",
                read.id, read.identity
            )),
        }
    }
}

/// SHA-256 over the RFC 8785 canonical JSON of what a model relies on: prefix, id, description, input and output schema.
///
/// The same tool has the same identity on every machine and in every build; a changed field of its arguments or a
/// changed description changes it. Shown as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentIdentity([u8; 32]);

impl ContentIdentity {
    fn of(content: &Value) -> Self {
        // A Value has text keys and finite numbers, so that its canonical form always exists; its plain form would
        // still tell two contents apart.
        let canonical = serde_json_canonicalizer::to_vec(content).unwrap_or_else(|_| content.to_string().into_bytes());
        Self(hmac_sha256::Hash::hash(&canonical))
    }

    /// The digest.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for ContentIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(&self.0))
    }
}

impl fmt::Debug for ContentIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentIdentity({self})")
    }
}

impl Serialize for ContentIdentity {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl FromStr for ContentIdentity {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digest = hex::decode(text).ok_or_else(|| format!("{text:?} is not 64 lower-case hexadecimal digits"))?;
        Ok(Self(digest))
    }
}

impl<'de> Deserialize<'de> for ContentIdentity {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<str>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn descriptor() -> ToolDescriptor {
        ToolDescriptor::new(
            "local",
            "add",
            "Adds.",
            json!({"type": "object", "properties": {"a": {"maximum": 1.0}}}),
            None,
        )
    }

    #[test]
    fn the_identity_is_the_digest_of_the_canonical_json() {
        let canonical = concat!(
            r#"{"description":"Adds.","id":"add","input_schema":{"properties":{"a":{"maximum":1}},"type":"object"},"#,
            r#""output_schema":null,"prefix":"local"}"#,
        );
        let expected = hex::encode(&hmac_sha256::Hash::hash(canonical.as_bytes()));
        assert_eq!(descriptor().identity().to_string(), expected);
    }

    #[test]
    fn what_the_model_relies_on_changes_the_identity_and_nothing_else_does() {
        let base = descriptor();
        let schema = base.input_schema().clone();
        for changed in [
            ToolDescriptor::new("other", "add", "Adds.", schema.clone(), None),
            ToolDescriptor::new("local", "add2", "Adds.", schema.clone(), None),
            ToolDescriptor::new("local", "add", "Adds!", schema.clone(), None),
            ToolDescriptor::new("local", "add", "Adds.", json!({"type": "object"}), None),
            ToolDescriptor::new("local", "add", "Adds.", schema.clone(), Some(json!({}))),
        ] {
            assert_ne!(changed.identity(), base.identity(), "{changed:?}");
        }
        let instance = descriptor()
            .with_title(Some("Add".into()))
            .with_recovery_capability(ToolRecoveryCapability::ReplaySafe)
            .with_execution_target(ToolExecutionTarget::Sandbox)
            .with_annotations(ToolAnnotations::new().with_read_only(true))
            .with_secrets(["a"]);
        assert_eq!(instance.identity(), base.identity());
    }

    #[test]
    fn a_descriptor_is_read_back_whole_and_a_changed_one_is_refused() {
        let written = descriptor()
            .with_title(Some("Add".into()))
            .with_recovery_capability(ToolRecoveryCapability::ReplaySafe)
            .with_execution_target(ToolExecutionTarget::Sandbox)
            .with_annotations(ToolAnnotations::new().with_read_only(true))
            .with_secrets(["a"]);
        let mut json = serde_json::to_value(&written).unwrap();
        assert_eq!(serde_json::from_value::<ToolDescriptor>(json.clone()).unwrap(), written);
        json["description"] = json!("Subtracts.");
        let refused = serde_json::from_value::<ToolDescriptor>(json.clone()).unwrap_err().to_string();
        assert!(refused.ends_with("is stated: it was changed after it was written"), "{refused}");
        json["identity"] = json!("ABC");
        let refused = serde_json::from_value::<ToolDescriptor>(json.clone()).unwrap_err().to_string();
        assert_eq!(refused, "\"ABC\" is not 64 lower-case hexadecimal digits");
        json.as_object_mut().unwrap().remove("identity");
        assert_eq!(serde_json::from_value::<ToolDescriptor>(json).unwrap().description(), "Subtracts.");
    }
}
