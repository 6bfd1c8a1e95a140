//! Rounds of all flows, each compared with the plain copy of its own round.

use super::Scale;
use super::flows::{Count, FLOWS, Flow, Intermediary};
use super::served::Fixture;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Warm-up time of a flow before it is measured.
const START: Duration = Duration::from_millis(300);

/// The result of one flow.
#[derive(Clone, Copy, Default)]
struct Figures {
    /// Gigabytes a second.
    rate: f64,
    /// Gigabytes per second of CPU time of the process in between.
    per_cpu_second: f64,
}

/// Measures and prints a table: the best round of each flow, and the median of its share of the plain copy. Shares are
/// taken per round, because the best rounds of two flows may come from different minutes of a busy machine.
pub(crate) async fn measure(fixture: &Fixture, scale: Scale, only: &str) {
    let is_wanted = |(at, flow): &(usize, &Flow)| *at == 0 || flow.name.contains(only);
    let flows: Vec<_> = FLOWS.iter().enumerate().filter(is_wanted).map(|(_, flow)| flow).collect();
    let mut rounds = vec![Vec::new(); flows.len()];
    for _ in 0..scale.rounds {
        for (flow, round) in flows.iter().zip(&mut rounds) {
            round.push(run_flow(fixture, flow, scale.time).await);
        }
    }
    println!("\n| | GB/s | of the plain copy | GB a second of one processor | of the plain copy |");
    println!("|---|---|---|---|---|");
    for (flow, round) in flows.iter().zip(&rounds) {
        let [rate, per_cpu_second] =
            [|figures: &Figures| figures.rate, |figures: &Figures| figures.per_cpu_second]
                .map(|figure| (best(round, figure), shares(round, &rounds[0], figure)));
        let (per_cpu_second, worth_shares) = match flow.intermediary {
            Intermediary::Nobody => (String::new(), String::new()),
            _ => (format!("{:.2}", per_cpu_second.0), per_cpu_second.1),
        };
        println!(
            "| {} | {:.2} | {} | {per_cpu_second} | {worth_shares} |",
            flow.name, rate.0, rate.1
        );
    }
}

fn best(round: &[Figures], figure: fn(&Figures) -> f64) -> f64 {
    round.iter().map(figure).fold(0.0, f64::max)
}

/// Median, minimum and maximum of the shares.
fn shares(ours: &[Figures], plain: &[Figures], figure: fn(&Figures) -> f64) -> String {
    let mut all: Vec<f64> =
        ours.iter().zip(plain).map(|(ours, plain)| 100.0 * figure(ours) / figure(plain)).collect();
    all.sort_by(f64::total_cmp);
    let (least, greatest) = (all[0], all[all.len() - 1]);
    format!("{:.0} % ({least:.0} to {greatest:.0})", all[all.len() / 2])
}

/// Runs one flow for some time.
async fn run_flow(fixture: &Fixture, flow: &Flow, time: Duration) -> Figures {
    let count = Count::default();
    let reading = (flow.read)(fixture, count.clone());
    let watching = async {
        tokio::time::sleep(START).await;
        let begun =
            (Instant::now(), count.load(Ordering::Relaxed), cpu_time(fixture, flow.intermediary));
        tokio::time::sleep(time).await;
        let gigabytes = (count.load(Ordering::Relaxed) - begun.1) as f64 / 1e9;
        let cpu_time = cpu_time(fixture, flow.intermediary).saturating_sub(begun.2);
        let rate = gigabytes / begun.0.elapsed().as_secs_f64();
        Figures { rate, per_cpu_second: gigabytes / cpu_time.as_secs_f64().max(1e-9) }
    };
    let figures = tokio::select! {
        () = reading => panic!("{} ended", flow.name),
        figures = watching => figures,
    };
    assert!(figures.rate > 0.0, "nothing came: {}", flow.name);
    tokio::time::sleep(START).await; // closing connections must not disturb the next flow
    figures
}

fn cpu_time(fixture: &Fixture, intermediary: Intermediary) -> Duration {
    match intermediary {
        Intermediary::Proxy => fixture.proxy.cpu_time(),
        Intermediary::Server => fixture.server.cpu_time(),
        Intermediary::Nobody => Duration::ZERO,
    }
}
