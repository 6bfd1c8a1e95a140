//! The metrics of API Priority and Fairness that are computed when they are scraped.

use super::current::Current;
use ratchet_http::metrics::{MetricType, Stability, Writer};
use std::collections::BTreeMap;

/// The families of levels: name, stability, help, value.
type LevelFamily = (&'static str, Stability, &'static str, fn(&LevelValues) -> f64);

const LEVELS: &[LevelFamily] = &[
    (
        "nominal_limit_seats",
        Stability::Beta,
        "The seats of each priority level by its share.",
        |level| level.nominal,
    ),
    (
        "lower_limit_seats",
        Stability::Alpha,
        "The seats of each priority level when it lends all that it may.",
        |level| level.lower,
    ),
    (
        "upper_limit_seats",
        Stability::Alpha,
        "The seats of each priority level when it borrows all that it may.",
        |level| level.upper,
    ),
    (
        "current_limit_seats",
        Stability::Alpha,
        "The seats of each priority level for now.",
        |level| level.current,
    ),
    (
        "demand_seats_high_watermark",
        Stability::Alpha,
        "The most seats that each priority level could have used in the last period.",
        |level| level.high_watermark,
    ),
    (
        "demand_seats_average",
        Stability::Alpha,
        "The seats that each priority level could have used on average in the last period.",
        |level| level.average,
    ),
    (
        "demand_seats_stdev",
        Stability::Alpha,
        "The standard deviation of the seats that each priority level could have used in the last period.",
        |level| level.deviation,
    ),
    (
        "demand_seats_smoothed",
        Stability::Alpha,
        "The seats that each priority level could have used, smoothed over periods.",
        |level| level.smoothed,
    ),
    (
        "target_seats",
        Stability::Alpha,
        "The seats that were aimed at for each priority level when seats were last lent.",
        |level| level.target,
    ),
    (
        "current_r",
        Stability::Alpha,
        "The virtual time of each priority level, in seconds of seats.",
        |level| level.virtual_time,
    ),
];

struct LevelValues {
    nominal: f64,
    lower: f64,
    upper: f64,
    current: f64,
    high_watermark: f64,
    average: f64,
    deviation: f64,
    smoothed: f64,
    target: f64,
    virtual_time: f64,
}

/// Requests and seats of one flow: waiting, executing.
#[derive(Default)]
struct FlowValues {
    waiting: [f64; 2],
    executing: [f64; 2],
}

type FlowFamily = (&'static str, Stability, &'static str, fn(&FlowValues) -> f64);

const FLOWS: &[FlowFamily] = &[
    ("current_inqueue_requests", Stability::Beta, "Requests that wait.", |flow| flow.waiting[0]),
    ("current_inqueue_seats", Stability::Alpha, "Seats that waiting requests want.", |flow| {
        flow.waiting[1]
    }),
    ("current_executing_requests", Stability::Beta, "Requests that have their seats.", |flow| {
        flow.executing[0]
    }),
    ("current_executing_seats", Stability::Beta, "Seats that are taken.", |flow| flow.executing[1]),
];

/// Writes what is computed when it is scraped.
pub(super) fn write(current: &Current, writer: &mut Writer) {
    let mut values: Vec<(String, LevelValues)> = Vec::new();
    let mut flows: BTreeMap<(String, String), FlowValues> = BTreeMap::new();
    for flow in &current.flows {
        let (level, schema) = (flow.level.name(), flow.schema.name.as_str());
        flows.entry((level.into(), schema.into())).or_default();
    }
    for level in current.levels.iter().chain(&current.quiescing) {
        let state = level.state();
        let (_, limit) = state.set.configuration();
        #[allow(clippy::cast_precision_loss, reason = "a gauge need not be exact")]
        let virtual_time = state.set.virtual_time() as f64 / 1e9;
        values.push((
            level.name().to_owned(),
            LevelValues {
                nominal: f64::from(state.limits.nominal),
                lower: f64::from(state.limits.lower),
                upper: f64::from(state.limits.upper),
                current: f64::from(limit),
                high_watermark: f64::from(state.stats.high_watermark),
                average: state.stats.average,
                deviation: state.stats.deviation,
                smoothed: state.stats.smoothed,
                target: state.target,
                virtual_time,
            },
        ));
        for request in state.set.requests() {
            let schema = request.request.flow.schema.name.as_str();
            let flow = flows.entry((level.name().into(), schema.into())).or_default();
            let [count, seats] = match request.started {
                Some(_) => &mut flow.executing,
                None => &mut flow.waiting,
            };
            *count += 1.0;
            *seats += f64::from(request.seats);
        }
    }
    for (name, stability, help, value) in LEVELS {
        let name = format!("apiserver_flowcontrol_{name}");
        let mut family = writer.family(&name, MetricType::Gauge, *stability, help);
        for (level, values) in &values {
            family.sample(&[("priority_level", level)], value(values));
        }
    }
    for (name, stability, help, value) in FLOWS {
        let name = format!("apiserver_flowcontrol_{name}");
        let mut family = writer.family(&name, MetricType::Gauge, *stability, help);
        for ((level, schema), values) in &flows {
            family.sample(&[("priority_level", level), ("flow_schema", schema)], value(values));
        }
    }
}
