//! Static token file: `token,user,uid,"group1,group2"`, one per line.

use ratchet_access::User;
use std::collections::HashMap;
use std::fmt;

/// Static tokens and their users.
#[derive(Default)]
pub struct TokenFile {
    tokens: HashMap<String, User>,
    /// Suspicious lines that are no errors: lines without a token, duplicate tokens.
    pub warnings: Vec<String>,
}

/// Why a token file cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("token file line {line}: {why}")]
pub struct TokenFileError {
    /// The line, from one.
    pub line: usize,
    /// The error in the line.
    pub why: String,
}

/// Tokens are not printed.
impl fmt::Debug for TokenFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenFile").field("tokens", &self.tokens.len()).finish_non_exhaustive()
    }
}

impl TokenFile {
    /// Parses the content of the file.
    pub fn parse(content: &str) -> Result<Self, TokenFileError> {
        let mut file = Self::default();
        for (line, record) in records(content)? {
            let [token, name, uid, rest @ ..] = record.as_slice() else {
                let why = "must have at least 3 columns (token, user name, user uid), found";
                return Err(TokenFileError { line, why: format!("{why} {}", record.len()) });
            };
            if token.is_empty() {
                file.warnings.push(format!("line {line}: empty token"));
                continue;
            }
            let groups = rest.first().map(|groups| groups.split(',').map(Into::into).collect());
            let groups = groups.unwrap_or_default();
            let mut user = User { name: name.clone(), uid: uid.clone(), groups, extra: Vec::new() };
            // Now, and not with every request.
            user.add_authenticated_group();
            if file.tokens.insert(token.clone(), user).is_some() {
                file.warnings.push(format!("line {line}: duplicate token"));
            }
        }
        Ok(file)
    }

    /// The user of the token.
    pub fn user(&self, token: &str) -> Option<&User> {
        self.tokens.get(token)
    }
}

type Record = (usize, Vec<String>);

/// The records of a CSV text, each with its first line; empty lines are no records.
fn records(content: &str) -> Result<Vec<Record>, TokenFileError> {
    let mut records = Vec::new();
    let (mut line, mut rest) = (1, content);
    while !rest.is_empty() {
        let begin = line;
        let mut record = Vec::new();
        loop {
            let (value, rest_after) = field(rest, &mut line)?;
            record.push(value);
            rest = rest_after;
            match rest.strip_prefix(',') {
                Some(rest_after) => rest = rest_after,
                None => break,
            }
        }
        if let Some(rest_after) = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n')) {
            rest = rest_after;
            line += 1;
        }
        if record.iter().any(|value| !value.is_empty()) || record.len() > 1 {
            records.push((begin, record));
        }
    }
    Ok(records)
}

/// The next field and the rest of the text: a comma, the end of the line, or nothing.
fn field<'t>(text: &'t str, line: &mut usize) -> Result<(String, &'t str), TokenFileError> {
    if let Some(quoted) = text.strip_prefix('"') {
        return quoted_field(quoted, line);
    }
    let end = text.find([',', '\n']).unwrap_or(text.len());
    let (value, rest) = text.split_at(end);
    let (value, rest) = match value.strip_suffix('\r') {
        Some(plain) if !rest.starts_with(',') => (plain, rest),
        _ => (value, rest),
    };
    if value.contains('"') {
        return Err(TokenFileError { line: *line, why: "bare \" in non-quoted field".into() });
    }
    Ok((value.into(), rest))
}

/// The field after an opening quote; two quotes are one.
fn quoted_field<'t>(text: &'t str, line: &mut usize) -> Result<(String, &'t str), TokenFileError> {
    let error = |line, why: &str| TokenFileError { line, why: why.into() };
    let (begin, mut value, mut rest) = (*line, String::new(), text);
    loop {
        let Some((part, rest_after)) = rest.split_once('"') else {
            return Err(error(begin, "extraneous or missing \" in quoted-field"));
        };
        value.push_str(part);
        *line += part.matches('\n').count();
        match rest_after.strip_prefix('"') {
            Some(rest_after) => {
                value.push('"');
                rest = rest_after;
            }
            None if rest_after.is_empty()
                || rest_after.starts_with([',', '\n'])
                || rest_after.starts_with("\r\n") =>
            {
                return Ok((value, rest_after));
            }
            None => return Err(error(*line, "extraneous or missing \" in quoted-field")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn tokens_are_read() {
        let file = TokenFile::parse(
            "abc,alice,1,\"g1,g2\"\r\n\ndef,\"bob \"\"b\"\"\",2\n,none,3\nabc,carol,4,g3,more\n",
        );
        let file = file.expect("fine");
        let carol = file.user("abc").expect("there");
        assert_eq!(carol.name, "carol");
        assert_eq!(carol.groups, ["g3", "system:authenticated"]);
        let bob = file.user("def").expect("there");
        assert_eq!((bob.name.as_str(), bob.uid.as_str()), ("bob \"b\"", "2"));
        assert_eq!(bob.groups, ["system:authenticated"]);
        assert_eq!(file.user(""), None);
        assert_eq!(file.warnings, ["line 4: empty token", "line 5: duplicate token"]);
        assert!(!format!("{file:?}").contains("abc"));
    }

    #[test]
    fn groups_of_one_column_are_several() {
        let file = TokenFile::parse("t,alice,1,\"g1,g2\"").expect("fine");
        assert_eq!(file.user("t").map(|user| user.groups.len()), Some(3));
    }

    #[test]
    fn errors_name_the_line() {
        for (content, line, why) in [
            (
                "a,b,c\nx,y\n",
                2,
                "must have at least 3 columns (token, user name, user uid), found 2",
            ),
            ("a,b,c\n\nx\"y,b,c", 3, "bare \" in non-quoted field"),
            ("a,b,\"c\nd", 1, "extraneous or missing \" in quoted-field"),
            ("a,b,c\na,b,\"c\"d", 2, "extraneous or missing \" in quoted-field"),
        ] {
            let error = TokenFile::parse(content).expect_err("refused");
            assert_eq!((error.line, error.why.as_str()), (line, why));
        }
        let error = TokenFile::parse("x").expect_err("refused").to_string();
        assert!(error.starts_with("token file line 1: must have"), "{error}");
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(content in "[a,\"\r\n ]{0,40}") {
            let _ = TokenFile::parse(&content);
        }

        #[test]
        fn quoted_fields_come_back(name in "[a-z\",\n]{1,12}") {
            let quoted = name.replace('"', "\"\"");
            let file = TokenFile::parse(&format!("t,\"{quoted}\",1")).expect("fine");
            prop_assert_eq!(&file.user("t").expect("there").name, &name);
        }
    }
}
