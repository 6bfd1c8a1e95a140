//! Tests of the text of a scrape.

use super::*;

#[test]
fn the_text_is_as_the_api_server_writes_it() {
    let registry = Registry::new();
    let total = registry.counter(
        "apiserver_request_total",
        Stability::Stable,
        "Counter of apiserver requests.",
        &["verb", "code"],
    );
    let seconds = registry.histogram(
        "apiserver_request_duration_seconds",
        Stability::Stable,
        "Response latency\\distribution\nin seconds.",
        &["verb"],
        &[0.005, 1.0, 2.5],
    );
    let hidden = registry.gauge("a_hidden_family", Stability::Alpha, "Has no series.", &["name"]);
    let plain = registry.gauge("b_plain_gauge", Stability::Beta, "Has no labels.", &[]);
    let unmarked = registry.counter("c_unmarked_total", Stability::Unmarked, "Not ours.", &[]);
    registry.collector(Box::new(|writer| {
        writer
            .family("aa_computed", MetricType::Gauge, Stability::Alpha, "Computed.")
            .sample(&[("z", "1"), ("a", "2")], 242.0)
            .sample(&[("z", "1"), ("a", "10")], -1.0);
        writer.family("ab_computed_but_empty", MetricType::Counter, Stability::Alpha, "Nothing.");
    }));

    total.with(&["LIST", "200"]).add(1_500_000);
    total.with(&["GET", "404"]).inc();
    total.with(&["GET", "200"]).inc();
    total.with(&["we\"ird\\\n", "0"]).inc();
    for value in [0.001, 0.005, 0.3, 2.0, 70.0] {
        seconds.with(&["GET"]).observe(value);
    }
    hidden.with(&["gone"]).set(4.0);
    hidden.remove(&["gone"]);
    plain.with(&[]).set(2.5);
    plain.with(&[]).inc();
    plain.with(&[]).dec();
    unmarked.with(&[]);

    let text = r#"# HELP aa_computed [ALPHA] Computed.
# TYPE aa_computed gauge
aa_computed{a="10",z="1"} -1
aa_computed{a="2",z="1"} 242
# HELP apiserver_request_duration_seconds [STABLE] Response latency\\distribution\nin seconds.
# TYPE apiserver_request_duration_seconds histogram
apiserver_request_duration_seconds_bucket{verb="GET",le="0.005"} 2
apiserver_request_duration_seconds_bucket{verb="GET",le="1"} 3
apiserver_request_duration_seconds_bucket{verb="GET",le="2.5"} 4
apiserver_request_duration_seconds_bucket{verb="GET",le="+Inf"} 5
apiserver_request_duration_seconds_sum{verb="GET"} 72.306
apiserver_request_duration_seconds_count{verb="GET"} 5
# HELP apiserver_request_total [STABLE] Counter of apiserver requests.
# TYPE apiserver_request_total counter
apiserver_request_total{code="0",verb="we\"ird\\\n"} 1
apiserver_request_total{code="200",verb="GET"} 1
apiserver_request_total{code="200",verb="LIST"} 1.5e+06
apiserver_request_total{code="404",verb="GET"} 1
# HELP b_plain_gauge [BETA] Has no labels.
# TYPE b_plain_gauge gauge
b_plain_gauge 2.5
# HELP c_unmarked_total Not ours.
# TYPE c_unmarked_total counter
c_unmarked_total 0
"#;
    assert_eq!(registry.render(), text);
}

#[test]
fn a_series_is_one_however_it_is_reached() {
    let registry = Registry::new();
    let total = registry.counter("x_total", Stability::Alpha, "X.", &["a", "b"]);
    let again = total.clone();
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let total = total.clone();
            std::thread::spawn(move || (0..1000).for_each(|_| total.with(&["1", "2"]).inc()))
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(again.with(&["1", "2"]).get(), 4000);
    assert_eq!(again.with(&["12", ""]).get(), 0, "values are not run together");
}

#[test]
fn series_do_not_grow_without_end() {
    let registry = Registry::new();
    let total = registry.counter("x_total", Stability::Alpha, "X.", &["a"]);
    for number in 0..20_100 {
        total.with(&[&number.to_string()]).inc();
    }
    assert_eq!(registry.render().lines().count(), 2 + 20_001);
    assert_eq!(total.with(&["overflow"]).get(), 100);
}

#[test]
fn a_collector_may_register_more() {
    let registry = Registry::new();
    let inner = registry.clone();
    registry.collector(Box::new(move |_| {
        inner.counter("late_total", Stability::Alpha, "Late.", &[]).with(&[]).inc();
    }));
    registry.render();
    assert!(registry.render().contains("late_total 1\n"));
}
