//! `Outcome`: the final `Status` of a command, for the error channel.

use super::negotiate::Protocol;
use crate::request::go_syntax;
use ratchet_net::Quoted;
use ratchet_object::{Limits, Node, decode_json};

/// The final status of a command.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Outcome {
    /// The status code for metrics; a failed command is not a server error.
    pub(super) code: u16,
    /// The `Status` object in JSON.
    pub(super) status: String,
}

/// The reason of a non-zero exit code.
const NON_ZERO: &str = "NonZeroExitCode";
/// The cause with the exit code.
const EXIT_CODE: &str = "ExitCode";

impl Outcome {
    pub(super) fn success() -> Self {
        Self { code: 200, status: r#"{"metadata":{},"status":"Success"}"#.to_owned() }
    }

    /// An internal error.
    pub(super) fn internal(why: &str) -> Self {
        let cause = Node::map([("message", text(why))]);
        let message = format!("Internal error occurred: {why}");
        let mut status = failure(message, "InternalError", cause);
        status.set("code", Node::int(500));
        Self { code: 500, status: status.to_json() }
    }

    fn exit(code: u8) -> Self {
        let cause = [("reason", text(EXIT_CODE)), ("message", text(code.to_string()))];
        let message = "command terminated with non-zero exit code";
        let message = format!("{message}: command terminated with exit code {code}");
        Self { code: 200, status: failure(message, NON_ZERO, Node::map(cause)).to_json() }
    }

    /// Parses the contents of a kubelet's error stream.
    pub(super) fn parse(protocol: Protocol, text: &[u8]) -> Self {
        if text.is_empty() {
            return Self::success();
        }
        let text = String::from_utf8_lossy(text);
        let parsed = match protocol {
            Protocol::V5 | Protocol::V4 => parse_status(&text),
            Protocol::V3 | Protocol::V2 => Err(format!("error executing remote command: {text}")),
            Protocol::V1 => Err(format!("Error executing remote command: {text}")),
        };
        parsed.unwrap_or_else(|why| Self::internal(&why))
    }
}

fn text(text: impl Into<String>) -> Node<'static> {
    Node::string(text.into())
}

fn failure(message: String, reason: &str, cause: Node<'static>) -> Node<'static> {
    Node::map([
        ("metadata", Node::empty_map()),
        ("status", text("Failure")),
        ("message", text(message)),
        ("reason", text(reason)),
        ("details", Node::map([("causes", Node::list(vec![cause]))])),
    ])
}

fn parse_status(text: &str) -> Result<Outcome, String> {
    let protocol_error = |what: &str| format!("error stream protocol error: {what}");
    let decoded = decode_json(text, Limits::DEFAULT).map(|decoded| decoded.documents);
    let mut documents = decoded.unwrap_or_default();
    let (Some(status), true) = (documents.pop(), documents.is_empty()) else {
        return Err(protocol_error(&format!("{} in {}", go_syntax::explain(text), Quoted(text))));
    };
    match (status.text_at(&["status"]), status.text_at(&["reason"])) {
        ("Success", _) => return Ok(Outcome::success()),
        ("Failure", NON_ZERO) => {}
        ("Failure", _) => return Err(status.text_at(&["message"]).to_owned()),
        _ => return Err(protocol_error("unknown error")),
    }
    let details = status.get("details").ok_or_else(|| protocol_error("details must be set"))?;
    let causes = details.get("causes").map(Node::items).unwrap_or_default();
    let cause = causes.iter().find(|cause| cause.text_at(&["reason"]) == EXIT_CODE);
    let cause = cause.ok_or_else(|| protocol_error(&format!("no {EXIT_CODE} cause given")))?;
    let code = cause.text_at(&["message"]);
    let digits = code.bytes().all(|byte| byte.is_ascii_digit());
    match code.parse() {
        Ok(code) if digits => Ok(Outcome::exit(code)),
        _ => Err(protocol_error(&format!("invalid exit code value {}", Quoted(code)))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(stream: &str) -> String {
        Outcome::parse(Protocol::V4, stream.as_bytes()).status
    }

    /// The message of an outcome that is a server error.
    fn protocol_error(protocol: Protocol, stream: &str) -> String {
        let outcome = Outcome::parse(protocol, stream.as_bytes());
        assert_eq!(outcome.code, 500);
        let status = decode_json(&outcome.status, Limits::DEFAULT).unwrap().documents.remove(0);
        let message = status.text_at(&["message"]);
        message.strip_prefix("Internal error occurred: ").unwrap().to_owned()
    }

    #[test]
    fn a_command_that_ended_well() {
        let success = r#"{"metadata":{},"status":"Success"}"#;
        assert_eq!(parsed(""), success);
        assert_eq!(parsed(r#"{"kind":"Status","metadata":{},"status":"Success"}"#), success);
        assert_eq!(Outcome::parse(Protocol::V4, b"").code, 200);
    }

    #[test]
    fn a_command_that_ended_with_a_code() {
        let stream = r#"{"metadata":{},"status":"Failure","reason":"NonZeroExitCode","message":"x",
            "details":{"causes":[{"reason":"Other","message":"1"},{"reason":"ExitCode","message":"3"}]}}"#;
        let status = concat!(
            r#"{"metadata":{},"status":"Failure","message":"command terminated with non-zero exit code: "#,
            r#"command terminated with exit code 3","reason":"NonZeroExitCode","#,
            r#""details":{"causes":[{"reason":"ExitCode","message":"3"}]}}"#
        );
        assert_eq!(parsed(stream), status);
        assert_eq!(Outcome::parse(Protocol::V5, stream.as_bytes()).code, 200);
    }

    #[test]
    fn what_the_server_could_not_do() {
        let status = concat!(
            r#"{"metadata":{},"status":"Failure","message":"Internal error occurred: a \u003cb\u003e","#,
            r#""reason":"InternalError","details":{"causes":[{"message":"a \u003cb\u003e"}]},"code":500}"#
        );
        assert_eq!(Outcome::internal("a <b>"), Outcome { code: 500, status: status.to_owned() });
    }

    #[test]
    fn what_a_kubelet_says_otherwise() {
        let stream = |rest| format!(r#"{{"status":"Failure","reason":"NonZeroExitCode"{rest}}}"#);
        let cause = |code| {
            stream(format!(
                r#","details":{{"causes":[{{"reason":"ExitCode","message":"{code}"}}]}}"#
            ))
        };
        let v4_error = |stream: &str| protocol_error(Protocol::V4, stream);
        assert_eq!(v4_error(r#"{"status":"Failure","message":"no shell"}"#), "no shell");
        let about = |what: &str| format!("error stream protocol error: {what}");
        assert_eq!(v4_error(&stream(String::new())), about("details must be set"));
        let no_cause = stream(r#","details":{}"#.to_owned());
        assert_eq!(v4_error(&no_cause), about("no ExitCode cause given"));
        for code in ["256", "-1", "+1", "", "x"] {
            let text = format!("invalid exit code value \"{code}\"");
            assert_eq!(v4_error(&cause(code)), about(&text));
        }
        assert_eq!(v4_error("{}"), about("unknown error"));
        let no_json = "invalid character 'o' in literal null (expecting 'u') in \"nonsense\"";
        assert_eq!(v4_error("nonsense"), about(no_json));
        assert_eq!(protocol_error(Protocol::V2, "x"), "error executing remote command: x");
        assert_eq!(protocol_error(Protocol::V1, "x"), "Error executing remote command: x");
    }
}
