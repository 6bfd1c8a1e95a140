//! Measurement of the model's parameters and points: a server of its own, loaded by `tools/load`.

mod about;
mod amounts;
mod churn;
mod load_report;
mod server;

use super::measured::{Measured, Point, PointLoad, ServerFigures, StoreFigures};
use super::options::MeasureOptions;
use amounts::{Amounts, FULL, QUICK};
use anyhow::{Context, Result, ensure};
use load_report::Figures;
use server::MeasuredServer;

/// Objects on a page of a list.
const PAGE: u32 = 500;

/// The clients at once, but for watches.
const CLIENTS: u32 = 16;

/// Measures everything.
pub(super) fn measure(options: &MeasureOptions) -> Result<Measured> {
    ensure!(options.binary.is_file(), "{} is not there", options.binary.display());
    let amounts = if options.quick { QUICK } else { FULL };
    let about = about::about(&options.binary, options.etcd.as_deref())?;
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
    let churn = churn::measure(&server, &amounts)?;
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
        patch_cpu_ms: churn.patch_cpu_ms,
        event_cpu_us: churn.event_cpu_us,
        piece_cpu_us: churn.piece_cpu_us,
        event_bytes: churn.event_bytes,
        base_memory_mb: memory.0,
        object_memory_kb: memory.1,
        watch_memory_kb: churn.watch_memory_kb,
    };
    let mixed = run("create-list", objects)?;
    let mixed = Point {
        name: "creates and pages in turn, CPU ms".to_owned(),
        load: PointLoad::Requests {
            creates: mixed.count("create"),
            pages: mixed.count("list"),
            seconds: duration,
        },
        measured: mixed.cpu_ms()?,
    };
    let mut points = vec![mixed];
    points.extend(churn.points);
    points.push(memory_point);
    Ok(Measured { about, server: figures, store: store_figures(&create)?, points })
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

/// What etcd used, if it was there: the process behind the server's.
fn store_figures(create: &Figures) -> Result<Option<StoreFigures>> {
    let Some(store) = create.store() else { return Ok(None) };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_goes_through_both_points() {
        assert_eq!(line((1.0, 5.0), (3.0, 9.0)), (3.0, 2.0));
    }

    #[test]
    fn a_binary_that_is_not_there_is_an_error() {
        let options = MeasureOptions { binary: "/no/such/ratchet".into(), ..Default::default() };
        let error = measure(&options).unwrap_err().to_string();
        assert_eq!(error, "/no/such/ratchet is not there");
    }
}
