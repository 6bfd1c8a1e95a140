//! `PodLogOptions`: parsing, validation and the kubelet's query.

use super::escape;
use crate::request::Params;
use crate::status::StatusError;
use jiff::Timestamp;
use jiff::tz::Offset;
use ratchet_engine::StatusCause;

/// The options of a log request.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct LogOptions {
    /// The container; empty if not given.
    pub(super) container: String,
    /// `insecureSkipTLSVerifyBackend`.
    pub(super) is_insecure: bool,
    follow: bool,
    previous: bool,
    timestamps: bool,
    since_seconds: Option<i64>,
    since_time: Option<String>,
    tail_lines: Option<i64>,
    limit_bytes: Option<i64>,
    stream: Option<String>,
}

impl LogOptions {
    /// Parses the query; invalid numbers and times are errors.
    pub(super) fn from_params(params: &Params) -> Result<Self, StatusError> {
        Ok(Self {
            container: params.text("container").to_owned(),
            is_insecure: params.flag("insecureSkipTLSVerifyBackend"),
            follow: params.flag("follow"),
            previous: params.flag("previous"),
            timestamps: params.flag("timestamps"),
            since_seconds: number(params, "sinceSeconds")?,
            since_time: params.get("sinceTime").map(since_time).transpose()?.flatten(),
            tail_lines: number(params, "tailLines")?,
            limit_bytes: number(params, "limitBytes")?,
            stream: params.get("stream").map(str::to_owned),
        })
    }

    /// Validates the parsed options.
    pub(super) fn check(&self, pod: &str) -> Result<(), StatusError> {
        let mut causes = Vec::new();
        let mut invalid = |field: &str, value: Option<i64>, least: i64, text: &str| {
            if let Some(value) = value.filter(|value| *value < least) {
                causes.push(cause(
                    field,
                    "FieldValueInvalid",
                    format!("Invalid value: {value}: {text}"),
                ));
            }
        };
        invalid("tailLines", self.tail_lines, 0, "must be greater than or equal to 0");
        invalid("limitBytes", self.limit_bytes, 1, "must be greater than 0");
        if self.since_seconds.is_some() && self.since_time.is_some() {
            let text = "Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified";
            causes.push(cause("[]", "FieldValueForbidden", text.into()));
        } else {
            invalid("sinceSeconds", self.since_seconds, 1, "must be greater than 0");
        }
        if self.stream.is_some() {
            let text = "Forbidden: may not be specified";
            causes.push(cause("stream", "FieldValueForbidden", text.into()));
        }
        match causes.is_empty() {
            true => Ok(()),
            false => Err(StatusError::invalid_object("PodLogOptions", "", pod, causes)),
        }
    }

    /// The kubelet's query, without default values.
    pub(super) fn query(&self) -> String {
        let format_number = |number: Option<i64>| number.map(|number| number.to_string());
        let format_flag = |flag: bool| flag.then(|| "true".to_owned());
        let pairs = [
            ("follow", format_flag(self.follow)),
            ("limitBytes", format_number(self.limit_bytes)),
            ("previous", format_flag(self.previous)),
            ("sinceSeconds", format_number(self.since_seconds)),
            ("sinceTime", self.since_time.clone()),
            ("tailLines", format_number(self.tail_lines)),
            ("timestamps", format_flag(self.timestamps)),
        ];
        let pairs: Vec<(&str, &str)> =
            pairs.iter().filter_map(|(name, value)| Some((*name, value.as_deref()?))).collect();
        escape::query(&pairs)
    }
}

fn cause(field: &str, reason: &'static str, message: String) -> StatusCause {
    StatusCause { reason, message, field: field.to_owned() }
}

fn number(params: &Params, name: &str) -> Result<Option<i64>, StatusError> {
    let Some(text) = params.get(name) else { return Ok(None) };
    let why = match text.parse() {
        Ok(number) => return Ok(Some(number)),
        Err(error) => error,
    };
    use std::num::IntErrorKind::{NegOverflow, PosOverflow};
    let why = match why.kind() {
        PosOverflow | NegOverflow => "value out of range",
        _ => "invalid syntax",
    };
    let text = ratchet_net::Quoted(text);
    Err(StatusError::bad_request(format!("strconv.ParseInt: parsing {text}: {why}")))
}

/// Parses `sinceTime` and formats it in whole seconds with its own offset; empty and `null` are none.
fn since_time(text: &str) -> Result<Option<String>, StatusError> {
    if text.is_empty() || text == "null" {
        return Ok(None);
    }
    let Some((time, offset)) = parse_time(text) else {
        return Err(StatusError::bad_request(time_error(text)));
    };
    let whole = time.to_zoned(offset.to_time_zone());
    let form = if offset == Offset::UTC { "%Y-%m-%dT%H:%M:%SZ" } else { "%Y-%m-%dT%H:%M:%S%:z" };
    Ok(Some(whole.strftime(form).to_string()))
}

