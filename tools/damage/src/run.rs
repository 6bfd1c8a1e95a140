//! A whole run: every member of every base, damaged in every way that fits, to both servers.

use crate::answer::Answer;
use crate::args::DamageArgs;
use crate::bases::{self, Base};
use crate::damages::DAMAGES;
use crate::members::{Member, MemberWalk};
use crate::path::Change;
use crate::report::{Difference, Group, Report};
use anyhow::{Context, Result, ensure};
use api_load::{ApiRequest, Connection, Endpoint, RequestFailure};
use hyper::Method;
use serde_json::{Value, json};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::task::JoinSet;

/// The namespace of the bases.
const NAMESPACE: &str = "damage";

/// How many of a hundred damages are also sent as updates, and how many are sent with warnings instead of errors for unknown
/// fields.
const UPDATES: u64 = 40;
const WARNED: u64 = 15;

/// One request to both servers.
struct Trial {
    base: usize,
    member: Member,
    /// The sort of damage.
    name: &'static str,
    change: Change,
    is_update: bool,
}

/// A base, and the objects that the servers have stored for it, if they could.
struct Stored {
    base: Base,
    objects: Option<(Value, Value)>,
}

/// What the clients share.
struct Work {
    bases: Vec<Stored>,
    trials: Vec<Trial>,
    next: AtomicUsize,
    report: Mutex<Report>,
    seed: u64,
}

/// Runs what the arguments say; `progress` is told what begins.
pub async fn run(args: &DamageArgs, mut progress: impl FnMut(&str)) -> Result<Report> {
    let endpoints = args.targets.endpoints()?;
    let [first, second]: [Endpoint; 2] = endpoints
        .try_into()
        .ok()
        .context("there is no second server: give its URL with --compare")?;
    let (first, second) = (Arc::new(first), Arc::new(second));
    let mut pair = Pair::new(&first, &second);
    let namespace =
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}});
    pair.ask(Method::POST, "/api/v1/namespaces", &namespace, &namespace).await?;

    let mut report = Report::default();
    let mut bases = Vec::new();
    for base in bases::read()? {
        if args.kinds.is_empty() || args.kinds.iter().any(|kind| kind == base.kind.kind) {
            // Alpha and beta versions are not served unless they are asked for.
            if base.kind.version == "v1" || pair.serves(&base).await? {
                bases.push(pair.store(base, &mut report).await?);
            }
        }
    }
    ensure!(!bases.is_empty(), "there is no base of {}", args.kinds.join(", "));
    let trials = trials(&bases, args);
    progress(&format!("{} requests of {} objects", trials.len(), bases.len()));
    report.requested += trials.len();
    let work = Work {
        bases,
        trials,
        next: AtomicUsize::new(0),
        report: Mutex::new(report),
        seed: args.seed,
    };
    let work = Arc::new(work);
    let mut clients = JoinSet::new();
    for _ in 0..args.clients {
        clients.spawn(client(work.clone(), Pair::new(&first, &second)));
    }
    while let Some(ended) = clients.join_next().await {
        ended.context("a client ended")??;
    }
    for Stored { base, objects } in &work.bases {
        if objects.is_some() {
            let path =
                format!("{}/{}?gracePeriodSeconds=0", base.collection(NAMESPACE), base.name());
            pair.ask(Method::DELETE, &path, &json!({}), &json!({})).await?;
        }
    }
    let mut report = work.report.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(std::mem::take(&mut *report))
}

/// All requests, in the order of bases and fields.
fn trials(bases: &[Stored], args: &DamageArgs) -> Vec<Trial> {
    let mut members = MemberWalk::default();
    let mut trials = Vec::new();
    let mut kind = None;
    for (index, Stored { base, objects }) in bases.iter().enumerate() {
        if kind.replace(base.kind.ty).is_some_and(|ty| ty != base.kind.ty) {
            members.end_kind();
        }
        for member in members.of(base.kind, &base.object) {
            let field = member.path.to_string();
            if !field.contains(&args.path) {
                continue;
            }
            for (name, change) in changes(&member) {
                let draw = |what: &str| draw(args.seed, &(base.kind.kind, &field, name, what));
                if member.is_known && draw("share") >= args.share {
                    continue;
                }
                let trial = |is_update| {
                    let (member, change) = (member.clone(), change.clone());
                    Trial { base: index, member, name, change, is_update }
                };
                if base.object.get("spec").is_none()
                    || !field.starts_with("status.")
                    || draw("status") < args.share
                {
                    trials.push(trial(false));
                }
                if objects.is_some() && draw("update") < UPDATES {
                    trials.push(trial(true));
                }
            }
        }
    }
    trials
}

/// What can be done to a member, by the name of the damage.
fn changes(member: &Member) -> Vec<(&'static str, Change)> {
    let fitting = DAMAGES.iter().filter(|damage| (damage.fits)(member.shape));
    let made =
        fitting.filter_map(|damage| Some((damage.name, (damage.make)(member.value.as_ref())?)));
    let mut changes: Vec<_> = made.map(|(name, value)| (name, Change::Set(value))).collect();
    if member.value.is_some() {
        changes.extend([("missing", Change::Remove), ("misspelled", Change::Misspell)]);
    }
    changes
}

