//! Measurement of the model's parameters and points: a server of its own, loaded by `tools/load`.

use super::measured::{Measured, Point, PointLoad, ServerFigures, StoreFigures};
use super::options::MeasureOptions;
use crate::server_process::ServerProcess;
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use std::path::Path;
use std::process::Command;

/// Objects on a page of a list.
const PAGE: u32 = 500;

/// Writes a second of the churn: for the parameters, and for the point.
const RATE: u32 = 40;
const POINT_RATE: u32 = 60;

/// Limits that let thousands of watches of one user in.
const FLAGS: &[&str] =
    &["--max-long-running-requests=20000", "--max-long-running-requests-per-user=20000"];

/// How much is measured.
struct Amounts {
    seconds: &'static str,
    /// Pods at which memory is measured: two for the parameters, one for the point.
    few_pods: u32,
    some_pods: u32,
    many_pods: u32,
    /// Watchers: two numbers for the parameters, one for the point.
    some_watchers: u32,
    many_watchers: u32,
}

const FULL: Amounts = Amounts {
    seconds: "5",
    few_pods: 3000,
    // A pod takes less than a kilobyte: some thousands of them are lost among buffers.
    some_pods: 25_000,
    many_pods: 60_000,
    some_watchers: 50,
    many_watchers: 120,
};
const QUICK: Amounts = Amounts {
    seconds: "1",
    few_pods: 200,
    some_pods: 1200,
    many_pods: 3000,
    some_watchers: 10,
    many_watchers: 40,
};

/// The parts of the load tool's report that matter here.
#[derive(Deserialize)]
struct LoadReport {
    profiles: Vec<ProfileReport>,
}

#[derive(Deserialize)]
struct ProfileReport {
    servers: Vec<Figures>,
}

#[derive(Clone, Deserialize)]
struct Figures {
    operations: f64,
    bytes: f64,
    #[serde(default)]
    by_request: std::collections::BTreeMap<String, RequestFigures>,
    events: Option<EventFigures>,
    processes: Vec<ProcessFigures>,
}

#[derive(Clone, Deserialize)]
struct RequestFigures {
    operations: f64,
}

#[derive(Clone, Deserialize)]
struct EventFigures {
    delivered: f64,
}

#[derive(Clone, Deserialize)]
struct ProcessFigures {
    cpu_seconds: f64,
    memory_before_mb: f64,
    memory_after_mb: f64,
}

impl Figures {
    /// The server's process, which comes first.
    fn server(&self) -> Result<&ProcessFigures> {
        self.processes.first().context("the server's process was not seen")
    }

    fn cpu_ms(&self) -> Result<f64> {
        Ok(self.server()?.cpu_seconds * 1000.0)
    }

    fn cpu_ms_per_operation(&self) -> Result<f64> {
        ensure!(self.operations > 0.0, "a profile did nothing");
        Ok(self.cpu_ms()? / self.operations)
    }
}

/// A server that is measured.
struct MeasuredServer<'o> {
    options: &'o MeasureOptions,
    process: ServerProcess,
}

impl<'o> MeasuredServer<'o> {
    fn start(options: &'o MeasureOptions) -> Result<Self> {
        let mut flags: Vec<String> = FLAGS.iter().map(|flag| (*flag).to_owned()).collect();
        flags.extend(options.etcd.as_ref().map(|etcd| format!("--etcd-servers={etcd}")));
        let launcher = Command::new(&options.binary);
        let process = ServerProcess::start(launcher, &flags, options.tool.as_deref())?;
        Ok(Self { options, process })
    }

    /// Runs one profile.
    fn profile(&self, name: &str, args: &[&str]) -> Result<Figures> {
        println!("measuring {name} {}", args.join(" "));
        let mut args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        args.push(format!("--profile={name}"));
        let port = self.options.etcd.as_deref().and_then(store_port);
        args.extend(port.map(|port| format!("--store-port={port}")));
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let report: LoadReport = serde_json::from_slice(&self.process.load(&args)?)
            .context("the load tool's report cannot be read")?;
        let row = report.profiles.into_iter().next().context("no profile ran")?;
        row.servers.into_iter().next().context("a profile has no figures")
    }
}

