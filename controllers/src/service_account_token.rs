//! Secrets that ask for a token of a service account get one that does not end, and go with the account.

use crate::client::escaped;
use crate::{
    Client, Deletion, Failure, Idle, Outcome, Pace, Reconcile, Row, Settings, Setup, Shared, Store,
    Waiting,
};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ratchet_object::Node;
use std::sync::Arc;

/// The row of this controller.
pub(crate) const ROW: Row = Row {
    name: "serviceaccount-token-controller",
    aliases: &["serviceaccount-token"],
    on_by_default: true,
    pace: Pace::DEFAULT,
    workers: 5,
    start,
};

const ACCOUNTS: &str = "/api/v1/serviceaccounts";

/// Other secrets are none of our business, and need not be kept.
const SECRETS: &str = "/api/v1/secrets?fieldSelector=type%3Dkubernetes.io%2Fservice-account-token";

const NAME: &str = "kubernetes.io/service-account.name";
const UID: &str = "kubernetes.io/service-account.uid";

/// A service account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Account<'a> {
    /// Its namespace.
    pub namespace: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Which one it is.
    pub uid: &'a str,
}

/// Who makes tokens. Signing is the one thing that the API does not do for controllers.
pub trait Mint: Send + Sync + 'static {
    /// A token of the account, good as long as this secret holds it.
    fn token(&self, account: Account<'_>, secret: &str) -> Result<String, String>;
}

struct Tokens {
    client: Client,
    accounts: Arc<Store>,
    secrets: Arc<Store>,
    settings: Arc<Settings>,
}

/// What the keys of the queue begin with: a secret, an account that is gone, a secret that is gone.
const SECRET: &str = "secret ";
const BEREFT: &str = "bereft ";
const FORGET: &str = "forget ";

fn start(setup: &mut Setup<'_>) -> Box<dyn Reconcile> {
    if setup.settings.mint.is_none() {
        return Box::new(Idle);
    }
    let (accounts, secrets) = (setup.collection(ACCOUNTS), setup.collection(SECRETS));
    let queue = setup.queue.clone();
    setup.listen(SECRETS, move |change| match (&change.new, &change.old) {
        (Some(_), _) => queue.add(&format!("{SECRET}{}", change.key)),
        (None, Some(old)) => {
            let (name, uid) = (annotation(old, NAME), annotation(old, UID));
            queue.add(&format!("{FORGET}{} {name} {uid}", change.key));
        }
        (None, None) => {}
    });
    let queue = setup.queue.clone();
    setup.listen(ACCOUNTS, move |change| {
        // One that was deleted and made again is another one.
        let now = change.new.as_ref().map(uid);
        if let Some(old) = change.old.as_ref().filter(|old| now != Some(uid(old))) {
            queue.add(&format!("{BEREFT}{} {}", change.key, uid(old)));
        }
    });
    let (client, settings) = (setup.client.clone(), setup.settings.clone());
    Box::new(Tokens { client, accounts, secrets, settings })
}

impl Reconcile for Tokens {
    fn reconcile<'a>(&'a self, key: &'a str) -> Waiting<'a, Result<Outcome, Failure>> {
        Box::pin(async move {
            if let Some(key) = key.strip_prefix(SECRET) {
                self.fill(key).await?;
            } else if let Some((key, uid)) =
                key.strip_prefix(BEREFT).and_then(|k| k.split_once(' '))
            {
                self.clear(key, uid).await?;
            } else if let Some(key) = key.strip_prefix(FORGET) {
                self.forget(key).await?;
            }
            Ok(Outcome::Done)
        })
    }
}

impl Tokens {
    /// Gives a secret what it lacks, or takes it away if it has no account.
    async fn fill(&self, key: &str) -> Result<(), Failure> {
        let Some(secret) = self.secrets.get(key) else { return Ok(()) };
        let Some((namespace, _)) = key.split_once('/') else { return Ok(()) };
        let (name, wanted) = (annotation(&secret, NAME), annotation(&secret, UID));
        if name.is_empty() || is_deleted(&secret) {
            return Ok(());
        }
        let Some(account) = self.account(namespace, name, wanted).await? else {
            return self.delete(key, &secret).await;
        };
        let account = Account { namespace, name, uid: account.text_at(&["metadata", "uid"]) };
        let Some(new) = self.filled(&secret, account)? else { return Ok(()) };
        match self.client.put(&path("secrets", key), &new).await {
            // Somebody changed it, and we shall hear of it; or it is gone.
            Err(failure) if failure.is_conflict() || failure.is_not_found() => Ok(()),
            answered => answered.map(drop),
        }
    }

