//! A namespace of one run: made with what pods need, filled, and removed with all that is in it.

use crate::connection::{ApiRequest, Connection};
use crate::endpoint::Endpoint;
use crate::errors::RequestFailure;
use crate::resource::Resource;
use crate::worker::seeded_name;
use anyhow::{Context, Result};
use bytes::Bytes;
use hyper::Method;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::task::JoinSet;

/// So many objects are created at once.
const SEEDERS: usize = 32;

/// The number in objects that were there before: no write has it, so that none of them changes nothing.
const SEEDED: usize = 999_999_999;

/// A namespace on a server.
pub(crate) struct Namespace {
    endpoint: Arc<Endpoint>,
    name: String,
}

impl Namespace {
    /// Creates a namespace with a new name, and its service account: no controller may be there to make one.
    pub(crate) async fn create(endpoint: &Arc<Endpoint>, profile: &str) -> Result<Self> {
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let name = format!("api-load-{profile}-{:x}", time.as_micros());
        let mut connection = Connection::new(endpoint.clone());
        let body = format!(r#"{{"metadata":{{"name":"{name}"}}}}"#);
        let request = ApiRequest::json(Method::POST, "/api/v1/namespaces".to_owned(), body);
        let created = connection.call(request).await;
        created.with_context(|| format!("cannot create namespace {name} at {}", endpoint.url()))?;
        let accounts = format!("/api/v1/namespaces/{name}/serviceaccounts");
        let body = r#"{"metadata":{"name":"default"}}"#;
        match connection.call(ApiRequest::json(Method::POST, accounts, body)).await {
            Ok(_) | Err(RequestFailure::Status(409, _)) => {}
            Err(failure) => Err(failure).context("cannot create the service account default")?,
        }
        Ok(Self { endpoint: endpoint.clone(), name })
    }

    pub(crate) fn collection(&self, resource: &Resource) -> String {
        resource.collection(&self.name)
    }

    /// Creates objects; returns them as the server has them, in the order of their numbers.
    pub(crate) async fn fill(
        &self,
        resource: &'static Resource,
        count: usize,
    ) -> Result<Vec<Bytes>> {
        let mut seeders = JoinSet::new();
        for first in 0..SEEDERS.min(count) {
            let mut connection = Connection::new(self.endpoint.clone());
            let (path, template) = (self.collection(resource), resource.template());
            seeders.spawn(async move {
                let mut made = Vec::new();
                for number in (first..count).step_by(SEEDERS) {
                    let body = template.fill(&seeded_name(number), SEEDED);
                    let request = ApiRequest::json(Method::POST, path.clone(), body);
                    made.push((number, connection.call(request).await?));
                }
                Ok::<_, RequestFailure>(made)
            });
        }
        let mut objects = Vec::with_capacity(count);
        while let Some(made) = seeders.join_next().await {
            objects.extend(made.context("a client ended")?.context("cannot create objects")?);
        }
        objects.sort_unstable_by_key(|(number, _)| *number);
        Ok(objects.into_iter().map(|(_, object)| object).collect())
    }

    /// Deletes the objects and the namespace; objects first, as there may be no controller that does it.
    pub(crate) async fn remove(self, resource: &Resource) -> Result<()> {
        let mut connection = Connection::new(self.endpoint.clone());
        let paths = [self.collection(resource), format!("/api/v1/namespaces/{}", self.name)];
        for path in paths {
            let deleted = connection.call(ApiRequest::plain(Method::DELETE, path)).await;
            deleted.with_context(|| format!("cannot remove namespace {}", self.name))?;
        }
        Ok(())
    }
}
