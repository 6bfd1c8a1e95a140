//! The result of evaluating policies: denials, warnings, audit annotations and metrics.

use alloc::string::String;
use alloc::vec::Vec;

/// The result of evaluating all policies on an attempt. Empty if no policy has anything to report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicyResult {
    /// The denials. The API server answers with the first one only.
    pub denials: Vec<Denial>,
    /// Warnings for the client: texts of `Warning` headers.
    pub warnings: Vec<String>,
    /// Audit annotations: keys and values.
    pub annotations: Vec<(String, String)>,
    /// Samples for the metrics.
    pub checks: Vec<Check>,
    /// A namespace that is needed and does not exist: the request fails with 404 before anything else.
    pub missing_namespace: Option<String>,
}

impl PolicyResult {
    /// Whether no policy denies the attempt.
    pub fn admits(&self) -> bool {
        self.denials.is_empty() && self.missing_namespace.is_none()
    }
}

/// The denial of a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denial {
    /// The name of the policy.
    pub policy: String,
    /// The name of the binding; none where the policy itself could not be applied.
    pub binding: Option<String>,
    /// The policy's message, or the error.
    pub words: String,
    /// The reason of the Status.
    pub reason: Reason,
    /// The index of the denied validation in the policy; none if no single validation is the cause.
    pub validation: Option<usize>,
}

impl Denial {
    /// The full message, as the Status has it after `… is forbidden: ` and in its cause.
    pub fn message(&self) -> String {
        let Self { policy, binding, words, .. } = self;
        match binding {
            Some(binding) => alloc::format!(
                "ValidatingAdmissionPolicy '{policy}' with binding '{binding}' denied request: {words}"
            ),
            None => alloc::format!("ValidatingAdmissionPolicy '{policy}' denied request: {words}"),
        }
    }
}

/// The reasons that a validation may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reason {
    /// 422.
    #[default]
    Invalid,
    /// 403.
    Forbidden,
    /// 401.
    Unauthorized,
    /// 413.
    RequestEntityTooLarge,
}

/// Each reason with its name and its HTTP status code.
const REASONS: [(Reason, &str, u16); 4] = [
    (Reason::Invalid, "Invalid", 422),
    (Reason::Forbidden, "Forbidden", 403),
    (Reason::Unauthorized, "Unauthorized", 401),
    (Reason::RequestEntityTooLarge, "RequestEntityTooLarge", 413),
];

impl Reason {
    /// Parses a reason; any other text is `Invalid`.
    pub(crate) fn parse(name: &str) -> Self {
        REASONS.iter().find(|row| row.1 == name).map(|row| row.0).unwrap_or_default()
    }

    fn row(self) -> (&'static str, u16) {
        let row = REASONS.iter().find(|row| row.0 == self);
        row.map_or(("Invalid", 422), |row| (row.1, row.2))
    }

    /// The reason in the Status.
    pub fn as_str(self) -> &'static str {
        self.row().0
    }

    /// The HTTP status code.
    pub fn code(self) -> u16 {
        self.row().1
    }
}

/// One sample of the metrics `apiserver_validating_admission_policy_check_*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The name of the policy.
    pub policy: String,
    /// The name of the binding.
    pub binding: String,
    /// `no_error`, `invalid_error`, `compile_error` or `out_of_budget`.
    pub error: &'static str,
    /// `allow`, `deny`, `audit` or `warn`.
    pub action: &'static str,
    /// The duration of the evaluation.
    pub nanoseconds: u64,
    /// The index of the validation in the policy; none if no single validation is the cause.
    pub validation: Option<usize>,
    /// The policy's message, or the error.
    pub words: String,
}
