//! What comes of judging an attempt: refusals, warnings, annotations, and what was counted.

use alloc::string::String;
use alloc::vec::Vec;

/// What policies say to an attempt. Nothing, if there is nothing in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judged {
    /// Why the attempt is refused. The API answers with the first one only.
    pub denials: Vec<Denial>,
    /// What the writer is told: whole texts of `Warning` headers.
    pub warnings: Vec<String>,
    /// What the audit log is told: keys and values.
    pub annotations: Vec<(String, String)>,
    /// What is counted.
    pub checks: Vec<Check>,
    /// A namespace that was needed and is not there: the attempt is refused with 404 before anything else.
    pub missing_namespace: Option<String>,
}

impl Judged {
    /// Whether no policy refuses the attempt.
    pub fn admits(&self) -> bool {
        self.denials.is_empty() && self.missing_namespace.is_none()
    }
}

/// Why a policy refuses an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denial {
    /// The policy.
    pub policy: String,
    /// The binding; none where the policy itself could not be applied.
    pub binding: Option<String>,
    /// The policy's words: its message, or what went wrong.
    pub words: String,
    /// The reason of the Status.
    pub reason: Reason,
    /// The validation that was not met, by its place in the policy; none for what is no validation's fault.
    pub validation: Option<usize>,
}

impl Denial {
    /// The whole text, as the Status has it after `… is forbidden: ` and in its cause.
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

/// The reasons that a validation may give.
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

/// Each reason with its word and its HTTP status code.
const REASONS: [(Reason, &str, u16); 4] = [
    (Reason::Invalid, "Invalid", 422),
    (Reason::Forbidden, "Forbidden", 403),
    (Reason::Unauthorized, "Unauthorized", 401),
    (Reason::RequestEntityTooLarge, "RequestEntityTooLarge", 413),
];

impl Reason {
    /// Reads a reason; what is none is `Invalid`.
    pub(crate) fn read(word: &str) -> Self {
        REASONS.iter().find(|row| row.1 == word).map(|row| row.0).unwrap_or_default()
    }

    fn row(self) -> (&'static str, u16) {
        let row = REASONS.iter().find(|row| row.0 == self);
        row.map_or(("Invalid", 422), |row| (row.1, row.2))
    }

    /// The word in the Status.
    pub fn word(self) -> &'static str {
        self.row().0
    }

    /// The HTTP status code.
    pub fn code(self) -> u16 {
        self.row().1
    }
}

/// One row of the metrics `apiserver_validating_admission_policy_check_*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The policy.
    pub policy: String,
    /// The binding.
    pub binding: String,
    /// `no_error`, `invalid_error`, `compile_error` or `out_of_budget`.
    pub error: &'static str,
    /// `allow`, `deny`, `audit` or `warn`.
    pub action: &'static str,
    /// How long the expression took.
    pub nanoseconds: u64,
    /// The validation, by its place in the policy; none for what is no validation's fault.
    pub validation: Option<usize>,
    /// The policy's words: its message, or what went wrong.
    pub words: String,
}