/// Parses RFC 3339 as strictly as Go.
fn parse_time(text: &str) -> Option<(Timestamp, Offset)> {
    let bytes = text.as_bytes();
    let shape = b"0000-00-00T00:00:00";
    let fits = |(byte, form): (&u8, &u8)| match form {
        b'0' => byte.is_ascii_digit(),
        form => byte == form,
    };
    if bytes.len() <= shape.len() || !bytes.iter().zip(shape).all(fits) {
        return None;
    }
    let time: Timestamp = text.parse().ok()?;
    let zone =
        text.get(shape.len()..)?.trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
    let offset = match zone {
        "Z" => Offset::UTC,
        zone => {
            let (sign, rest) = zone.split_at_checked(1)?;
            let (hours, minutes) = rest.split_once(':')?;
            let seconds = hours.parse::<i32>().ok()? * 3600 + minutes.parse::<i32>().ok()? * 60;
            Offset::from_seconds(if sign == "-" { -seconds } else { seconds }).ok()?
        }
    };
    Some((time, offset))
}

/// Go's error message for an invalid time: names the first layout element that does not match.
fn time_error(text: &str) -> String {
    const PARTS: [(&str, usize); 13] = [
        ("2006", 4),
        ("-", 1),
        ("01", 2),
        ("-", 1),
        ("02", 2),
        ("T", 1),
        ("15", 2),
        (":", 1),
        ("04", 2),
        (":", 1),
        ("05", 2),
        ("", 0),
        ("Z07:00", 0),
    ];
    let mut rest = text;
    let mut missed = "Z07:00";
    for (part, length) in PARTS {
        if part.is_empty() {
            // An optional fraction of a second.
            let fraction = rest.strip_prefix(['.', ',']);
            rest =
                fraction.map_or(rest, |more| more.trim_start_matches(|c: char| c.is_ascii_digit()));
            continue;
        }
        let is_number = part.len() > 1;
        let piece = rest.get(..length).filter(|piece| match is_number {
            true => piece.bytes().all(|byte| byte.is_ascii_digit()),
            false => *piece == part,
        });
        match piece.filter(|_| length > 0) {
            Some(_) => rest = rest.get(length..).unwrap_or_default(),
            None => {
                missed = part;
                break;
            }
        }
    }
    let (text, rest) = (ratchet_net::Quoted(text), ratchet_net::Quoted(rest));
    format!(
        "parsing time {text} as \"2006-01-02T15:04:05Z07:00\": cannot parse {rest} as \"{missed}\""
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(query: &str) -> Result<LogOptions, String> {
        LogOptions::from_params(&Params::parse(Some(query))).map_err(|error| error.message)
    }

    fn validation_error(query: &str) -> String {
        let error = parse(query).unwrap().check("p").unwrap_err();
        assert_eq!((error.code, error.reason), (422, "Invalid"));
        error.message
    }

    #[test]
    fn the_kubelet_is_told_what_is_not_the_default() {
        let query = "timestamps=true&tailLines=5&sinceSeconds=10&previous=1&limitBytes=100&follow=maybe&container=c";
        let options = parse(query).unwrap();
        assert_eq!(options.check("p"), Ok(()));
        assert_eq!(
            options.query(),
            "follow=true&limitBytes=100&previous=true&sinceSeconds=10&tailLines=5&timestamps=true"
        );
        assert_eq!(parse("follow=false&previous=0&timestamps=FALSE").unwrap().query(), "");
        assert_eq!(
            parse("sinceTime=2026-01-02T03:04:05.678%2B02:00").unwrap().query(),
            "sinceTime=2026-01-02T03%3A04%3A05%2B02%3A00"
        );
        assert_eq!(
            parse("sinceTime=2026-01-02T03:04:05Z").unwrap().query(),
            "sinceTime=2026-01-02T03%3A04%3A05Z"
        );
    }

    #[test]
    fn what_cannot_be_read_is_refused_in_go_s_words() {
        for (query, message) in [
            ("tailLines=abc", r#"strconv.ParseInt: parsing "abc": invalid syntax"#),
            ("limitBytes=", r#"strconv.ParseInt: parsing "": invalid syntax"#),
            (
                "sinceSeconds=99999999999999999999",
                r#"strconv.ParseInt: parsing "99999999999999999999": value out of range"#,
            ),
            (
                "sinceTime=abc",
                r#"parsing time "abc" as "2006-01-02T15:04:05Z07:00": cannot parse "abc" as "2006""#,
            ),
            (
                "sinceTime=2026-1-2",
                r#"parsing time "2026-1-2" as "2006-01-02T15:04:05Z07:00": cannot parse "1-2" as "01""#,
            ),
            (
                "sinceTime=2026-01-02T03:04:05",
                r#"parsing time "2026-01-02T03:04:05" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "Z07:00""#,
            ),
        ] {
            assert_eq!(parse(query), Err(message.to_owned()), "{query}");
        }
    }

    #[test]
    fn what_cannot_be_had_is_refused_with_its_field() {
        for (query, message) in [
            ("tailLines=-1", "tailLines: Invalid value: -1: must be greater than or equal to 0"),
            ("limitBytes=0", "limitBytes: Invalid value: 0: must be greater than 0"),
            ("sinceSeconds=0", "sinceSeconds: Invalid value: 0: must be greater than 0"),
            (
                "sinceSeconds=1&sinceTime=2026-01-02T03:04:05Z",
                "[]: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified",
            ),
            ("stream=All", "stream: Forbidden: may not be specified"),
        ] {
            assert_eq!(
                validation_error(query),
                format!("PodLogOptions \"p\" is invalid: {message}"),
                "{query}"
            );
        }
        assert_eq!(
            validation_error("tailLines=-1&limitBytes=0"),
            "PodLogOptions \"p\" is invalid: [tailLines: Invalid value: -1: must be greater than or equal to 0, limitBytes: Invalid value: 0: must be greater than 0]"
        );
    }
}
