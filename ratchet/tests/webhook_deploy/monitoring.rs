//! Alert rules and the dashboard: they parse, and every metric that they name is exported by the program.

use crate::files::{documents, read};
use crate::promql::metrics;
use ratchet_webhook_server::{METRIC_NAMES, Metrics};
use serde_json::{Value, json};
use std::process::Command;

const RULES: &str = "deploy/webhook/components/alerts/prometheus-rule.yaml";
const DASHBOARD: &str = "deploy/webhook/components/dashboard/ratchet-webhook.json";

fn assert_exported(place: &str, expression: &str) {
    let named = metrics(expression);
    assert!(!named.is_empty(), "{place} names no metric: {expression}");
    // Those of the process are in no list: they are in every text.
    let exported = Metrics::new().render();
    for name in named {
        let family = ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end));
        let is_exported = METRIC_NAMES.contains(&name.as_str())
            || exported.contains(&format!("# TYPE {name} "))
            || family.is_some_and(|family| METRIC_NAMES.contains(&family));
        assert!(is_exported, "{place} names {name}, which nobody exports: {expression}");
    }
}

fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value[field].as_str().unwrap_or_else(|| panic!("no {field}: {value}"))
}

#[test]
fn alerts_name_metrics_that_exist_and_what_to_do() {
    let rule = documents(&read(RULES)).remove(0);
    let mut count = 0;
    for group in rule["spec"]["groups"].as_array().unwrap() {
        for alert in group["rules"].as_array().unwrap() {
            let name = text(alert, "alert");
            assert!(name.starts_with("RatchetWebhook"), "{name}");
            assert_exported(name, text(alert, "expr"));
            assert!(["info", "warning", "critical"].contains(&text(&alert["labels"], "severity")));
            for field in ["summary", "description", "runbook"] {
                assert!(!text(&alert["annotations"], field).is_empty(), "{name}: {field}");
            }
            count += 1;
        }
    }
    assert!(count >= 8, "only {count} alerts");
}

#[test]
fn the_dashboard_shows_metrics_that_exist() {
    let dashboard: Value = serde_json::from_str(&read(DASHBOARD)).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let mut places: Vec<(u64, u64)> = Vec::new();
    for panel in panels {
        let title = text(panel, "title");
        assert!(!text(panel, "description").is_empty(), "{title}");
        let place = &panel["gridPos"];
        let (x, y, w) = (&place["x"], &place["y"], place["w"].as_u64().unwrap());
        let (x, y) = (x.as_u64().unwrap(), y.as_u64().unwrap());
        assert!(x + w <= 24 && !places.contains(&(x, y)), "{title} lies upon another");
        places.push((x, y));
        for target in panel["targets"].as_array().unwrap() {
            assert_exported(title, &text(target, "expr").replace("$__rate_interval", "5m"));
        }
    }
    assert!(panels.len() > 10, "only {} panels", panels.len());
    for variable in dashboard["templating"]["list"].as_array().unwrap() {
        if variable["type"] == "query" {
            let query = text(variable, "query").strip_prefix("label_values(").unwrap();
            assert_exported("a variable", query.split(',').next().unwrap());
        }
    }
}

#[test]
#[ignore = "needs RATCHET_PROMTOOL"]
fn promtool_takes_the_rules_and_the_expressions_of_the_dashboard() {
    let program = std::env::var_os("RATCHET_PROMTOOL").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let rules = documents(&read(RULES)).remove(0)["spec"].clone();
    let dashboard: Value = serde_json::from_str(&read(DASHBOARD)).unwrap();
    let panels = dashboard["panels"].as_array().unwrap().iter();
    let targets = panels.flat_map(|panel| panel["targets"].as_array().unwrap());
    // What a panel shows is taken for a rule that records it.
    let recorded = targets.enumerate().map(|(number, target)| {
        let expression = text(target, "expr").replace("$__rate_interval", "5m");
        json!({"record": format!("panel:{number}"), "expr": expression})
    });
    let panels = json!({"groups": [{"name": "panels", "rules": recorded.collect::<Vec<_>>()}]});
    for (name, content) in [("rules.yaml", rules), ("panels.yaml", panels)] {
        let file = folder.path().join(name);
        std::fs::write(&file, content.to_string()).unwrap();
        let mut check = Command::new(&program);
        let done = check.args(["check", "rules", "--lint-fatal"]).arg(&file).output().unwrap();
        let (out, errors) =
            (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
        assert!(done.status.success(), "{out}{errors}");
        let count = content["groups"].as_array().unwrap().iter();
        let count: usize = count.map(|group| group["rules"].as_array().unwrap().len()).sum();
        assert!(out.contains(&format!("{count} rules found")), "{count}: {out}");
    }
}