/// The port of an etcd's URL.
fn store_port(url: &str) -> Option<&str> {
    let (_, port) = url.trim_end_matches('/').rsplit_once(':')?;
    port.parse::<u16>().is_ok().then_some(port)
}

/// The clients at once, but for watches.
const CLIENTS: u32 = 16;

/// Measures everything.
pub(super) fn measure(options: &MeasureOptions) -> Result<Measured> {
    ensure!(options.binary.is_file(), "{} is not there", options.binary.display());
    let amounts = if options.quick { QUICK } else { FULL };
    let about = about(&options.binary, options.etcd.as_deref())?;
    let (memory, memory_point) = measure_memory(options, &amounts)?;
    let server = MeasuredServer::start(options)?;
    let seconds = format!("--seconds={}", amounts.seconds);
    let run = |name: &str, objects: u32| {
        let (clients, objects) = (format!("--clients={CLIENTS}"), format!("--objects={objects}"));
        server.profile(name, &[&seconds, &clients, &objects])
    };
    let objects = amounts.few_pods;
    let duration: f64 = amounts.seconds.parse().context("the seconds are no number")?;
    let create = run("create", objects)?;
    let page = run("list", objects)?;
    let (patch_cpu_ms, event_cpu_us, event_bytes, watch_memory_kb, churn) =
        measure_churn(&server, &amounts)?;
    let figures = ServerFigures {
        get_cpu_ms: run("get", objects)?.cpu_ms_per_operation()?,
        create_cpu_ms: create.cpu_ms_per_operation()?,
        update_cpu_ms: run("update", objects)?.cpu_ms_per_operation()?,
        delete_cpu_ms: run("delete", objects)?.cpu_ms_per_operation()?,
        write_rate: create.operations / duration,
        write_clients: CLIENTS.into(),
        page_cpu_ms: page.cpu_ms_per_operation()?,
        page_bytes: page.bytes / page.operations,
        page_objects: f64::from(PAGE.min(objects)),
        patch_cpu_ms,
        event_cpu_us,
        event_bytes,
        base_memory_mb: memory.0,
        object_memory_kb: memory.1,
        watch_memory_kb,
    };
    let mixed = run("create-list", objects)?;
    let count = |request: &str| mixed.by_request.get(request).map_or(0.0, |some| some.operations);
    let mixed = Point {
        name: "creates and pages in turn, CPU ms".to_owned(),
        load: PointLoad::Requests {
            creates: count("create"),
            pages: count("list"),
            seconds: duration,
        },
        measured: mixed.cpu_ms()?,
    };
    let store = store_figures(&create)?;
    Ok(Measured { about, server: figures, store, points: vec![mixed, churn, memory_point] })
}

/// Megabytes without objects and kilobytes of a pod, and the point with more pods; each on a server of its own.
fn measure_memory(options: &MeasureOptions, amounts: &Amounts) -> Result<((f64, f64), Point)> {
    let with = |pods: u32| -> Result<f64> {
        let server = MeasuredServer::start(options)?;
        let (clients, objects) = (format!("--clients={CLIENTS}"), format!("--objects={pods}"));
        let figures = server.profile("get", &[&clients, "--seconds=0.1", "--keep", &objects])?;
        Ok(figures.server()?.memory_before_mb)
    };
    let few = with(amounts.few_pods)?;
    let some = with(amounts.some_pods)?;
    let measured = with(amounts.many_pods)?;
    let parameters = line((f64::from(amounts.few_pods), few), (f64::from(amounts.some_pods), some));
    let pods = f64::from(amounts.many_pods);
    let name = format!("{pods} pods, MB");
    let (base, per_pod) = parameters;
    Ok(((base, per_pod * 1000.0), Point { name, load: PointLoad::Memory { pods }, measured }))
}

