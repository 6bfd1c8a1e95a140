//! Rounds of all flows, one after another; each is compared with the plain copy of its own round.

use super::Scale;
use super::flows::{Between, Count, FLOWS, Flow};
use super::served::Place;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How long a flow may take to get going before it is looked at.
const START: Duration = Duration::from_millis(300);

/// What a flow did.
#[derive(Clone, Copy, Default)]
struct Figures {
    /// Gigabytes a second.
    rate: f64,
    /// Gigabytes that whoever stands between carries in a second of one processor.
    worth: f64,
}

/// Measures and prints a table: the best round of each flow, and the middle of what the rounds say of its share. The best
/// of one flow and the best of another may come from different minutes of a busy machine; a round takes seconds.
pub(crate) async fn measure(place: &Place, scale: Scale, only: &str) {
    let is_wanted = |(at, flow): &(usize, &Flow)| *at == 0 || flow.name.contains(only);
    let flows: Vec<_> = FLOWS.iter().enumerate().filter(is_wanted).map(|(_, flow)| flow).collect();
    let mut rounds = vec![Vec::new(); flows.len()];
    for _ in 0..scale.rounds {
        for (flow, round) in flows.iter().zip(&mut rounds) {
            round.push(once(place, flow, scale.time).await);
        }
    }
    println!("\n| | GB/s | of the plain copy | GB a second of one processor | of the plain copy |");
    println!("|---|---|---|---|---|");
    for (flow, round) in flows.iter().zip(&rounds) {
        let [rate, worth] = [|figures: &Figures| figures.rate, |figures: &Figures| figures.worth]
            .map(|figure| (best(round, figure), shares(round, &rounds[0], figure)));
        let (worth, worth_shares) = match flow.between {
            Between::Nobody => (String::new(), String::new()),
            _ => (format!("{:.2}", worth.0), worth.1),
        };
        println!("| {} | {:.2} | {} | {worth} | {worth_shares} |", flow.name, rate.0, rate.1);
    }
}

fn best(round: &[Figures], figure: fn(&Figures) -> f64) -> f64 {
    round.iter().map(figure).fold(0.0, f64::max)
}

/// The middle of the shares, and the least and the greatest.
fn shares(ours: &[Figures], plain: &[Figures], figure: fn(&Figures) -> f64) -> String {
    let mut all: Vec<f64> =
        ours.iter().zip(plain).map(|(ours, plain)| 100.0 * figure(ours) / figure(plain)).collect();
    all.sort_by(f64::total_cmp);
    let (least, greatest) = (all[0], all[all.len() - 1]);
    format!("{:.0} % ({least:.0} to {greatest:.0})", all[all.len() / 2])
}

/// One flow for some time.
async fn once(place: &Place, flow: &Flow, time: Duration) -> Figures {
    let count = Count::default();
    let reading = (flow.read)(place, count.clone());
    let watching = async {
        tokio::time::sleep(START).await;
        let begun = (Instant::now(), count.load(Ordering::Relaxed), worked(place, flow.between));
        tokio::time::sleep(time).await;
        let gigabytes = (count.load(Ordering::Relaxed) - begun.1) as f64 / 1e9;
        let worked = worked(place, flow.between).saturating_sub(begun.2);
        let rate = gigabytes / begun.0.elapsed().as_secs_f64();
        Figures { rate, worth: gigabytes / worked.as_secs_f64().max(1e-9) }
    };
    let figures = tokio::select! {
        () = reading => panic!("{} ended", flow.name),
        figures = watching => figures,
    };
    assert!(figures.rate > 0.0, "nothing came: {}", flow.name);
    tokio::time::sleep(START).await; // what is closed is not to disturb the next
    figures
}

fn worked(place: &Place, between: Between) -> Duration {
    match between {
        Between::Proxy => place.proxy.worked(),
        Between::Server => place.server.worked(),
        Between::Nobody => Duration::ZERO,
    }
}
