//! `--runtime-config`: parser of enabled and disabled APIs, checked against the catalog.

use super::values;

/// Keys that enable or disable whole classes of versions.
const CLASSES: [&str; 4] = ["api/all", "api/ga", "api/beta", "api/alpha"];

/// Parses entries of `group/version[/resource]` or a class, and whether it is enabled; the last of equal keys wins.
pub(crate) fn parse(texts: &[String]) -> Result<Vec<(String, bool)>, String> {
    let entries = entries(texts);
    if let [(key, value)] = entries.as_slice()
        && (*key, *value) == ("api/all", "false")
    {
        return Err("invalid runtime-config with only api/all=false".into());
    }
    let mut unknown = Vec::new();
    for (key, _) in entries.iter().filter(|(key, _)| !CLASSES.contains(key)) {
        let parts: Vec<&str> = key.split('/').collect();
        let ([group, version] | [group, version, _]) = *parts.as_slice() else {
            return Err(format!("runtime-config invalid key {key}"));
        };
        if !groups().any(|known| known == group) {
            unknown.push(format!("{group}/{version}"));
        }
    }
    unknown.sort_unstable();
    unknown.dedup();
    if !unknown.is_empty() {
        return Err(format!("unknown api groups {}", unknown.join(",")));
    }
    entries.into_iter().map(parse_entry).collect()
}

fn entries(texts: &[String]) -> Vec<(&str, &str)> {
    let mut entries: Vec<(&str, &str)> = Vec::new();
    for item in texts.iter().flat_map(|text| text.split(',')).filter(|item| !item.is_empty()) {
        let (key, value) = item.split_once('=').unwrap_or((item, ""));
        let (key, value) = (key.trim(), value.trim());
        entries.retain(|(other, _)| *other != key);
        entries.push((key, value));
    }
    entries
}

fn parse_entry((key, value): (&str, &str)) -> Result<(String, bool), String> {
    let on = match (CLASSES.contains(&key), value) {
        (true, "true") | (false, "") => true,
        (true, "false") => false,
        (true, _) => return Err(format!("invalid value {key}={value}")),
        (false, _) => {
            check(key)?;
            values::boolean(value)
                .map_err(|why| format!("invalid value of {key}: {value}, err: {why}"))?
        }
    };
    if value.is_empty() {
        check(key)?;
    }
    Ok((key.to_owned(), on))
}

/// Checks that a key names a served version, and a lowercase resource.
fn check(key: &str) -> Result<(), String> {
    let mut parts = key.splitn(3, '/');
    let (group, version) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let core = if group == "api" { "" } else { group };
    let is_there =
        |one: &ratchet_catalog::Servable| one.row.group == core && one.row.version == version;
    if !ratchet_catalog::servable().iter().any(is_there) && !REGISTERED.contains(&(core, version)) {
        return Err(format!("group version {group}/{version} that has not been registered"));
    }
    match parts.next() {
        Some(resource) if resource.to_lowercase() != resource => Err(format!(
            "invalid key {key}: group/version/resource and resource is always lowercase plural, not \"{resource}\""
        )),
        _ => Ok(()),
    }
}

/// The known groups; `api` is the core group.
fn groups() -> impl Iterator<Item = &'static str> {
    let of = |one: ratchet_catalog::Servable| match one.row.group {
        "" => "api",
        group => group,
    };
    let registered = REGISTERED.iter().map(|(group, _)| *group);
    ratchet_catalog::servable().into_iter().map(of).chain(registered)
}

/// Versions that 1.36 knows and that have no resources any more: they can be named, and nothing comes of it.
const REGISTERED: &[(&str, &str)] = &[
    ("admission.k8s.io", "v1"),
    ("admission.k8s.io", "v1beta1"),
    ("apiextensions.k8s.io", "v1beta1"),
    ("apiregistration.k8s.io", "v1beta1"),
    ("apps", "v1beta1"),
    ("apps", "v1beta2"),
    ("authentication.k8s.io", "v1alpha1"),
    ("authentication.k8s.io", "v1beta1"),
    ("authorization.k8s.io", "v1beta1"),
    ("batch", "v1beta1"),
    ("discovery.k8s.io", "v1beta1"),
    ("events.k8s.io", "v1beta1"),
    ("extensions", "v1beta1"),
    ("flowcontrol.apiserver.k8s.io", "v1beta1"),
    ("flowcontrol.apiserver.k8s.io", "v1beta2"),
    ("flowcontrol.apiserver.k8s.io", "v1beta3"),
    ("imagepolicy.k8s.io", "v1alpha1"),
    ("node.k8s.io", "v1beta1"),
    ("policy", "v1beta1"),
    ("rbac.authorization.k8s.io", "v1alpha1"),
    ("rbac.authorization.k8s.io", "v1beta1"),
    ("scheduling.k8s.io", "v1beta1"),
    ("storage.k8s.io", "v1alpha1"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Vec<(String, bool)>, String> {
        parse(&[text.to_owned()])
    }

    #[test]
    fn what_is_asked_for() {
        assert_eq!(of(""), Ok(Vec::new()));
        let on = |key: &str, on: bool| (key.to_owned(), on);
        assert_eq!(of("api/all=true"), Ok(vec![on("api/all", true)]));
        assert_eq!(
            of("api/all=false,apps/v1=true,batch/v1/cronjobs=0,api/v1"),
            Ok(vec![
                on("api/all", false),
                on("apps/v1", true),
                on("batch/v1/cronjobs", false),
                on("api/v1", true),
            ])
        );
        let beta = "resource.k8s.io/v1beta1,flowcontrol.apiserver.k8s.io/v1beta3=true";
        let keys: Vec<_> = of(beta).unwrap().into_iter().map(|(key, _)| key).collect();
        assert_eq!(keys, ["resource.k8s.io/v1beta1", "flowcontrol.apiserver.k8s.io/v1beta3"]);
        assert_eq!(of("apps/v1=false,apps/v1=true"), Ok(vec![on("apps/v1", true)]));
    }

    #[test]
    fn what_cannot_be_had() {
        for (text, why) in [
            ("api/all=false", "invalid runtime-config with only api/all=false"),
            ("foo", "runtime-config invalid key foo"),
            ("a/b/c/d=true", "runtime-config invalid key a/b/c/d"),
            ("foo/v1=true,bar/v1", "unknown api groups bar/v1,foo/v1"),
            ("apps/v9=true", "group version apps/v9 that has not been registered"),
            ("api/beta=maybe", "invalid value api/beta=maybe"),
            (
                "apps/v1=maybe",
                "invalid value of apps/v1: maybe, err: strconv.ParseBool: parsing \"maybe\": invalid syntax",
            ),
            (
                "apps/v1/Deployments=true",
                "invalid key apps/v1/Deployments: group/version/resource and resource is always lowercase plural, not \"Deployments\"",
            ),
        ] {
            assert_eq!(of(text), Err(why.into()), "{text}");
        }
    }
}
