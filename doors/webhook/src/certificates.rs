//! `CertificateManager`: the webhook's own authority and certificates, agreed on with other replicas through a Secret and a
//! Lease.
//!
//! Every replica reads the Secret and serves what it holds. The holder of the Lease makes what is missing or due, in steps
//! that any replica can continue: a new authority is written and published first, and only when it has been in the
//! configurations for a while is a certificate of it served. Authorities overlap until the old one expires. Whatever
//! fails, the last good pair is served.

mod plan;
mod publish;
mod secret;

use crate::leader::{self, LeaderLease};
use crate::metrics::{Metrics, number, seconds};
use plan::{CertificateSet, Step, Terms, apply, plan};
use publish::{Target, publish};
use ratchet_cluster::Cluster;
use ratchet_http::certificates::{expiry, new_authority};
use ratchet_http::{KeyFiles, TlsError, TlsReload};
use ratchet_object::Node;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// Certificates of the webhook's own making.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelfSignedConfig {
    /// The namespace of the Service, the Secret and the Lease.
    pub namespace: String,
    /// The Service that the certificate is for.
    pub service: String,
    /// The Secret that holds authorities and certificates.
    pub secret: String,
    /// The Lease of the replica that makes them.
    pub lease: String,
    /// The names of the Validating- and MutatingWebhookConfigurations that call the webhook.
    pub configurations: Vec<String>,
    /// How long an authority is valid.
    pub ca_validity: Duration,
    /// How long a certificate is valid.
    pub cert_validity: Duration,
}

impl SelfSignedConfig {
    /// The names that a certificate is for.
    pub fn names(&self) -> Vec<String> {
        let Self { service, namespace, .. } = self;
        let mut names = vec![
            format!("{service}.{namespace}.svc"),
            format!("{service}.{namespace}.svc.cluster.local"),
            format!("{service}.{namespace}"),
            service.clone(),
        ];
        names.extend(["localhost", "127.0.0.1", "::1"].map(str::to_owned));
        names
    }

    fn terms(&self) -> Terms {
        let Self { ca_validity, cert_validity, .. } = *self;
        Terms { names: self.names(), ca_validity, cert_validity }
    }

    /// How often the Secret is looked at: often enough for every step of the shorter validity.
    fn interval(&self) -> Duration {
        let shorter = self.ca_validity.min(self.cert_validity);
        (shorter / 60).clamp(Duration::from_millis(200), Duration::from_secs(10))
    }

    /// How long a Lease lasts without a renewal.
    fn lease_duration(&self) -> Duration {
        (self.interval() * 4).clamp(Duration::from_secs(2), Duration::from_secs(15))
    }
}

/// Makes and follows the certificates of one replica.
pub(crate) struct CertificateManager {
    config: SelfSignedConfig,
    cluster: Cluster,
    tls: Arc<TlsReload>,
    metrics: Arc<Metrics>,
    state: Arc<CertificateState>,
    lease: LeaderLease,
    /// The set in use.
    current: Option<CertificateSet>,
    /// The bundle that is in every configuration, and since when.
    published: Option<(String, Instant)>,
}

/// What readiness shows of the certificates.
#[derive(Default)]
pub(crate) struct CertificateState {
    is_serving: AtomicBool,
    failure: Mutex<Option<String>>,
}

impl CertificateState {
    /// Why the certificate in use is trusted by nobody; `Ok` once it is one of the Secret.
    pub(crate) fn check(&self) -> Result<(), String> {
        match self.is_serving.load(Ordering::Acquire) {
            true => Ok(()),
            false => Err(self.failure().unwrap_or_else(|| "no certificate yet".to_owned())),
        }
    }

