//! How much a step may take.

use std::time::Duration;

/// What a runtime allows where a tool says nothing itself.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunLimits {
    /// How long a call may take: 5 minutes unless set; `None` for as long as it takes. A tool's own `timeout` comes first.
    pub call_timeout: Option<Duration>,
    /// How long a whole step may take; `None`, for as long as its calls take, unless set.
    pub step_timeout: Option<Duration>,
    /// How long a call that was asked to stop may take to do so, before it is abandoned: 2 seconds unless set.
    pub grace: Duration,
    /// How many calls of a step are executed, of those that count: 64 unless set. The others are refused.
    pub calls_per_step: usize,
    /// How many characters of a result a model is shown: 100,000 unless set. A tool's own `max_result_chars` comes first.
    pub result_chars: usize,
    /// How many characters the results of a step have together, shared evenly between its calls: 400,000 unless set.
    pub step_result_chars: usize,
    /// How long a lease holds unless it is renewed, which is done every third of it: 30 seconds unless set. It is how long
    /// others wait for a process that died where the ledger cannot see that it did.
    pub lease: Duration,
    /// How long the first repetition of an attempt waits; each further one twice as long: 100 milliseconds unless set.
    pub backoff: Duration,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self {
            call_timeout: Some(Duration::from_mins(5)),
            step_timeout: None,
            grace: Duration::from_secs(2),
            calls_per_step: 64,
            result_chars: 100_000,
            step_result_chars: 400_000,
            lease: Duration::from_secs(30),
            backoff: Duration::from_millis(100),
        }
    }
}

impl RunLimits {
    /// Sets [`call_timeout`](Self::call_timeout).
    #[must_use]
    pub fn with_call_timeout(self, timeout: Option<Duration>) -> Self {
        Self { call_timeout: timeout, ..self }
    }

    /// Sets [`step_timeout`](Self::step_timeout).
    #[must_use]
    pub fn with_step_timeout(self, timeout: Option<Duration>) -> Self {
        Self { step_timeout: timeout, ..self }
    }

    /// Sets [`grace`](Self::grace).
    #[must_use]
    pub fn with_grace(self, grace: Duration) -> Self {
        Self { grace, ..self }
    }

    /// Sets [`calls_per_step`](Self::calls_per_step).
    #[must_use]
    pub fn with_calls_per_step(self, calls: usize) -> Self {
        Self { calls_per_step: calls, ..self }
    }

    /// Sets [`result_chars`](Self::result_chars).
    #[must_use]
    pub fn with_result_chars(self, chars: usize) -> Self {
        Self { result_chars: chars, ..self }
    }

    /// Sets [`step_result_chars`](Self::step_result_chars).
    #[must_use]
    pub fn with_step_result_chars(self, chars: usize) -> Self {
        Self { step_result_chars: chars, ..self }
    }

    /// Sets [`lease`](Self::lease).
    #[must_use]
    pub fn with_lease(self, lease: Duration) -> Self {
        Self { lease, ..self }
    }

    /// Sets [`backoff`](Self::backoff).
    #[must_use]
    pub fn with_backoff(self, backoff: Duration) -> Self {
        Self { backoff, ..self }
    }
}
