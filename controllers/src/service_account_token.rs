//! Controller that populates service account token secrets, and deletes them with their account.

use crate::token_issuer::Account;
use crate::{
    BoxFuture, Client, Deletion, Failure, Idle, Outcome, Reconcile, RetryDelay, Row, Settings,
    Setup, Shared, Store,
};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ratchet_object::{Node, percent_encode};
use std::sync::Arc;

pub(crate) const ROW: Row = Row {
    name: "serviceaccount-token-controller",
    aliases: &["serviceaccount-token"],
    on_by_default: true,
    retry_delay: RetryDelay::DEFAULT,
    workers: 5,
    start,
};

const ACCOUNTS: &str = "/api/v1/serviceaccounts";

/// Other secrets are not needed, and would only use memory.
const SECRETS: &str = "/api/v1/secrets?fieldSelector=type%3Dkubernetes.io%2Fservice-account-token";

const NAME: &str = "kubernetes.io/service-account.name";
const UID: &str = "kubernetes.io/service-account.uid";

struct Tokens {
    client: Client,
    accounts: Arc<Store>,
    secrets: Arc<Store>,
    settings: Arc<Settings>,
}

/// Prefixes of the keys in the queue: a secret, a deleted account, a deleted secret.
const SECRET: &str = "secret ";
const DELETED_ACCOUNT: &str = "bereft ";
const DELETED_SECRET: &str = "forget ";

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
            queue.add(&format!("{DELETED_SECRET}{} {name} {uid}", change.key));
        }
        (None, None) => {}
    });
    let queue = setup.queue.clone();
    setup.listen(ACCOUNTS, move |change| {
        // An account that was deleted and created again is another one.
        let now = change.new.as_ref().map(uid);
        if let Some(old) = change.old.as_ref().filter(|old| now != Some(uid(old))) {
            queue.add(&format!("{DELETED_ACCOUNT}{} {}", change.key, uid(old)));
        }
    });
    let (client, settings) = (setup.client.clone(), setup.settings.clone());
    Box::new(Tokens { client, accounts, secrets, settings })
}

impl Reconcile for Tokens {
    fn reconcile<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Outcome, Failure>> {
        Box::pin(async move {
            if let Some(key) = key.strip_prefix(SECRET) {
                self.populate(key).await?;
            } else if let Some((key, uid)) =
                key.strip_prefix(DELETED_ACCOUNT).and_then(|k| k.split_once(' '))
            {
                self.delete_secrets_of(key, uid).await?;
            } else if let Some(key) = key.strip_prefix(DELETED_SECRET) {
                self.remove_reference(key).await?;
            }
            Ok(Outcome::Done)
        })
    }
}

impl Tokens {
    /// Adds what a secret lacks, or deletes it if it has no account.
    async fn populate(&self, key: &str) -> Result<(), Failure> {
        let Some(secret) = self.secrets.get(key) else { return Ok(()) };
        let Some((namespace, _)) = key.split_once('/') else { return Ok(()) };
        let (name, wanted_uid) = (annotation(&secret, NAME), annotation(&secret, UID));
        if name.is_empty() || is_deleted(&secret) {
            return Ok(());
        }
        let Some(account) = self.account(namespace, name, wanted_uid).await? else {
            return self.delete(key, &secret).await;
        };
        let account = Account { namespace, name, uid: account.metadata().uid() };
        let Some(new) = self.populated(&secret, account)? else { return Ok(()) };
        match self.client.put(&path("secrets", key), &new).await {
            // Changed concurrently, for which there will be an event; or deleted.
            Err(failure) if failure.is_conflict() || failure.is_not_found() => Ok(()),
            result => result.map(drop),
        }
    }