    /// What went wrong when the certificates were last looked at.
    pub(crate) fn failure(&self) -> Option<String> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl CertificateManager {
    /// A manager whose pair is trusted by nobody until the Secret is read; the listener needs one to answer probes.
    pub(crate) fn new(
        config: SelfSignedConfig,
        cluster: Cluster,
        metrics: Arc<Metrics>,
    ) -> Result<(Self, Arc<TlsReload>), TlsError> {
        let origin = |field: &str| {
            PathBuf::from(format!("Secret {}/{} {field}", config.namespace, config.secret))
        };
        let origin = KeyFiles { certificate: origin("tls.crt"), key: origin("tls.key") };
        let unusable = |error: ratchet_http::certificates::CertificateError| {
            TlsError::Certificate(origin.certificate.clone(), error.to_string())
        };
        let names = config.names();
        let first = new_authority("ratchet-webhook-start", Duration::from_secs(3600))
            .and_then(|authority| authority.issue_serving(&names, Duration::from_secs(3600)))
            .map_err(unusable)?;
        let tls = TlsReload::from_pem(origin.clone(), &first.certificate, &first.key)?;
        let lease = LeaderLease::new(
            cluster.clone(),
            &config.namespace,
            &config.lease,
            leader::identity(),
            config.lease_duration(),
        );
        metrics.rotation_successful.with(&[&config.secret]).set(0.0);
        metrics.leader.with(&[&config.lease]).set(0.0);
        let state = Arc::default();
        let tls_of_listener = Arc::clone(&tls);
        let manager =
            Self { config, cluster, tls, metrics, state, lease, current: None, published: None };
        Ok((manager, tls_of_listener))
    }

    pub(crate) fn state(&self) -> Arc<CertificateState> {
        Arc::clone(&self.state)
    }

    /// Looks at the Secret from time to time, for ever.
    pub(crate) async fn run(&mut self) {
        loop {
            let result = self.pass().await;
            if let Err(error) = &result {
                self.metrics.rotations.with(&["error"]).inc();
                if self.state.failure().as_ref() != Some(error) {
                    tracing::warn!(
                        error,
                        "the certificates could not be looked after, the last good pair stays"
                    );
                }
            }
            self.metrics
                .rotation_successful
                .with(&[&self.config.secret])
                .set(number(result.is_ok()));
            *self.state.failure.lock().unwrap_or_else(PoisonError::into_inner) = result.err();
            tokio::time::sleep(self.config.interval()).await;
        }
    }

    /// Lets another replica take over at once.
    pub(crate) async fn release(&mut self) {
        self.lease.release().await;
    }

    fn secret_path(&self) -> String {
        format!("/api/v1/namespaces/{}/secrets", self.config.namespace)
    }

    /// Uses what the Secret holds and, as the leader, takes the next step.
    async fn pass(&mut self) -> Result<(), String> {
        let path = format!("{}/{}", self.secret_path(), self.config.secret);
        let answer = self.cluster.ask(&path).await.map_err(|error| error.to_string())?;
        let old = match answer.code {
            404 => None,
            _ if answer.is_success() => Some(answer.object().ok_or("the Secret is no JSON")?),
            _ => return Err(format!("cannot read the Secret {path}: {}", answer.describe())),
        };
        let found = old.as_ref().map(secret::read);
        let unusable = match found {
            Some(Ok(set)) => {
                self.use_set(set)?;
                None
            }
            Some(Err(why)) => Some(format!("the Secret {path} is not usable: {why}")),
            None => None,
        };
        let is_leader = self.lease.hold().await;
        let is_leader_now = number(is_leader.as_ref().is_ok_and(|is_leader| *is_leader));
        self.metrics.leader.with(&[&self.config.lease]).set(is_leader_now);
        if !is_leader? {
            return unusable.map_or(Ok(()), Err);
        }
        let set = self.current.clone().filter(|_| old.is_some() && unusable.is_none());
        self.lead(set, old).await
    }

    /// As the leader: publishes what is trusted, and takes the next step.
    async fn lead(
        &mut self,
        set: Option<CertificateSet>,
        old: Option<Node<'static>>,
    ) -> Result<(), String> {
        if let Some(set) = &set {
            self.publish(&set.bundle()).await?;
        }
        let published = self.published.as_ref().map(|(_, since)| since.elapsed());
        let terms = self.config.terms();
        let now = SystemTime::now();
        let step = plan(set.as_ref(), &terms, now, published);
        if step == Step::Rest {
            return Ok(());
        }
        // Without a usable Secret, what replicas still serve stays trusted.
        let base = set.or_else(|| self.current.clone());
        let Some(set) = apply(step, base, &terms, now)? else { return Ok(()) };
        if step == Step::Found {
            self.publish(&set.bundle()).await?;
        }
        let secret =
            secret::write(&set, old.clone(), (&self.config.namespace, &self.config.secret));
        let answer = match old {
            None => self.cluster.create(&self.secret_path(), &secret).await,
            Some(_) => {
                let path = format!("{}/{}", self.secret_path(), self.config.secret);
                self.cluster.update(&path, &secret).await
            }
        };
        let answer = answer.map_err(|error| error.to_string())?;
        match answer.code {
            // Somebody else wrote it: the next look finds what.
            409 => return Ok(()),
            _ if answer.is_success() => {}
            _ => return Err(format!("cannot write the Secret: {}", answer.describe())),
        }
        self.metrics.rotations.with(&["success"]).inc();
        tracing::info!(?step, "certificates changed");
        let bundle = set.bundle();
        self.use_set(set)?;
        self.publish(&bundle).await
    }

    /// Serves with a set, if it is another one.
    fn use_set(&mut self, set: CertificateSet) -> Result<(), String> {
        if self.current.as_ref() == Some(&set) {
            return Ok(());
        }
        let is_other = self.current.as_ref().is_none_or(|old| old.serving != set.serving);
        if is_other {
            let replaced = self.tls.replace(&set.serving.certificate, &set.serving.key);
            replaced.map_err(|error| error.to_string())?;
            tracing::info!("serving certificate replaced");
        }
        for (label, pem) in
            [("serving", &set.serving.certificate), ("authority", &set.authority.certificate)]
        {
            if let Ok(end) = expiry(pem) {
                self.metrics.certificate_expiry.with(&[label]).set(seconds(end));
            }
        }
        self.current = Some(set);
        self.state.is_serving.store(true, Ordering::Release);
        Ok(())
    }

    async fn publish(&mut self, bundle: &str) -> Result<(), String> {
        let SelfSignedConfig { namespace, service, configurations, .. } = &self.config;
        let target = Target { namespace, service, configurations };
        if let Err(error) = publish(&self.cluster, &target, bundle).await {
            self.published = None;
            return Err(error);
        }
        if self.published.as_ref().is_none_or(|(own, _)| own != bundle) {
            self.published = Some((bundle.to_owned(), Instant::now()));
        }
        Ok(())
    }
}