/// CPU of a patch and of an event, bytes of an event, memory of a watch, and the point between the two.
fn measure_churn(
    server: &MeasuredServer<'_>,
    amounts: &Amounts,
) -> Result<(f64, f64, f64, f64, Point)> {
    let churn = |watchers: u32, rate: u32| -> Result<(f64, f64, Figures)> {
        let (count, rate) = (format!("--watchers={watchers}"), format!("--rate={rate}"));
        let seconds = format!("--seconds={}", amounts.seconds);
        let figures = server.profile("watch-churn", &["--clients=8", &seconds, &count, &rate])?;
        let writes = figures.operations;
        ensure!(writes > 0.0, "nothing was written");
        Ok((writes, figures.cpu_ms()? / writes, figures))
    };
    let (_, alone, first) = churn(1, RATE)?;
    let many = f64::from(amounts.many_watchers);
    let (_, watched, last) = churn(amounts.many_watchers, RATE)?;
    let (patch_cpu_ms, event_cpu_ms) = line((1.0, alone), (many, watched));
    let (writes, cost, _) = churn(amounts.some_watchers, POINT_RATE)?;
    let watchers = f64::from(amounts.some_watchers);
    let delivered = last.events.as_ref().map_or(0.0, |events| events.delivered);
    ensure!(delivered > 0.0, "no event was delivered");
    let memory = |figures: &Figures| Ok::<_, anyhow::Error>(figures.server()?.memory_before_mb);
    let (_, watch_memory_mb) = line((1.0, memory(&first)?), (many, memory(&last)?));
    let point = Point {
        name: format!("{watchers} watchers, {POINT_RATE} writes a second, CPU ms"),
        load: PointLoad::Churn { writes, watchers },
        measured: cost * writes,
    };
    let event_bytes = last.bytes / delivered;
    Ok((patch_cpu_ms, event_cpu_ms * 1000.0, event_bytes, watch_memory_mb * 1000.0, point))
}

/// What etcd used, if it was there: the process behind the server's.
fn store_figures(create: &Figures) -> Result<Option<StoreFigures>> {
    let Some(store) = create.processes.get(1) else { return Ok(None) };
    ensure!(create.operations > 0.0, "nothing was stored");
    let grown = store.memory_after_mb - store.memory_before_mb;
    Ok(Some(StoreFigures {
        write_cpu_ms: store.cpu_seconds * 1000.0 / create.operations,
        object_memory_kb: grown * 1000.0 / create.operations,
    }))
}

/// The line through two points: its value at zero and its slope.
fn line(one: (f64, f64), other: (f64, f64)) -> (f64, f64) {
    let slope = (other.1 - one.1) / (other.0 - one.0);
    (one.1 - slope * one.0, slope)
}

/// What was measured, on what.
fn about(binary: &Path, etcd: Option<&str>) -> Result<String> {
    let version =
        Command::new(binary).arg("--version").output().context("cannot ask its version")?;
    let version = String::from_utf8_lossy(&version.stdout).trim().to_owned();
    let cores = std::thread::available_parallelism()?;
    let size = std::fs::metadata(binary)?.len() as f64 / 1e6;
    let store = etcd.map_or("embedded store", |_| "etcd");
    Ok(format!("{version}, {size:.0} MB, {store}, pods, {cores} cores"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_goes_through_both_points() {
        assert_eq!(line((1.0, 5.0), (3.0, 9.0)), (3.0, 2.0));
    }

    #[test]
    fn the_port_of_an_etcd_is_that_of_its_url() {
        assert_eq!(store_port("http://127.0.0.1:2379"), Some("2379"));
        assert_eq!(store_port("http://127.0.0.1:2379/"), Some("2379"));
        assert_eq!(store_port("http://example.com"), None);
    }

    #[test]
    fn a_binary_that_is_not_there_is_an_error() {
        let options = MeasureOptions { binary: "/no/such/ratchet".into(), ..Default::default() };
        let error = measure(&options).unwrap_err().to_string();
        assert_eq!(error, "/no/such/ratchet is not there");
    }
}
