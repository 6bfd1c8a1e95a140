//! A whole run: every profile on every server, in turn, each in a namespace of its own.

use crate::args::{LoadArgs, ServerTarget};
use crate::churn::{self, Churn};
use crate::clients;
use crate::endpoint::Endpoint;
use crate::figures::{Figures, ratios};
use crate::namespace::Namespace;
use crate::process::{Process, is_local};
use crate::profile::{Profile, Seed, Work};
use crate::report::{ProfileReport, Report};
use crate::resource::{Resource, Template};
use crate::sample::{Sample, UsageSnapshot};
use crate::worker::{Collection, Worker};
use anyhow::{Context, Result};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::{Duration, Instant};

/// A server with the processes that are seen of it.
struct LoadedServer {
    endpoint: Arc<Endpoint>,
    processes: Vec<Process>,
}

/// Runs what the arguments say; `progress` is told what begins.
pub async fn run(args: &LoadArgs, mut progress: impl FnMut(&str)) -> Result<Report> {
    let (profiles, resource) = (args.selected_profiles()?, args.selected_resource()?);
    let mut servers = Vec::new();
    for target in args.targets()? {
        servers.push(LoadedServer::find(target).await);
    }
    let mut report = Report::new(args);
    for profile in profiles {
        let mut samples: Vec<Sample> = servers.iter().map(|_| Sample::default()).collect();
        for round in 0..args.rounds {
            let mut turns: Vec<_> = servers.iter().zip(&mut samples).collect();
            // Who is first finds the machine as the other left it, so they take turns.
            if round % 2 == 1 {
                turns.reverse();
            }
            for (server, sample) in turns {
                let url = server.endpoint.url();
                progress(&format!("{} at {url}, round {}", profile.name, round + 1));
                let measured = server.measure(profile, resource, args, &mut progress).await;
                sample.follow(measured.with_context(|| format!("{} at {url}", profile.name))?);
            }
        }
        let late = Duration::from_millis(u64::from(args.late));
        let figures: Vec<Figures> = servers
            .iter()
            .zip(samples)
            .map(|(server, sample)| Figures::of(server.endpoint.url(), sample, late))
            .collect();
        let ratios = match figures.as_slice() {
            [first, second] => ratios(first, second),
            _ => Default::default(),
        };
        report.profiles.push(ProfileReport { profile: profile.name, servers: figures, ratios });
    }
    Ok(report)
}

impl LoadedServer {
    /// Looks for the server's processes, if it is on this machine.
    async fn find(target: ServerTarget) -> Self {
        let ServerTarget { endpoint, store_ports } = target;
        let mut processes = Vec::new();
        if endpoint.address().await.is_some_and(is_local) {
            let ports = std::iter::once(endpoint.port()).chain(store_ports);
            processes.extend(ports.filter_map(Process::listening_on));
            processes.dedup();
        }
        Self { endpoint: Arc::new(endpoint), processes }
    }

    /// Runs a profile once.
    async fn measure(
        &self,
        profile: &Profile,
        resource: &'static Resource,
        args: &LoadArgs,
        progress: &mut impl FnMut(&str),
    ) -> Result<Sample> {
        let namespace = Namespace::create(&self.endpoint, profile.name).await?;
        let clients = args.clients as usize;
        let seeded = match profile.seed {
            Seed::Nothing => 0,
            Seed::Objects => args.objects as usize,
            Seed::OnePerClient => clients,
        };
        let objects = namespace.fill(resource, seeded).await?;
        let time = Duration::from_secs_f64(args.seconds);
        let path = namespace.collection(resource);
        let sample = match profile.work {
            Work::Requests(requests) => {
                let collection = Arc::new(Collection {
                    path,
                    template: resource.template(),
                    seeded,
                    page: args.page as usize,
                    next: AtomicUsize::new(0),
                });
                let own = |number: usize| match profile.seed {
                    Seed::OnePerClient => objects.get(number).map(|o| Template::of_stored(o)),
                    Seed::Nothing | Seed::Objects => None,
                };
                let workers: Result<Vec<Worker>> = (0..clients)
                    .map(|number| {
                        Ok(Worker::new(collection.clone(), number, own(number).transpose()?))
                    })
                    .collect();
                self.rest().await;
                let before = UsageSnapshot::of(&self.processes);
                let mut sample = clients::drive(&self.endpoint, workers?, requests, time).await?;
                sample.processes = before.until_now();
                sample
            }
            Work::Churn => {
                let (watchers, rate) = (args.watchers as usize, args.rate as usize);
                let churn = Churn { watchers, writers: clients.min(rate), rate, time };
                let mut before = UsageSnapshot::of(&[]);
                let started = async || {
                    self.rest().await;
                    before = UsageSnapshot::of(&self.processes);
                };
                let mut sample = churn::drive(&self.endpoint, &path, &churn, started).await?;
                sample.processes = before.until_now();
                sample
            }
        };
        if !args.keep
            && let Err(error) = namespace.remove(resource).await
        {
            progress(&format!("{error:#}"));
        }
        Ok(sample)
    }

    /// Waits until the processes have hardly anything to do, for some seconds at most.
    async fn rest(&self) {
        let begun = Instant::now();
        let mut before = UsageSnapshot::of(&self.processes).cpu_seconds();
        while !self.processes.is_empty() && begun.elapsed() < Duration::from_secs(3) {
            tokio::time::sleep(Duration::from_millis(200)).await;
            let now = UsageSnapshot::of(&self.processes).cpu_seconds();
            if now - before < 0.02 {
                return;
            }
            before = now;
        }
    }
}
