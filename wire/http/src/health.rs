//! Health endpoints `/livez`, `/readyz` and `/healthz`, as a whole or for single checks.

mod log_probe;
mod observed;

pub use log_probe::LogProbe;

use std::collections::BTreeSet;

use http::StatusCode;
use observed::Observed;

/// The three health endpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Endpoint {
    /// The deprecated endpoint, answered like `livez`.
    Healthz,
    /// Whether this process should be restarted.
    Livez,
    /// Whether this process should receive requests.
    Readyz,
}

impl Endpoint {
    /// All endpoints.
    pub const ALL: [Self; 3] = [Self::Healthz, Self::Livez, Self::Readyz];

    /// The name, which is also the path without the slash.
    pub fn name(self) -> &'static str {
        match self {
            Self::Healthz => "healthz",
            Self::Livez => "livez",
            Self::Readyz => "readyz",
        }
    }
}

/// The query of a probe.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HealthQuery {
    /// Lists every check with its result, also when all succeed.
    pub verbose: bool,
    /// Checks to leave out.
    pub exclude: BTreeSet<String>,
}

impl HealthQuery {
    /// Parses the query of a URL, such as `verbose&exclude=etcd`.
    pub fn parse(query: Option<&str>) -> Self {
        let mut parsed = Self::default();
        for pair in query.unwrap_or_default().split('&').filter(|pair| !pair.contains(';')) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            match percent_decode(name).as_deref() {
                Some("verbose") => parsed.verbose = true,
                Some("exclude") => parsed.exclude.extend(percent_decode(value)),
                _ => {}
            }
        }
        parsed
    }
}

type CheckFn = Box<dyn Fn() -> Result<(), String> + Send + Sync>;

struct Check {
    name: String,
    on: Vec<Endpoint>,
    run: CheckFn,
}

type NoteFn = Box<dyn Fn() -> Option<String> + Send + Sync>;

/// The table of checks, run in the order in which they were added.
#[derive(Default)]
pub struct Checks {
    checks: Vec<Check>,
    notes: Vec<NoteFn>,
    observed: Observed,
}

impl Checks {
    /// A table with `ping`, which succeeds as long as the server responds.
    pub fn new() -> Self {
        Self::default().with("ping", &Endpoint::ALL, || Ok(()))
    }

    /// Adds a check to these endpoints; it must not block, and returns the reason when it fails.
    #[must_use]
    pub fn with(
        mut self,
        name: impl Into<String>,
        on: &[Endpoint],
        run: impl Fn() -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.checks.push(Check { name: name.into(), on: on.to_vec(), run: Box::new(run) });
        self
    }

    /// Adds what readiness tells in its verbose form although it holds; it must not block.
    #[must_use]
    pub fn with_note(mut self, note: impl Fn() -> Option<String> + Send + Sync + 'static) -> Self {
        self.notes.push(Box::new(note));
        self
    }

    /// The response in plain text: of the whole endpoint, or of one check named in the path
    /// (`/livez/etcd`).
    ///
    /// An unknown check is not found.
    pub fn render(
        &self,
        endpoint: Endpoint,
        query: &HealthQuery,
        check: Option<&str>,
    ) -> (StatusCode, String) {
        let Some(name) = check else { return self.render_all(endpoint, query) };
        let missing = || (StatusCode::NOT_FOUND, "404 page not found\n".to_owned());
        self.checks_of(endpoint).find(|check| check.name == name).map_or_else(missing, render_check)
    }

    /// The names of an endpoint's checks, for the list of paths.
    pub fn names(&self, endpoint: Endpoint) -> impl Iterator<Item = &str> {
        self.checks_of(endpoint).map(|check| check.name.as_str())
    }

    /// The results so far, as `GET /metrics/slis` returns them.
    pub fn metrics(&self) -> String {
        self.observed.render()
    }

    fn checks_of(&self, endpoint: Endpoint) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(move |check| check.on.contains(&endpoint))
    }

    fn render_all(&self, endpoint: Endpoint, query: &HealthQuery) -> (StatusCode, String) {
        let mut unknown = query.exclude.clone();
        let mut text = String::new();
        let mut failed = false;
        for check in self.checks_of(endpoint) {
            let name = &check.name;
            if query.exclude.contains(name) {
                unknown.remove(name);
                text += &format!("[+]{name} excluded: ok\n");
                continue;
            }
            let result = (check.run)();
            self.observed.record(endpoint, name, result.is_ok());
            if let Err(why) = result {
                // Anybody may read this; the reason is for the log, and for those who may read the
                // check itself.
                tracing::info!(
                    check = name,
                    endpoint = endpoint.name(),
                    why,
                    "health check failed"
                );
                failed = true;
                text += &format!("[-]{name} failed: reason withheld\n");
            } else {
                text += &format!("[+]{name} ok\n");
            }
        }
        if endpoint == Endpoint::Readyz {
            let notes = self.notes.iter().filter_map(|note| note());
            text.extend(notes.map(|note| format!("warn: {note}\n")));
        }
        if !unknown.is_empty() {
            let names: Vec<String> = unknown.iter().map(|name| format!("{name:?}")).collect();
            let names = names.join(",");
            text +=
                &format!("warn: some health checks cannot be excluded: no matches for {names}\n");
        }
        let name = endpoint.name();
        match (failed, query.verbose) {
            (true, _) => {
                (StatusCode::INTERNAL_SERVER_ERROR, format!("{text}{name} check failed\n"))
            }
            (false, true) => (StatusCode::OK, format!("{text}{name} check passed\n")),
            (false, false) => (StatusCode::OK, "ok".to_owned()),
        }
    }
}

