//! Outcomes of commands, encoded as kubelets write them to the error stream.

use std::process::ExitStatus;

use serde_json::{Value, json};

/// How a command ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// With exit code zero.
    Success,
    /// With an exit code other than zero.
    Exit { command: Vec<String>, code: i32 },
    /// It did not run.
    Failure(String),
}

/// The encoding of an outcome.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum StatusFormat {
    /// Before version 4: plain text, empty for success.
    Plain,
    /// Version 4: a Status as container runtimes write it.
    Status,
    /// Version 5: a Status as the kubelet's translator writes it.
    Translated,
}

impl Outcome {
    /// The outcome of a process; one that was killed gets the exit code that shells use.
    pub(crate) fn of(command: &[String], status: ExitStatus) -> Self {
        use std::os::unix::process::ExitStatusExt;
        let killed = || status.signal().map_or(-1, |signal| 128 + signal);
        match status.code().unwrap_or_else(killed) {
            0 => Self::Success,
            code => Self::Exit { command: command.to_vec(), code },
        }
    }

    /// The encoded outcome, if there is any text.
    pub(crate) fn encode(&self, format: StatusFormat) -> Option<String> {
        if format == StatusFormat::Plain {
            return self.message(format);
        }
        let mut status = serde_json::Map::new();
        if format == StatusFormat::Translated {
            status.insert("metadata".into(), json!({}));
        }
        let success = *self == Self::Success;
        status.insert("status".into(), if success { "Success" } else { "Failure" }.into());
        status.extend(self.message(format).map(|message| ("message".into(), message.into())));
        match self {
            Self::Success => {}
            Self::Exit { code, .. } => {
                status.insert("reason".into(), "NonZeroExitCode".into());
                let cause = json!({"reason": "ExitCode", "message": code.to_string()});
                status.insert("details".into(), json!({"causes": [cause]}));
            }
            Self::Failure(_) => {
                status.insert("reason".into(), "InternalError".into());
                if format == StatusFormat::Translated {
                    let cause = json!({"message": self.message(StatusFormat::Status)});
                    status.insert("details".into(), json!({"causes": [cause]}));
                }
                status.insert("code".into(), 500.into());
            }
        }
        Some(escape_html(&Value::Object(status).to_string()))
    }

    /// The message; the translator wraps that of the runtime once more.
    fn message(&self, format: StatusFormat) -> Option<String> {
        const INTERNAL: &str = "Internal error occurred: ";
        let translated = format == StatusFormat::Translated;
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

/// Escapes JSON as Go does: these characters occur only inside strings.
fn escape_html(json: &str) -> String {
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_outcome_has_its_words() {
        let exit = Outcome::Exit { command: vec!["sh".into(), "-c".into()], code: 3 };
        let rows = [
            (Outcome::Success, StatusFormat::Plain, None),
            (Outcome::Success, StatusFormat::Status, Some(r#"{"status":"Success"}"#)),
            (
                Outcome::Success,
                StatusFormat::Translated,
                Some(r#"{"metadata":{},"status":"Success"}"#),
            ),
            (
                exit,
                StatusFormat::Status,
                Some(concat!(
                    r#"{"status":"Failure","message":"command terminated with non-zero exit code: "#,
                    r#"error executing command [sh -c], exit code 3","reason":"NonZeroExitCode","#,
                    r#""details":{"causes":[{"reason":"ExitCode","message":"3"}]}}"#
                )),
            ),
            (
                Outcome::Failure("<no>".into()),
                StatusFormat::Status,
                Some(concat!(
                    r#"{"status":"Failure","message":"Internal error occurred: \u003cno\u003e","#,
                    r#""reason":"InternalError","code":500}"#
                )),
            ),
            (
                Outcome::Failure("no".into()),
                StatusFormat::Translated,
                Some(concat!(
                    r#"{"metadata":{},"status":"Failure","message":"Internal error occurred: "#,
                    r#"Internal error occurred: no","reason":"InternalError","details":{"causes":"#,
                    r#"[{"message":"Internal error occurred: no"}]},"code":500}"#
                )),
            ),
            (
                Outcome::Failure("no".into()),
                StatusFormat::Plain,
                Some("Internal error occurred: no"),
            ),
        ];
        for (outcome, format, expected) in rows {
            assert_eq!(outcome.encode(format).as_deref(), expected, "{outcome:?} {format:?}");
        }
    }
}
