//! What may happen to an operation whose owner died: what a tool can truthfully do, and what a run chooses of it.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::num::NonZeroU32;

/// What an implementation can truthfully do after its owner died in the middle of a call.
///
/// A claim, not a wish: a capability that the implementation cannot keep makes an effect happen twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolRecoveryCapability {
    /// Nothing: the outcome of an interrupted call is unknown, and only a person can settle it.
    #[default]
    NonRecoverable,
    /// Doing it again is as doing it once: reads, and writes that replace.
    ReplaySafe,
    /// A second attempt under the same [operation token](crate::ToolOperationToken) is recognised and not done again.
    Idempotent,
    /// The call is one durable request elsewhere, and a second attempt reconnects to it.
    DurableRequest,
}

/// What a run does with an operation whose owner died. [`NeverReplay`](Self::NeverReplay) is always legal; each other
/// mode needs the capability of the same name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolRecoveryMode {
    /// The operation is reported as in doubt and never started again.
    #[default]
    NeverReplay,
    /// Started again: again is as once.
    ReplaySafe,
    /// Started again under the same token.
    Idempotent,
    /// Reconnected to its one durable request.
    DurableRequest,
}

impl ToolRecoveryMode {
    /// The capability that a tool must have for this mode; `None` for the mode that every tool allows.
    pub fn required_capability(self) -> Option<ToolRecoveryCapability> {
        match self {
            Self::NeverReplay => None,
            Self::ReplaySafe => Some(ToolRecoveryCapability::ReplaySafe),
            Self::Idempotent => Some(ToolRecoveryCapability::Idempotent),
            Self::DurableRequest => Some(ToolRecoveryCapability::DurableRequest),
        }
    }
}

/// A recovery mode and the number of attempts that it may take.
///
/// The budget cannot be zero, also when the policy is read from JSON:
///
/// ```
/// use tool_core::ToolRecoveryPolicy;
/// assert!(serde_json::from_str::<ToolRecoveryPolicy>(r#"{"mode":"replay_safe","attempts":3}"#).is_ok());
/// assert!(serde_json::from_str::<ToolRecoveryPolicy>(r#"{"mode":"replay_safe","attempts":0}"#).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolRecoveryPolicy {
    mode: ToolRecoveryMode,
    attempts: NonZeroU32,
}

impl ToolRecoveryPolicy {
    /// One attempt and no replay: legal for every tool.
    pub const NEVER_REPLAY: Self = Self { mode: ToolRecoveryMode::NeverReplay, attempts: NonZeroU32::MIN };

    /// `mode` with at most `attempts` attempts, the first one included.
    pub const fn new(mode: ToolRecoveryMode, attempts: NonZeroU32) -> Self {
        Self { mode, attempts }
    }

    /// The mode.
    pub const fn mode(self) -> ToolRecoveryMode {
        self.mode
    }

    /// How many attempts an operation may take in all, the first one included.
    pub const fn attempts(self) -> NonZeroU32 {
        self.attempts
    }

    /// Refuses a mode that a tool of this capability cannot keep.
    pub fn check(self, capability: ToolRecoveryCapability) -> Result<(), RecoveryMismatch> {
        match self.mode.required_capability() {
            Some(required) if required != capability => Err(RecoveryMismatch { mode: self.mode, capability }),
            _ => Ok(()),
        }
    }
}

impl Default for ToolRecoveryPolicy {
    fn default() -> Self {
        Self::NEVER_REPLAY
    }
}

/// A recovery mode that the tool's capability does not allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecoveryMismatch {
    mode: ToolRecoveryMode,
    capability: ToolRecoveryCapability,
}

impl fmt::Display for RecoveryMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { mode, capability } = self;
        write!(
            f,
            "recovery mode {mode:?} needs a tool of the same capability, and this one is {capability:?}; choose \
             NeverReplay, or declare the capability on the tool if it truly has it"
        )
    }
}

impl std::error::Error for RecoveryMismatch {}

#[cfg(test)]
mod tests {
    use super::*;
    use ToolRecoveryCapability as Capability;
    use ToolRecoveryMode as Mode;

    #[test]
    fn a_mode_needs_its_own_capability_and_never_replay_needs_none() {
        let capabilities =
            [Capability::NonRecoverable, Capability::ReplaySafe, Capability::Idempotent, Capability::DurableRequest];
        let modes = [Mode::NeverReplay, Mode::ReplaySafe, Mode::Idempotent, Mode::DurableRequest];
        for (m, mode) in modes.into_iter().enumerate() {
            for (c, capability) in capabilities.into_iter().enumerate() {
                let allowed = ToolRecoveryPolicy::new(mode, NonZeroU32::MIN).check(capability).is_ok();
                assert_eq!(allowed, m == 0 || m == c, "{mode:?} on {capability:?}");
            }
        }
    }

    #[test]
    fn a_mismatch_says_what_to_choose() {
        let error = ToolRecoveryPolicy::new(Mode::ReplaySafe, NonZeroU32::MIN).check(Capability::NonRecoverable);
        let text = error.unwrap_err().to_string();
        assert!(text.starts_with("recovery mode ReplaySafe needs"), "{text}");
        assert!(text.contains("choose NeverReplay"), "{text}");
    }

    #[test]
    fn a_policy_survives_json_and_refuses_a_zero_budget_and_unknown_keys() {
        let policy = ToolRecoveryPolicy::new(Mode::DurableRequest, NonZeroU32::new(4).unwrap());
        let json = serde_json::to_string(&policy).unwrap();
        assert_eq!(json, r#"{"mode":"durable_request","attempts":4}"#);
        assert_eq!(serde_json::from_str::<ToolRecoveryPolicy>(&json).unwrap(), policy);
        for refused in [
            r#"{"mode":"replay_safe","attempts":0}"#,
            r#"{"mode":"replay_safe","attempts":1,"more":1}"#,
            r#"{"mode":"sometimes","attempts":1}"#,
            r#"{"mode":"replay_safe"}"#,
        ] {
            assert!(serde_json::from_str::<ToolRecoveryPolicy>(refused).is_err(), "{refused}");
        }
    }
}
