//! What became of a command, in the words that kubelets put on the error stream.

use std::process::ExitStatus;

use serde_json::{Value, json};

/// How a command ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// Well.
    Success,
    /// With an exit code other than zero.
    Exit { command: Vec<String>, code: i32 },
    /// It did not run.
    Failure(String),
}

/// How an outcome is spelled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Spelling {
    /// Before version 4: words, and none for success.
    Words,
    /// Version 4, as container runtimes spell it.
    Status,
    /// Version 5, as the translator in the kubelet spells it.
    Translated,
}

impl Outcome {
    /// How a process ended; one that was killed has the code that shells give it.
    pub(crate) fn of(command: &[String], status: ExitStatus) -> Self {
        use std::os::unix::process::ExitStatusExt;
        let killed = || status.signal().map_or(-1, |signal| 128 + signal);
        match status.code().unwrap_or_else(killed) {
            0 => Self::Success,
            code => Self::Exit { command: command.to_vec(), code },
        }
    }

    /// The words for it, if there are any.
    pub(crate) fn spelled(&self, spelling: Spelling) -> Option<String> {
        if spelling == Spelling::Words {
            return self.message(spelling);
        }
        let mut status = serde_json::Map::new();
        if spelling == Spelling::Translated {
            status.insert("metadata".into(), json!({}));
        }
        let success = *self == Self::Success;
        status.insert("status".into(), if success { "Success" } else { "Failure" }.into());
        status.extend(self.message(spelling).map(|message| ("message".into(), message.into())));
        match self {
            Self::Success => {}
            Self::Exit { code, .. } => {
                status.insert("reason".into(), "NonZeroExitCode".into());
                let cause = json!({"reason": "ExitCode", "message": code.to_string()});
                status.insert("details".into(), json!({"causes": [cause]}));
            }
            Self::Failure(_) => {
                status.insert("reason".into(), "InternalError".into());
                if spelling == Spelling::Translated {
                    let cause = json!({"message": self.message(Spelling::Status)});
                    status.insert("details".into(), json!({"causes": [cause]}));
                }
                status.insert("code".into(), 500.into());
            }
        }
        Some(escaped(&Value::Object(status).to_string()))
    }

    /// A translator wraps what it heard into its own words once more.
    fn message(&self, spelling: Spelling) -> Option<String> {
        const INTERNAL: &str = "Internal error occurred: ";
        let translated = spelling == Spelling::Translated;
        Some(match self {
            Self::Success => return None,
            Self::Exit { code, .. } if translated => format!(
                "command terminated with non-zero exit code: command terminated with exit code {code}"
            ),
            Self::Exit { command, code } => format!(
                "command terminated with non-zero exit code: error executing command [{}], exit code {code}",
                command.join(" ")
            ),
            Self::Failure(why) if translated => format!("{INTERNAL}{INTERNAL}{why}"),
            Self::Failure(why) => format!("{INTERNAL}{why}"),
        })
    }
}

/// JSON as Go writes it: these stand only inside strings.
fn escaped(json: &str) -> String {
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_outcome_has_its_words() {
        let exit = Outcome::Exit { command: vec!["sh".into(), "-c".into()], code: 3 };
        let rows = [
            (Outcome::Success, Spelling::Words, None),
            (Outcome::Success, Spelling::Status, Some(r#"{"status":"Success"}"#)),
            (Outcome::Success, Spelling::Translated, Some(r#"{"metadata":{},"status":"Success"}"#)),
            (
                exit,
                Spelling::Status,
                Some(concat!(
                    r#"{"status":"Failure","message":"command terminated with non-zero exit code: "#,
                    r#"error executing command [sh -c], exit code 3","reason":"NonZeroExitCode","#,
                    r#""details":{"causes":[{"reason":"ExitCode","message":"3"}]}}"#
                )),
            ),
            (
                Outcome::Failure("<no>".into()),
                Spelling::Status,
                Some(concat!(
                    r#"{"status":"Failure","message":"Internal error occurred: \u003cno\u003e","#,
                    r#""reason":"InternalError","code":500}"#
                )),
            ),
            (
                Outcome::Failure("no".into()),
                Spelling::Translated,
                Some(concat!(
                    r#"{"metadata":{},"status":"Failure","message":"Internal error occurred: "#,
                    r#"Internal error occurred: no","reason":"InternalError","details":{"causes":"#,
                    r#"[{"message":"Internal error occurred: no"}]},"code":500}"#
                )),
            ),
            (Outcome::Failure("no".into()), Spelling::Words, Some("Internal error occurred: no")),
        ];
        for (outcome, spelling, words) in rows {
            assert_eq!(outcome.spelled(spelling).as_deref(), words, "{outcome:?} {spelling:?}");
        }
    }
}