    /// The secret with all that belongs in it, if it lacks anything.
    fn filled(
        &self,
        secret: &Shared,
        account: Account<'_>,
    ) -> Result<Option<Node<'static>>, Failure> {
        let has = |name: &str| secret.text_at(&["data", name]);
        let authority = BASE64_STANDARD.encode(&self.settings.root_ca);
        let lacks_authority = !authority.is_empty() && has("ca.crt") != authority;
        let lacks_token = has("token").is_empty();
        if !lacks_authority && !lacks_token && !has("namespace").is_empty() {
            return Ok(None);
        }
        let mut new = Node::clone(secret);
        new.set("apiVersion", Node::string("v1"));
        new.set("kind", Node::string("Secret"));
        let data = new.below("data");
        if lacks_authority {
            data.set("ca.crt", Node::string(authority));
        }
        if has("namespace").is_empty() {
            data.set("namespace", Node::string(BASE64_STANDARD.encode(account.namespace)));
        }
        if let (true, Some(mint)) = (lacks_token, &self.settings.mint) {
            let name = secret.text_at(&["metadata", "name"]);
            let token = mint.token(account, name).map_err(Failure::new)?;
            data.set("token", Node::string(BASE64_STANDARD.encode(token)));
        }
        let annotations = new.below("metadata").below("annotations");
        annotations.set(NAME, Node::string(account.name.to_owned()));
        annotations.set(UID, Node::string(account.uid.to_owned()));
        Ok(Some(new))
    }

    /// Takes away the secrets of an account that is gone.
    async fn clear(&self, key: &str, uid: &str) -> Result<(), Failure> {
        let Some((namespace, name)) = key.split_once('/') else { return Ok(()) };
        for (key, secret) in self.secrets.all() {
            let is_near = key.split_once('/').is_some_and(|(of, _)| of == namespace);
            if is_near && annotation(&secret, NAME) == name && annotation(&secret, UID) == uid {
                self.delete(&key, &secret).await?;
            }
        }
        Ok(())
    }

    /// Takes the name of a secret that is gone out of its account.
    async fn forget(&self, key: &str) -> Result<(), Failure> {
        let mut words = key.split(' ');
        let (secret, name, wanted) = (words.next(), words.next(), words.next());
        let Some((namespace, secret)) = secret.and_then(|key| key.split_once('/')) else {
            return Ok(());
        };
        let of = format!("{namespace}/{}", name.unwrap_or_default());
        let Some(account) = self.accounts.get(&of) else { return Ok(()) };
        if wanted.is_some_and(|wanted| !wanted.is_empty() && wanted != uid(&account)) {
            return Ok(());
        }
        let all = account.get("secrets").map(Node::items).unwrap_or_default();
        let others: Vec<_> =
            all.iter().filter(|one| one.text_at(&["name"]) != secret).cloned().collect();
        if others.len() == all.len() {
            return Ok(());
        }
        let mut new = Node::clone(&account);
        new.set("apiVersion", Node::string("v1"));
        new.set("kind", Node::string("ServiceAccount"));
        new.set("secrets", Node::list(others));
        match self.client.put(&path("serviceaccounts", &of), &new).await {
            Err(failure) if failure.is_not_found() => Ok(()),
            answered => answered.map(drop),
        }
    }

    /// The account of this name, if it is the one that is wanted. It may be so new that only the
    /// API knows of it.
    async fn account(
        &self,
        namespace: &str,
        name: &str,
        wanted: &str,
    ) -> Result<Option<Shared>, Failure> {
        let is_wanted = |account: &Shared| wanted.is_empty() || uid(account) == wanted;
        let key = format!("{namespace}/{name}");
        if let Some(known) = self.accounts.get(&key).filter(is_wanted) {
            return Ok(Some(known));
        }
        match self.client.get(&path("serviceaccounts", &key)).await {
            Err(failure) if failure.is_not_found() => Ok(None),
            answered => Ok(Some(Shared::new(answered?)).filter(is_wanted)),
        }
    }

    async fn delete(&self, key: &str, secret: &Shared) -> Result<(), Failure> {
        let deletion = Deletion { uid: Some(uid(secret).to_owned()), ..Deletion::default() };
        match self.client.delete_with(&path("secrets", key), &deletion).await {
            Err(failure) if failure.is_not_found() || failure.is_conflict() => Ok(()),
            answered => answered,
        }
    }
}

fn path(resource: &str, key: &str) -> String {
    let (namespace, name) = key.split_once('/').unwrap_or(("", key));
    format!("/api/v1/namespaces/{}/{resource}/{}", escaped(namespace), escaped(name))
}

fn annotation<'n>(object: &'n Shared, name: &str) -> &'n str {
    object.text_at(&["metadata", "annotations", name])
}

fn uid(object: &Shared) -> &str {
    object.text_at(&["metadata", "uid"])
}

fn is_deleted(object: &Shared) -> bool {
    !object.text_at(&["metadata", "deletionTimestamp"]).is_empty()
}
