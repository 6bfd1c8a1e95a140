//! Rounds of all flows, one after another, and the best of each.

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

impl Figures {
    fn best(self, other: Self) -> Self {
        Self { rate: self.rate.max(other.rate), worth: self.worth.max(other.worth) }
    }
}

/// Measures and prints a table; the first row is what the others are compared with.
pub(crate) async fn measure(place: &Place, scale: Scale, only: &str) {
    let is_wanted = |(at, flow): &(usize, &Flow)| *at == 0 || flow.name.contains(only);
    let flows: Vec<_> = FLOWS.iter().enumerate().filter(is_wanted).map(|(_, flow)| flow).collect();
    let mut best = vec![Figures::default(); flows.len()];
    for _ in 0..scale.rounds {
        for (flow, best) in flows.iter().zip(&mut best) {
            *best = best.best(once(place, flow, scale.time).await);
        }
    }
    let plain = best[0];
    println!("\n| | GB/s | of the plain copy | GB a second of one processor | of the plain copy |");
    println!("|---|---|---|---|---|");
    for (flow, figures) in flows.iter().zip(best) {
        let share = |ours: f64, theirs: f64| format!("{:.0} %", 100.0 * ours / theirs);
        let rate = share(figures.rate, plain.rate);
        let (worth, worth_share) = match flow.between {
            Between::Nobody => ("".to_owned(), "".to_owned()),
            _ => (format!("{:.2}", figures.worth), share(figures.worth, plain.worth)),
        };
        println!("| {} | {:.2} | {rate} | {worth} | {worth_share} |", flow.name, figures.rate);
    }
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
