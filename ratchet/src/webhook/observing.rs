//! The endpoint of traces: from the flag, or from the environment variables of OpenTelemetry.

use super::args::ObservingArgs;
use ratchet_webhook_server::TracingConfig;

/// Where traces go; `None` if nothing says so.
pub(super) fn tracing(args: &ObservingArgs) -> Result<Option<TracingConfig>, String> {
    let variable = |name: &str| std::env::var(name).ok().filter(|text| !text.is_empty());
    let endpoint = endpoint(args.tracing_endpoint.clone(), variable);
    let config = endpoint.map(|endpoint| TracingConfig {
        endpoint,
        sampling_rate_per_million: args.tracing_sampling_rate_per_million,
    });
    if let Some(config) = &config {
        config.check()?;
    }
    Ok(config)
}

fn endpoint(flag: Option<String>, variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    let all = || {
        let base = variable("OTEL_EXPORTER_OTLP_ENDPOINT")?;
        Some(format!("{}/v1/traces", base.trim_end_matches('/')))
    };
    flag.or_else(|| variable("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")).or_else(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_holds_before_the_environment() {
        let both = |name: &str| Some(format!("http://{}/", name.len()));
        let general = |name: &str| {
            (name == "OTEL_EXPORTER_OTLP_ENDPOINT").then(|| "http://c:4318/".to_owned())
        };
        assert_eq!(endpoint(Some("http://f".into()), both).as_deref(), Some("http://f"));
        assert_eq!(endpoint(None, both).as_deref(), Some("http://34/"));
        assert_eq!(endpoint(None, general).as_deref(), Some("http://c:4318/v1/traces"));
        assert_eq!(endpoint(None, |_| None), None);
    }
}
