//! `--version`: whether the version is printed, and which version the server reports.

use super::values;
use ratchet_engine::{ApiConfig, Behavior, Release};
use ratchet_net::Quoted;

/// What `--version` asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum VersionFlag {
    /// Nothing: `--version=false`, or no flag.
    Serve,
    /// One line, as `--version`.
    Print,
    /// All that is known of the version, as `--version=raw`.
    PrintRaw,
    /// To serve and to report another version, as `--version=v1.36.4-custom`.
    Report(String),
}

/// Parses the value of the flag as kube-apiserver does.
pub(crate) fn parse(text: &str) -> Result<VersionFlag, String> {
    match text {
        "raw" => Ok(VersionFlag::PrintRaw),
        text if text.starts_with('v') => {
            check(text, &own_version()).map(|()| VersionFlag::Report(text.to_owned()))
        }
        text => Ok(match values::boolean(text)? {
            true => VersionFlag::Print,
            false => VersionFlag::Serve,
        }),
    }
}

impl VersionFlag {
    /// What is printed instead of serving.
    pub(crate) fn printed(&self) -> Option<String> {
        let version = own_version();
        match self {
            Self::Serve | Self::Report(_) => None,
            Self::Print => Some(format!("Kubernetes {version}")),
            Self::PrintRaw => {
                let (major, minor, _) = numbers(&version).unwrap_or_default();
                let fields = [
                    ("Major", major.to_string()),
                    ("Minor", minor.to_string()),
                    ("EmulationMajor", String::new()),
                    ("EmulationMinor", String::new()),
                    ("MinCompatibilityMajor", String::new()),
                    ("MinCompatibilityMinor", String::new()),
                    ("GitVersion", version),
                    ("GitCommit", String::new()),
                    ("GitTreeState", "clean".to_owned()),
                    ("BuildDate", "1970-01-01T00:00:00Z".to_owned()),
                    ("GoVersion", String::new()),
                    ("Compiler", "rustc".to_owned()),
                    ("Platform", ratchet_server::PLATFORM.to_owned()),
                ];
                let fields = fields.map(|(name, value)| format!("{name}:{}", Quoted(&value)));
                Some(format!("version.Info{{{}}}", fields.join(", ")))
            }
        }
    }

    /// The version that the server reports instead of its own.
    pub(crate) fn reported(self) -> Option<String> {
        match self {
            Self::Report(version) => Some(version),
            Self::Serve | Self::Print | Self::PrintRaw => None,
        }
    }
}

fn own_version() -> String {
    ratchet_server::git_version(&ApiConfig::of(Release::REFERENCE, Behavior::Released))
}

/// Refuses a version that is not semantic, or of another release than this server's.
fn check(version: &str, own: &str) -> Result<(), String> {
    if version == own {
        return Ok(());
    }
    let given = numbers(version)?;
    if Ok(given) == numbers(own) {
        return Ok(());
    }
    let (version, own) = (Quoted(version), Quoted(own));
    Err(format!("version {version} must match major/minor/patch of default version {own}"))
}

/// The three numbers of a semantic version.
fn numbers(version: &str) -> Result<(u64, u64, u64), String> {
    let quoted = Quoted(version);
    let bare = version.strip_prefix('v').unwrap_or(version);
    let is_number = |letter: char| letter.is_ascii_digit() || letter == '.';
    let (digits, extra) =
        bare.split_at(bare.find(|letter| !is_number(letter)).unwrap_or(bare.len()));
    // A dot that no digit follows is not one of the numbers.
    let digits = digits.trim_end_matches('.');
    let extra = bare.strip_prefix(digits).unwrap_or(extra);
    let components: Vec<&str> = digits.split('.').collect();
    if components.first().is_none_or(|first| first.is_empty()) {
        return Err(format!("could not parse {quoted} as version"));
    }
    let &[major, minor, patch] = components.as_slice() else {
        return Err(format!("illegal version string {quoted}"));
    };
    let number = |text: &str| match text.strip_prefix('0') {
        Some("") => Ok(0),
        Some(_) => {
            Err(format!("illegal zero-prefixed version component {} in {quoted}", Quoted(text)))
        }
        None => text.parse::<u64>().map_err(|_| format!("illegal version string {quoted}")),
    };
    let numbers = (number(major)?, number(minor)?, number(patch)?);
    if !is_extra(extra) {
        return Err(format!("could not parse pre-release/metadata ({extra}) in version {quoted}"));
    }
    Ok(numbers)
}

/// Whether a text is a pre-release and metadata: `-a.b+c`, each of them optional.
fn is_extra(text: &str) -> bool {
    let are_words = |text: &str| {
        let is_word = |word: &str| {
            !word.is_empty()
                && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        };
        text.split('.').all(is_word)
    };
    let (before, metadata) = match text.split_once('+') {
        Some((before, metadata)) => (before, Some(metadata)),
        None => (text, None),
    };
    let is_pre_release = match before.strip_prefix('-') {
        Some(words) => are_words(words),
        None => before.is_empty(),
    };
    is_pre_release && metadata.is_none_or(are_words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_printed_or_reported() {
        assert_eq!(parse("true"), Ok(VersionFlag::Print));
        assert_eq!(parse("0"), Ok(VersionFlag::Serve));
        assert_eq!(
            parse("maybe"),
            Err("strconv.ParseBool: parsing \"maybe\": invalid syntax".to_owned())
        );
        let custom = parse("v1.36.4-custom").unwrap();
        assert_eq!(custom.printed(), None);
        assert_eq!(custom.reported(), Some("v1.36.4-custom".to_owned()));
        let line = VersionFlag::Print.printed().unwrap();
        assert!(line.starts_with("Kubernetes v1.36.4+ratchet-"), "{line}");
        let raw = parse("raw").unwrap().printed().unwrap();
        assert!(raw.starts_with("version.Info{Major:\"1\", Minor:\"36\", "), "{raw}");
    }

    #[test]
    fn only_versions_of_this_release_are_reported() {
        let check = |version| check(version, "v1.36.4+own-1.0.0");
        for good in ["v1.36.4", "v1.36.4-a.b+c", "v1.36.4+c-d", "v1.36.4+own-1.0.0"] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for (bad, why) in [
            (
                "v1.36.5",
                "version \"v1.36.5\" must match major/minor/patch of default version \"v1.36.4+own-1.0.0\"",
            ),
            ("v1.36", "illegal version string \"v1.36\""),
            ("vx", "could not parse \"vx\" as version"),
            ("v1.036.4", "illegal zero-prefixed version component \"036\" in \"v1.036.4\""),
            ("v1.36.4_x", "could not parse pre-release/metadata (_x) in version \"v1.36.4_x\""),
            ("v1.36.4-", "could not parse pre-release/metadata (-) in version \"v1.36.4-\""),
        ] {
            assert_eq!(check(bad), Err(why.to_owned()));
        }
    }
}
