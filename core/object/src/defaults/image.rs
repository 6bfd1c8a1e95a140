//! Image references: whether one means the tag `latest`.

/// The registry of references that name none.
const DEFAULT_DOMAIN: &str = "docker.io";
/// The longest path of a repository.
const MAX_PATH: usize = 255;

/// Whether the pull policy defaults to `Always`: the tag is `latest`, or there is neither tag nor
/// digest. An invalid reference has no tag.
pub(super) fn is_latest(image: &str) -> bool {
    if image.len() == 64 && image.bytes().all(is_low_hex) {
        return false;
    }
    let (domain, rest) = split_domain(image);
    let (name, digest) = match rest.split_once('@') {
        Some((name, digest)) => (name, Some(digest)),
        None => (rest, None),
    };
    let (path, tag) = match name.split_once(':') {
        Some((path, tag)) => (path, Some(tag)),
        None => (name, None),
    };
    let is_named = (is_domain(domain) || is_component(domain))
        && path.split('/').all(is_component)
        && full_length(domain, path) <= MAX_PATH;
    is_named
        && match (tag, digest) {
            (None, None) => true,
            (Some("latest"), None) => true,
            (Some("latest"), Some(digest)) => is_digest(digest),
            _ => false,
        }
}

/// Splits a reference into registry and path, with the default registry if it names none.
fn split_domain(image: &str) -> (&str, &str) {
    match image.split_once('/') {
        Some((domain, rest)) if looks_like_domain(domain) => (domain, rest),
        _ => (DEFAULT_DOMAIN, image),
    }
}

fn looks_like_domain(text: &str) -> bool {
    text == "localhost" || text.contains(['.', ':']) || text.chars().any(char::is_uppercase)
}

/// The length of the path with the implied `library/` of short names at the default registry.
fn full_length(domain: &str, path: &str) -> usize {
    let is_short = matches!(domain, DEFAULT_DOMAIN | "index.docker.io") && !path.contains('/');
    path.len() + if is_short { "library/".len() } else { 0 }
}

fn is_domain(text: &str) -> bool {
    let (host, port) = match text.strip_prefix('[') {
        Some(_) => match text.split_once(']') {
            Some((host, rest)) => (host, rest),
            None => return false,
        },
        None => text.split_at(text.find(':').unwrap_or(text.len())),
    };
    let is_host = match host.strip_prefix('[') {
        Some(address) => {
            !address.is_empty() && address.bytes().all(|b| b.is_ascii_hexdigit() || b == b':')
        }
        None => host.split('.').all(is_domain_label),
    };
    let is_port = match port.strip_prefix(':') {
        Some(digits) => !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()),
        None => port.is_empty(),
    };
    is_host && is_port
}

fn is_domain_label(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with('-')
        && !text.ends_with('-')
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

/// Whether a path component has lower case letters and digits, joined by a dot, one or two underscores, or dashes.
fn is_component(text: &str) -> bool {
    let is_plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let is_edge_plain =
        text.bytes().next().is_some_and(is_plain) && text.bytes().next_back().is_some_and(is_plain);
    is_edge_plain
        && text
            .split(|letter: char| u8::try_from(letter).is_ok_and(is_plain))
            .all(|gap| matches!(gap, "" | "." | "_" | "__") || gap.bytes().all(|b| b == b'-'))
}

/// Whether a text is a digest by one of the algorithms that Go registers.
fn is_digest(text: &str) -> bool {
    const ALGORITHMS: [(&str, usize); 3] = [("sha256", 64), ("sha384", 96), ("sha512", 128)];
    text.split_once(':').is_some_and(|(algorithm, hex)| {
        ALGORITHMS.contains(&(algorithm, hex.len())) && hex.bytes().all(is_low_hex)
    })
}

fn is_low_hex(letter: u8) -> bool {
    matches!(letter, b'0'..=b'9' | b'a'..=b'f')
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn no_tag_and_latest_are_latest() {
        for image in [
            "nginx",
            "nginx:latest",
            "library/nginx",
            "registry.k8s.io/pause",
            "localhost:5000/a/b__c--d.e:latest",
            "[::1]:5000/a",
            "my_registry.io/foo",
            "HOST/foo",
        ] {
            assert!(is_latest(image), "{image}");
        }
        let digest = "a".repeat(64);
        assert!(is_latest(&format!("nginx:latest@sha256:{digest}")));
    }

    #[test]
    fn other_tags_digests_and_nonsense_are_not() {
        for image in [
            "",
            "nginx:1",
            "localhost:5000/a:1",
            "Nginx",
            "a/B",
            " nginx",
            "nginx:",
            "a//b",
            "a...b",
            "a___b",
            "-a",
            "[::1/a",
            "host:port/a",
            "nginx@sha256:short",
            "nginx:latest@sha256:short",
            "é",
        ] {
            assert!(!is_latest(image), "{image}");
        }
        let digest = "a".repeat(64);
        assert!(!is_latest(&digest));
        assert!(!is_latest(&format!("nginx@sha256:{digest}")));
        assert!(!is_latest(&format!("nginx:1@sha256:{digest}")));
        assert!(!is_latest(&"a".repeat(250)));
        assert!(is_latest(&"a".repeat(247)));
    }
}