/// A number below a hundred that depends on nothing but the seed and what it is for.
fn draw(seed: u64, what: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    (seed, what).hash(&mut hasher);
    hasher.finish() % 100
}

/// Sends requests until none is left.
async fn client(work: Arc<Work>, mut pair: Pair) -> Result<()> {
    while let Some(trial) = work.trials.get(work.next.fetch_add(1, Ordering::Relaxed)) {
        let Some(Stored { base, objects }) = work.bases.get(trial.base) else { continue };
        let path = trial.member.path.to_string();
        let name = trial.name;
        let strictness = if draw(work.seed, &(&path, name)) < WARNED { "Warn" } else { "Strict" };
        let query = format!("dryRun=All&fieldValidation={strictness}");
        let collection = base.collection(NAMESPACE);
        let answers = match objects {
            Some((first, second)) if trial.is_update => {
                let (first, second) = (trial.apply(first), trial.apply(second));
                let path = format!("{collection}/{}?{query}", base.name());
                pair.ask(Method::PUT, &path, &first, &second).await
            }
            _ => {
                let mut object = base.object.clone();
                rename(&mut object);
                let object = trial.apply(&object);
                pair.ask(Method::POST, &format!("{collection}?{query}"), &object, &object).await
            }
        };
        let answers = answers.with_context(|| format!("{} {path}: {name}", base.kind.kind))?;
        let Some(answers) = answers else { continue };
        let Some(difference) = Difference::between(&answers.0, &answers.1) else { continue };
        let group = Group {
            difference,
            kind: base.kind.kind,
            field: trial.member.path.general(),
            damage: name,
            verb: if trial.is_update { "update" } else { "create" },
        };
        let mut report = work.report.lock().unwrap_or_else(PoisonError::into_inner);
        let value = match &trial.change {
            Change::Set(value) => value.clone(),
            Change::Remove | Change::Misspell => Value::Null,
        };
        report.add(group, path, value, answers);
    }
    Ok(())
}

/// Gives the object another name than the stored one, if its kind leaves it a choice.
fn rename(object: &mut Value) {
    if let Some(Value::String(name)) = object.pointer_mut("/metadata/name")
        && let Some(rest) = name.strip_prefix("stored")
    {
        *name = format!("damaged{rest}");
    }
}

impl Trial {
    /// The object with the damage.
    fn apply(&self, object: &Value) -> Value {
        let mut object = object.clone();
        self.member.path.change(&mut object, &self.change);
        object
    }
}

/// A connection to each server.
struct Pair {
    first: Connection,
    second: Connection,
}

impl Pair {
    fn new(first: &Arc<Endpoint>, second: &Arc<Endpoint>) -> Self {
        Self { first: Connection::new(first.clone()), second: Connection::new(second.clone()) }
    }

    /// Asks both servers the same, each with its own body; none if the second one broke, which says nothing of the first.
    async fn ask(
        &mut self,
        method: Method,
        path: &str,
        first: &Value,
        second: &Value,
    ) -> Result<Option<(Answer, Answer)>> {
        let request =
            |body: &Value| ApiRequest::json(method.clone(), path.to_owned(), body.to_string());
        let (a, b) = tokio::join!(self.first.ask(request(first)), self.second.ask(request(second)));
        match b {
            Ok(b) => Ok(Some((Answer::settle(&a?), Answer::settle(&b)))),
            Err(RequestFailure::Http(_)) => Ok(None),
            Err(failure) => Err(failure.into()),
        }
    }

    /// Whether one of the servers has the kind of a base.
    async fn serves(&mut self, base: &Base) -> Result<bool> {
        let path = base.collection(NAMESPACE);
        let answers = self.ask(Method::GET, &path, &Value::Null, &Value::Null).await?;
        Ok(answers.is_some_and(|(first, second)| first.is_success() || second.is_success()))
    }

    /// Creates a base in both servers; what they say to the whole object is compared, too.
    async fn store(&mut self, base: Base, report: &mut Report) -> Result<Stored> {
        let path = format!("{}?fieldValidation=Strict", base.collection(NAMESPACE));
        let request = || ApiRequest::json(Method::POST, path.clone(), base.object.to_string());
        let first = self.first.ask(request()).await?;
        let second = self.second.ask(request()).await?;
        let answers = (Answer::settle(&first), Answer::settle(&second));
        report.requested += 1;
        if !answers.1.is_success() {
            let message = answers.1.message().unwrap_or_default();
            report.bad_bases.push(format!("{} {}: {message}", base.kind.kind, base.name()));
        }
        if let Some(difference) = Difference::between(&answers.0, &answers.1) {
            let (kind, verb) = (base.kind.kind, "create");
            let group = Group { difference, kind, field: String::new(), damage: "whole", verb };
            report.add(group, base.name().to_owned(), Value::Null, answers.clone());
        }
        let is_stored = answers.0.is_success() && answers.1.is_success() && !base.name().is_empty();
        let objects = match is_stored {
            true => {
                Some((serde_json::from_slice(&first.body)?, serde_json::from_slice(&second.body)?))
            }
            false => None,
        };
        Ok(Stored { base, objects })
    }
}