fn render_check(check: &Check) -> (StatusCode, String) {
    match (check.run)() {
        Ok(()) => (StatusCode::OK, "ok".to_owned()),
        Err(why) => (StatusCode::INTERNAL_SERVER_ERROR, format!("internal server error: {why}\n")),
    }
}

/// Decodes `%41` and `+`; `None` for an invalid escape, and then the pair is ignored.
fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = text.bytes();
    let mut out = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'+' => b' ',
            b'%' => {
                let mut digit = || char::from(bytes.next()?).to_digit(16);
                (digit()? * 16 + digit()?) as u8
            }
            other => other,
        });
    }
    Some(String::from_utf8_lossy(&out).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checks(etcd: Result<(), String>) -> Checks {
        Checks::new().with("etcd", &Endpoint::ALL, move || etcd.clone()).with(
            "shutdown",
            &[Endpoint::Readyz],
            || Ok(()),
        )
    }

    fn ask(checks: &Checks, endpoint: Endpoint, query: &str) -> (u16, String) {
        let query = HealthQuery::parse(Some(query));
        let (status, text) = checks.render(endpoint, &query, None);
        (status.as_u16(), text)
    }

    #[test]
    fn a_healthy_server_says_ok_and_more_when_asked() {
        let checks = checks(Ok(()));
        assert_eq!(ask(&checks, Endpoint::Livez, ""), (200, "ok".into()));
        assert_eq!(
            ask(&checks, Endpoint::Livez, "verbose"),
            (200, "[+]ping ok\n[+]etcd ok\nlivez check passed\n".into())
        );
        assert_eq!(
            ask(&checks, Endpoint::Readyz, "timeout=5s&verbose=false&exclude=etcd"),
            (200, "[+]ping ok\n[+]etcd excluded: ok\n[+]shutdown ok\nreadyz check passed\n".into())
        );
    }

    #[test]
    fn readiness_has_notes_though_it_holds() {
        let checks = checks(Ok(())).with_note(|| None).with_note(|| Some("no room".to_owned()));
        assert_eq!(ask(&checks, Endpoint::Readyz, ""), (200, "ok".into()));
        let (code, text) = ask(&checks, Endpoint::Readyz, "verbose");
        assert!(code == 200 && text.contains("[+]etcd ok\n") && text.contains("warn: no room\n"));
        assert!(!ask(&checks, Endpoint::Livez, "verbose").1.contains("no room"));
    }

    #[test]
    fn results_are_counted() {
        let checks = checks(Err("no disk".into()));
        for query in ["", "exclude=etcd"] {
            ask(&checks, Endpoint::Livez, query);
        }
        let text = checks.metrics();
        for line in [
            "# HELP kubernetes_healthcheck [STABLE] ",
            "kubernetes_healthcheck{name=\"etcd\",type=\"livez\"} 0\n",
            "kubernetes_healthcheck{name=\"ping\",type=\"livez\"} 1\n",
            "kubernetes_healthchecks_total{name=\"etcd\",status=\"error\",type=\"livez\"} 1\n",
            "kubernetes_healthchecks_total{name=\"ping\",status=\"success\",type=\"livez\"} 2\n",
            "process_start_time_seconds ",
        ] {
            assert!(text.contains(line), "{line}{text}");
        }
        assert!(!text.contains("shutdown"), "it was not asked: {text}");
    }

    #[test]
    fn an_unknown_exclusion_is_told() {
        let checks = checks(Ok(()));
        assert_eq!(ask(&checks, Endpoint::Livez, "exclude=x"), (200, "ok".into()));
        let (_, text) =
            ask(&checks, Endpoint::Livez, "verbose&exclude=z%22&exclude=shut+down&exclude=ping");
        assert_eq!(
            text,
            "[+]ping excluded: ok\n[+]etcd ok\nwarn: some health checks cannot be excluded: \
             no matches for \"shut down\",\"z\\\"\"\nlivez check passed\n"
        );
    }

    #[test]
    fn a_failure_is_always_verbose_and_keeps_its_reason() {
        let checks = checks(Err("password wrong".into()));
        assert_eq!(
            ask(&checks, Endpoint::Healthz, ""),
            (500, "[+]ping ok\n[-]etcd failed: reason withheld\nhealthz check failed\n".into())
        );
        assert_eq!(ask(&checks, Endpoint::Healthz, "exclude=etcd"), (200, "ok".into()));
    }

    #[test]
    fn a_check_can_be_asked_alone() {
        let checks = checks(Err("no disk".into()));
        let render_check =
            |name| checks.render(Endpoint::Livez, &HealthQuery::default(), Some(name));
        assert_eq!(render_check("ping"), (StatusCode::OK, "ok".into()));
        let failure = "internal server error: no disk\n".to_owned();
        assert_eq!(render_check("etcd"), (StatusCode::INTERNAL_SERVER_ERROR, failure));
        assert_eq!(render_check("shutdown").0, StatusCode::NOT_FOUND, "not a check of livez");
        assert_eq!(checks.names(Endpoint::Livez).collect::<Vec<_>>(), ["ping", "etcd"]);
    }

    #[test]
    fn broken_queries_do_not_count() {
        assert_eq!(HealthQuery::parse(None), HealthQuery::default());
        for query in ["%zz", "verbos", "verbose;x", "exclude=%4"] {
            assert_eq!(HealthQuery::parse(Some(query)), HealthQuery::default(), "{query}");
        }
        assert!(HealthQuery::parse(Some("%76erbose=1")).verbose);
    }
}