    /// The secret with all its data, or `None` if it lacks nothing.
    fn populated(
        &self,
        secret: &Shared,
        account: Account<'_>,
    ) -> Result<Option<Node<'static>>, Failure> {
        let data_value = |name: &str| secret.text_at(&["data", name]);
        let ca_bundle = BASE64_STANDARD.encode(&self.settings.root_ca);
        let lacks_ca_bundle = !ca_bundle.is_empty() && data_value("ca.crt") != ca_bundle;
        let lacks_token = data_value("token").is_empty();
        if !lacks_ca_bundle && !lacks_token && !data_value("namespace").is_empty() {
            return Ok(None);
        }
        let mut new = Node::clone(secret);
        new.set("apiVersion", Node::string("v1"));
        new.set("kind", Node::string("Secret"));
        let data = new.map_mut("data");
        if lacks_ca_bundle {
            data.set("ca.crt", Node::string(ca_bundle));
        }
        if data_value("namespace").is_empty() {
            data.set("namespace", Node::string(BASE64_STANDARD.encode(account.namespace)));
        }
        if let (true, Some(mint)) = (lacks_token, &self.settings.mint) {
            let name = secret.metadata().name();
            let token = mint.token(account, name).map_err(Failure::new)?;
            data.set("token", Node::string(BASE64_STANDARD.encode(token)));
        }
        let annotations = new.map_mut("metadata").map_mut("annotations");
        annotations.set(NAME, Node::string(account.name.to_owned()));
        annotations.set(UID, Node::string(account.uid.to_owned()));
        Ok(Some(new))
    }

    /// Deletes the secrets of a deleted account.
    async fn delete_secrets_of(&self, key: &str, uid: &str) -> Result<(), Failure> {
        let Some((namespace, name)) = key.split_once('/') else { return Ok(()) };
        for (key, secret) in self.secrets.all() {
            let same_namespace = key.split_once('/').is_some_and(|(of, _)| of == namespace);
            if same_namespace
                && annotation(&secret, NAME) == name
                && annotation(&secret, UID) == uid
            {
                self.delete(&key, &secret).await?;
            }
        }
        Ok(())
    }

    /// Removes a deleted secret from the list of its account.
    async fn remove_reference(&self, key: &str) -> Result<(), Failure> {
        let mut parts = key.split(' ');
        let (secret, name, wanted_uid) = (parts.next(), parts.next(), parts.next());
        let Some((namespace, secret)) = secret.and_then(|key| key.split_once('/')) else {
            return Ok(());
        };
        let account_key = format!("{namespace}/{}", name.unwrap_or_default());
        let Some(account) = self.accounts.get(&account_key) else { return Ok(()) };
        if wanted_uid
            .is_some_and(|wanted_uid| !wanted_uid.is_empty() && wanted_uid != uid(&account))
        {
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
        match self.client.put(&path("serviceaccounts", &account_key), &new).await {
            Err(failure) if failure.is_not_found() => Ok(()),
            result => result.map(drop),
        }
    }

    /// The account of this name, if it has the wanted uid. It may be so new that only the API has
    /// it.
    async fn account(
        &self,
        namespace: &str,
        name: &str,
        wanted_uid: &str,
    ) -> Result<Option<Shared>, Failure> {
        let is_wanted = |account: &Shared| wanted_uid.is_empty() || uid(account) == wanted_uid;
        let key = format!("{namespace}/{name}");
        if let Some(cached) = self.accounts.get(&key).filter(is_wanted) {
            return Ok(Some(cached));
        }
        match self.client.get(&path("serviceaccounts", &key)).await {
            Err(failure) if failure.is_not_found() => Ok(None),
            result => Ok(Some(Shared::new(result?)).filter(is_wanted)),
        }
    }

    async fn delete(&self, key: &str, secret: &Shared) -> Result<(), Failure> {
        let deletion = Deletion { uid: Some(uid(secret).to_owned()), ..Deletion::default() };
        match self.client.delete_with(&path("secrets", key), &deletion).await {
            Err(failure) if failure.is_not_found() || failure.is_conflict() => Ok(()),
            result => result,
        }
    }
}

fn path(resource: &str, key: &str) -> String {
    let (namespace, name) = key.split_once('/').unwrap_or(("", key));
    format!("/api/v1/namespaces/{}/{resource}/{}", percent_encode(namespace), percent_encode(name))
}

fn annotation<'n>(object: &'n Shared, name: &str) -> &'n str {
    object.metadata().annotation(name).unwrap_or_default()
}

fn uid(object: &Shared) -> &str {
    object.metadata().uid()
}

fn is_deleted(object: &Shared) -> bool {
    !object.metadata().deletion_timestamp().is_empty()
}
