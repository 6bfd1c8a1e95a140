//! `Case`, a case file: an example object (or the stored and the proposed one) and its expected verdict.
//!
//! `cases/<RULE-ID>/<admits|refuses|warns>-<slug>.yaml`; the keys of a file are in [`KEYS`].

use ratchet_engine::pod_security::{Configuration, Exemptions};
use ratchet_engine::{ApiConfig, Behavior, Change, Existing, Facts, Namespace, Part, Release};
use ratchet_object::{Limits, Node, Object, Value, decode, schema_violations};
use std::fs;
use std::path::{Path, PathBuf};

/// One case.
pub(crate) struct Case {
    /// Folder and file name.
    pub(crate) name: String,
    /// The rule that the case is about.
    pub(crate) rule: String,
    /// The outcome in the file name.
    pub(crate) side: Side,
    /// The input.
    pub(crate) subject: Subject,
    /// The expected outcome.
    pub(crate) want: Want,
}

/// The outcome for the rule, as the file name states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Admitted, without an error or warning from the rule.
    Admits,
    /// Refused, with an error from the rule.
    Refuses,
    /// Admitted, with a warning from the rule.
    Warns,
}

/// The input.
pub(crate) enum Subject {
    /// A change, for the engine.
    Change(Box<Proposal>),
    /// A text, for the door that decodes it.
    Text(String),
}

/// A change with its policy and facts.
pub(crate) struct Proposal {
    config: ApiConfig,
    part: Option<String>,
    namespace: Option<Node<'static>>,
    existing: Vec<Object<'static>>,
    old: Option<Object<'static>>,
    new: Object<'static>,
}

/// The expected outcome; an absent key means that there must be nothing.
#[derive(Debug, Default)]
pub(crate) struct Want {
    /// The message of the Status.
    pub(crate) status: Option<String>,
    /// The number of causes of the Status; not compared if absent.
    pub(crate) causes: Option<usize>,
    /// The rules that report anything, sorted and distinct.
    pub(crate) rules: Vec<String>,
    /// The warnings, in order.
    pub(crate) warnings: Vec<String>,
    /// The difference between proposal and release that an error refers to.
    pub(crate) difference: Option<String>,
    /// The fields that a door reports.
    pub(crate) fields: Vec<String>,
}

/// The allowed keys of a case and its parts: a misspelled key is an error.
const KEYS: [&str; 10] =
    ["why", "policy", "part", "namespace", "existing", "old", "new", "door", "text", "want"];
const POLICY_KEYS: [&str; 6] = ["release", "behavior", "gates", "plugins", "emulated", "exempt"];
const WANT_KEYS: [&str; 6] = ["status", "causes", "rules", "warnings", "difference", "fields"];

impl Proposal {
    /// The policy of the case.
    pub(crate) fn config(&self) -> &ApiConfig {
        &self.config
    }

    /// The change; `None` where its kind or its subresource is not in the table.
    pub(crate) fn change(&self) -> Option<Change<'_>> {
        let change = match &self.old {
            None => Change::create(&self.new)?,
            Some(old) => Change::update(old, &self.new)?,
        };
        let Some(part) = &self.part else { return Some(change) };
        // Kinds that no rule names have a status without a row.
        if part == "status" {
            return Some(change.through(Part::STATUS));
        }
        let part = self.new.kind()?.subresources.iter().find(|name| *name == part)?;
        Some(change.through(Part::Sub(part)))
    }

    /// The facts of the case.
    pub(crate) fn facts(&self) -> Facts<'_> {
        Facts {
            namespace: Namespace::Labels(self.namespace.as_ref()),
            requester: None,
            existing_pods: Existing::Pods {
                pods: self.existing.iter().collect(),
                budget: ratchet_engine::EXISTING_PODS_BUDGET,
            },
        }
    }
}

/// Every case, sorted by name; an unusable file gives its error.
pub(crate) fn cases() -> Vec<Result<Case, String>> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../cases");
    let files = entries(&root).into_iter().filter(|path| path.is_dir());
    files
        .flat_map(|folder| entries(&folder))
        .map(|file| {
            let name = file.strip_prefix(&root).unwrap_or(&file).display().to_string();
            parse(&file, &name).map_err(|error| format!("{name}: {error}"))
        })
        .collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(found) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = found.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn parse(file: &Path, name: &str) -> Result<Case, String> {
    let (rule, stem) = name
        .strip_suffix(".yaml")
        .and_then(|name| name.split_once('/'))
        .ok_or("must be <RULE-ID>/<name>.yaml")?;
    let side = match stem.split_once('-') {
        Some(("admits", _)) => Side::Admits,
        Some(("refuses", _)) => Side::Refuses,
        Some(("warns", _)) => Side::Warns,
        _ => return Err("its name must begin with admits-, refuses- or warns-".into()),
    };
    let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
    let decoded = decode(&text, Limits::DEFAULT).map_err(|error| error.to_string())?;
    if let Some(repeated) = decoded.repeated.first() {
        return Err(format!("{} stands twice", repeated.path));
    }
    let [document] = decoded.documents.as_slice() else {
        return Err("must hold one document".into());
    };
    check_keys(document, &KEYS)?;
    if text_of(document, "why")?.is_none() {
        return Err("does not say why".into());
    }
    let subject = subject(document)?;
    let want = want(document.get("want").ok_or("does not say what it wants")?)?;
    Ok(Case { name: name.into(), rule: rule.into(), side, subject, want })
}

