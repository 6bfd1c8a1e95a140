//! Usage errors: clap's errors in one line and in the format of Kubernetes' commands.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use ratchet_net::Quoted;
use std::error::Error;

/// The message for arguments of `ratchet serve` that clap refuses.
pub(crate) fn usage(error: &clap::Error) -> String {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.as_str(),
        _ => "",
    };
    let (flag, value) = (context(ContextKind::InvalidArg), context(ContextKind::InvalidValue));
    match error.kind() {
        ErrorKind::UnknownArgument => unknown(flag),
        ErrorKind::ValueValidation => match error.source() {
            Some(why) => invalid(flag, value, &why.to_string()),
            None => invalid(flag, value, "not understood"),
        },
        ErrorKind::InvalidValue if value.is_empty() => {
            format!("flag needs an argument: {}", bare(flag))
        }
        ErrorKind::InvalidValue => {
            let choices = match error.get(ContextKind::ValidValue) {
                Some(ContextValue::Strings(choices)) => choices.join(", "),
                _ => String::new(),
            };
            invalid(flag, value, &format!("must be one of {choices}"))
        }
        _ => first_line(error),
    }
}

fn unknown(argument: &str) -> String {
    if let Some(long) = argument.strip_prefix("--") {
        return format!("unknown flag: --{}", long.split('=').next().unwrap_or(long));
    }
    match argument.strip_prefix('-').and_then(|short| short.chars().next()) {
        Some(first) => format!("unknown shorthand flag: '{first}' in {argument}"),
        None => {
            format!("\"ratchet serve\" does not take any arguments, got [{}]", Quoted(argument))
        }
    }
}

fn invalid(flag: &str, value: &str, why: &str) -> String {
    let flag = match bare(flag) {
        "--v" => "-v, --v",
        flag => flag,
    };
    format!("invalid argument {} for \"{flag}\" flag: {why}", Quoted(value))
}

/// `--flag <VALUE>` without the value.
fn bare(flag: &str) -> &str {
    flag.split([' ', '[', '=']).next().unwrap_or(flag)
}

fn first_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

/// Joins errors into one, without duplicates: `[a, b]`.
pub(crate) fn join_errors(refusals: Vec<String>) -> Result<(), String> {
    let mut distinct: Vec<String> = Vec::new();
    for refusal in refusals {
        if !distinct.contains(&refusal) {
            distinct.push(refusal);
        }
    }
    match distinct.as_slice() {
        [] => Ok(()),
        [only] => Err(only.clone()),
        several => Err(format!("[{}]", several.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Args;
    use clap::Parser;

    fn refused(arguments: &[&str]) -> String {
        let all = ["ratchet", "serve"].iter().chain(arguments);
        usage(&Args::try_parse_from(all).unwrap_err())
    }

    #[test]
    fn usage_is_refused_in_one_line() {
        for (arguments, expected) in [
            (&["--x"][..], "unknown flag: --x"),
            (&["--x=5"], "unknown flag: --x"),
            (&["-x"], "unknown shorthand flag: 'x' in -x"),
            (&["foo"], "\"ratchet serve\" does not take any arguments, got [\"foo\"]"),
            (&["--secure-port"], "flag needs an argument: --secure-port"),
            (
                &["--secure-port=a"],
                "invalid argument \"a\" for \"--secure-port\" flag: strconv.ParseInt: parsing \"a\": invalid syntax",
            ),
            (
                &["--anonymous-auth=maybe"],
                "invalid argument \"maybe\" for \"--anonymous-auth\" flag: strconv.ParseBool: parsing \"maybe\": invalid syntax",
            ),
            (
                &["--request-timeout", "5"],
                "invalid argument \"5\" for \"--request-timeout\" flag: time: missing unit in duration \"5\"",
            ),
            (
                &["--bind-address", "localhost"],
                "invalid argument \"localhost\" for \"--bind-address\" flag: failed to parse IP: \"localhost\"",
            ),
            (
                &["--service-node-port-range", "9-1"],
                "invalid argument \"9-1\" for \"--service-node-port-range\" flag: end port cannot be less than start port: 9-1",
            ),
            (
                &["--logging-format", "xml"],
                "invalid argument \"xml\" for \"--logging-format\" flag: must be one of text, json",
            ),
            (
                &["-v", "much"],
                "invalid argument \"much\" for \"-v, --v\" flag: strconv.ParseInt: parsing \"much\": invalid syntax",
            ),
        ] {
            assert_eq!(refused(arguments), expected, "{arguments:?}");
        }
    }

    #[test]
    fn the_last_value_counts_and_lists_grow() {
        let parsed = Args::try_parse_from([
            "ratchet",
            "serve",
            "--secure-port=1",
            "--secure-port=2",
            "--anonymous-auth",
            "--anonymous-auth=false",
            "--authorization-mode=Node,RBAC",
            "--authorization-mode=AlwaysAllow",
            "--min-request-timeout=-1",
        ]);
        let crate::args::Command::Serve(args) = parsed.unwrap().command else { panic!("serve") };
        assert_eq!(args.serving.secure_port, 2);
        assert_eq!(args.serving.min_request_timeout, -1);
        assert!(!args.clients.anonymous_auth);
        assert_eq!(args.clients.authorization_mode, ["Node", "RBAC", "AlwaysAllow"]);
    }

    #[test]
    fn refusals_stand_together_once() {
        let list =
            |texts: &[&str]| join_errors(texts.iter().map(|text| (*text).to_owned()).collect());
        assert_eq!(list(&[]), Ok(()));
        assert_eq!(list(&["a", "a"]), Err("a".into()));
        assert_eq!(list(&["a", "b", "a"]), Err("[a, b]".into()));
    }
}