fn subject(document: &Node<'_>) -> Result<Subject, String> {
    let objects = |name| document.get(name).map(Node::items).unwrap_or_default();
    if document.get("door").is_some() {
        let text = text_of(document, "text")?.ok_or("has a door but no text")?;
        return Ok(Subject::Text(text));
    }
    Ok(Subject::Change(Box::new(Proposal {
        config: config(document.get("policy"))?,
        part: text_of(document, "part")?,
        namespace: document.get("namespace").cloned().map(Node::into_owned),
        existing: objects("existing").iter().map(object).collect::<Result<_, _>>()?,
        old: document.get("old").map(object).transpose()?,
        new: object(document.get("new").ok_or("has no new object")?)?,
    })))
}

/// An object that conforms to the schema of its kind, so that no misspelled field hides a rule.
fn object(node: &Node<'_>) -> Result<Object<'static>, String> {
    let object = Object::new(node.clone().into_owned());
    match schema_violations(&object).first() {
        None => Ok(object),
        Some(violation) => Err(format!("{} does not fit: {:?}", violation.path, violation.kind)),
    }
}

fn config(node: Option<&Node<'_>>) -> Result<ApiConfig, String> {
    let mut config = ApiConfig::of(Release::REFERENCE, Behavior::Released);
    let Some(node) = node else { return Ok(config) };
    check_keys(node, &POLICY_KEYS)?;
    let release = |name| match text_of(node, name)? {
        None => Ok(None),
        Some(text) => text.parse().map(Some).map_err(|_| format!("{text} is no release")),
    };
    let behavior = match text_of(node, "behavior")?.as_deref() {
        None | Some("released") => Behavior::Released,
        Some("proposal") => Behavior::Proposal,
        Some(other) => return Err(format!("{other} is no behavior")),
    };
    config = ApiConfig::of(release("release")?.unwrap_or(config.release), behavior);
    if let Some(emulated) = release("emulated")? {
        config.emulated = emulated;
        config.gates = config.gates.emulating(emulated);
    }
    if let Some(gates) = text_of(node, "gates")? {
        config.gates.apply(&[gates]).map_err(|error| error.to_string())?;
    }
    for plugin in texts_of(node, "plugins")? {
        match plugin.as_str() {
            "DenyServiceExternalIPs" => config.plugins.deny_external_ips = true,
            other => return Err(format!("{other} is no plugin")),
        }
    }
    let exemptions = Exemptions { namespaces: texts_of(node, "exempt")?, ..Exemptions::default() };
    config.pod_security = Configuration { exemptions, ..Configuration::default() };
    Ok(config)
}

fn want(node: &Node<'_>) -> Result<Want, String> {
    check_keys(node, &WANT_KEYS)?;
    let causes = match node.get("causes").map(|node| &node.value) {
        None => None,
        Some(Value::Int(count)) => usize::try_from(*count).ok(),
        Some(_) => return Err("causes must be a number".into()),
    };
    Ok(Want {
        status: text_of(node, "status")?,
        causes,
        rules: texts_of(node, "rules")?,
        warnings: texts_of(node, "warnings")?,
        difference: text_of(node, "difference")?,
        fields: texts_of(node, "fields")?,
    })
}

fn check_keys(node: &Node<'_>, keys: &[&str]) -> Result<(), String> {
    match node.entries().iter().find(|entry| !keys.contains(&entry.key.as_ref())) {
        None => Ok(()),
        Some(entry) => Err(format!("{} means nothing here", entry.key)),
    }
}

fn text_of(node: &Node<'_>, name: &str) -> Result<Option<String>, String> {
    match node.get(name) {
        None => Ok(None),
        Some(node) => node.text().map(|text| Some(text.into())).ok_or(format!("{name}: no text")),
    }
}

fn texts_of(node: &Node<'_>, name: &str) -> Result<Vec<String>, String> {
    let items = node.get(name).map(Node::items).unwrap_or_default();
    items
        .iter()
        .map(|item| item.text().map(String::from).ok_or(format!("{name}: no text")))
        .collect()
}
