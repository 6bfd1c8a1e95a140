//! Tests of requests and their events.

use super::*;
use crate::policy::Stages;
use crate::{HIDDEN, Policy};
use std::io::Write;
use std::sync::Mutex;

#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

struct Log {
    sink: Arc<Sink>,
    memory: Memory,
}

impl Log {
    fn new() -> Self {
        let memory = Memory::default();
        Self { sink: Arc::new(Sink::into_writer(memory.clone()).unwrap()), memory }
    }

    fn lines(&self) -> Vec<String> {
        assert!(self.sink.flush(std::time::Duration::from_secs(20)));
        let bytes = self.memory.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap().lines().map(str::to_owned).collect()
    }

    fn begin(&self, level: Level, request: Request) -> Trail {
        let detail = Detail { level, omit_stages: Stages::default(), omit_managed_fields: false };
        Trail::begin(&self.sink, detail, request).unwrap()
    }
}

fn about(resource: &str) -> Request {
    let object = ObjectReference {
        resource: resource.to_owned(),
        namespace: "default".to_owned(),
        name: "web".to_owned(),
        api_version: "v1".to_owned(),
        ..ObjectReference::default()
    };
    Request {
        audit_id: "id-1".to_owned(),
        uri: format!("/api/v1/namespaces/default/{resource}/web?token=s3cr3t"),
        verb: "update".to_owned(),
        user: User { username: "jane".to_owned(), ..User::default() },
        object: Some(object),
        received: Timestamp::new(1_800_000_000, 123_456_789).unwrap(),
        ..Request::default()
    }
}

fn tree(text: &str) -> Node<'_> {
    decode_first(text).unwrap()
}

/// The line without the time of its stage, which is now.
fn timeless(line: &str) -> String {
    let (before, rest) = line.split_once(r#""stageTimestamp":""#).unwrap();
    let (time, after) = rest.split_once('"').unwrap();
    assert_eq!(time.len(), "2027-01-15T08:00:00.123456Z".len(), "{time}");
    format!("{before}\"stageTimestamp\":\"NOW\"{after}")
}

#[test]
fn every_member_stands_where_the_api_server_writes_it() {
    let log = Log::new();
    let mut request = about("pods");
    request.user.uid = "u-1".to_owned();
    request.user.groups = vec!["dev".to_owned(), "system:authenticated".to_owned()];
    request.user.extra.insert("b".to_owned(), vec!["2".to_owned()]);
    request.user.extra.insert("a".to_owned(), vec![]);
    request.source_ips = vec!["192.0.2.1".parse().unwrap(), "fd00::1".parse().unwrap()];
    request.user_agent = "kubectl/v1.36 <test>".to_owned();
    let mut trail = log.begin(Level::RequestResponse, request);
    trail.impersonated(
        User { username: "joe".to_owned(), ..User::default() },
        "impersonate:user-info",
    );
    trail.request_object(&tree(
        r#"{"kind":"Pod","metadata":{"name":"other","uid":"o-1","resourceVersion":"7"}}"#,
    ));
    trail.response_object(&tree(r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"no","reason":"Conflict","details":{"name":"web","kind":"pods"},"code":409}"#));
    trail.status_code(409);
    trail.annotate("b", "first");
    trail.annotate("b", "second");
    trail.annotate("authorization.k8s.io/decision", "allow");
    trail.finish();
    let lines = log.lines();
    assert_eq!(
        lines[0],
        r#"{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"id-1","stage":"RequestReceived","requestURI":"/api/v1/namespaces/default/pods/web?token=[redacted]","verb":"update","user":{"username":"jane","uid":"u-1","groups":["dev","system:authenticated"],"extra":{"a":[],"b":["2"]}},"sourceIPs":["192.0.2.1","fd00::1"],"userAgent":"kubectl/v1.36 \u003ctest\u003e","objectRef":{"resource":"pods","namespace":"default","name":"web","apiVersion":"v1"},"requestReceivedTimestamp":"2027-01-15T08:00:00.123456Z","stageTimestamp":"2027-01-15T08:00:00.123456Z"}"#
    );
    assert_eq!(
        timeless(&lines[1]),
        r#"{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"id-1","stage":"ResponseComplete","requestURI":"/api/v1/namespaces/default/pods/web?token=[redacted]","verb":"update","user":{"username":"jane","uid":"u-1","groups":["dev","system:authenticated"],"extra":{"a":[],"b":["2"]}},"impersonatedUser":{"username":"joe"},"authenticationMetadata":{"impersonationConstraint":"impersonate:user-info"},"sourceIPs":["192.0.2.1","fd00::1"],"userAgent":"kubectl/v1.36 \u003ctest\u003e","objectRef":{"resource":"pods","namespace":"default","name":"web","uid":"o-1","apiVersion":"v1","resourceVersion":"7"},"responseStatus":{"metadata":{},"status":"Failure","message":"no","reason":"Conflict","details":{"name":"web","kind":"pods"},"code":409},"requestObject":{"kind":"Pod","metadata":{"name":"other","uid":"o-1","resourceVersion":"7"}},"responseObject":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"no","reason":"Conflict","details":{"name":"web","kind":"pods"},"code":409},"requestReceivedTimestamp":"2027-01-15T08:00:00.123456Z","stageTimestamp":"NOW","annotations":{"authorization.k8s.io/decision":"allow","b":"first"}}"#
    );
    assert_eq!(lines.len(), 2);
    assert_eq!(log.sink.counts().events(), 2);
    assert_eq!(log.sink.counts().level(Level::RequestResponse), 1);
}

#[test]
fn a_level_tells_no_more_than_it_says() {
    for (level, request, response) in [
        (Level::Metadata, false, false),
        (Level::Request, true, false),
        (Level::RequestResponse, true, true),
    ] {
        let log = Log::new();
        let mut trail = log.begin(level, about("pods"));
        trail.request_patch(r#"{"spec":{}}"#);
        trail.response_json(r#"{"kind":"Pod"}"#);
        trail.status_code(200);
        drop(trail);
        let line = &log.lines()[1];
        assert_eq!(line.contains(r#""requestObject":{"spec":{}}"#), request, "{line}");
        assert_eq!(line.contains(r#""responseObject":{"kind":"Pod"}"#), response, "{line}");
        assert!(line.contains(r#""responseStatus":{"metadata":{},"code":200}"#), "{line}");
    }
    let log = Log::new();
    let policy = "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: None}]";
    let detail = Policy::parse(policy).unwrap().level(&crate::Attributes::default());
    assert!(Trail::begin(&log.sink, detail, about("pods")).is_none());
    assert_eq!(log.sink.counts().level(Level::None), 1);
    assert!(log.lines().is_empty());
}

fn stages(log: &Log) -> Vec<String> {
    let stage = |line: &String| {
        let (_, rest) = line.split_once(r#""stage":""#).unwrap();
        rest.split('"').next().unwrap().to_owned()
    };
    log.lines().iter().map(stage).collect()
}

#[test]
fn a_request_that_is_given_up_is_told_to_its_end() {
    let log = Log::new();
    drop(log.begin(Level::Metadata, about("pods")));
    assert_eq!(stages(&log), ["RequestReceived", "ResponseComplete"]);
    let closed = r#""responseStatus":{"metadata":{},"status":"Success","message":"Connection closed early","code":200}"#;
    assert!(log.lines()[1].contains(closed));

    let log = Log::new();
    drop(log.begin(Level::Metadata, Request { is_long_running: true, ..about("pods") }));
    assert_eq!(stages(&log), ["RequestReceived", "ResponseStarted", "ResponseComplete"]);
}

#[test]
fn a_watch_is_told_three_times_and_a_panic_is_told_as_one() {
    let log = Log::new();
    let mut watch = log.begin(Level::Metadata, Request { is_long_running: true, ..about("pods") });
    watch.status_code(200);
    watch.response_started();
    watch.finish();
    assert_eq!(stages(&log), ["RequestReceived", "ResponseStarted", "ResponseComplete"]);

    let log = Log::new();
    log.begin(Level::Metadata, about("pods")).panicked("as this test wants");
    assert_eq!(stages(&log), ["RequestReceived", "Panic"]);
    assert!(log.lines()[1].contains(
        r#""message":"APIServer panic'd: as this test wants","reason":"InternalError","code":500"#
    ));

    let log = Log::new();
    let trail = log.begin(Level::Metadata, about("pods"));
    std::thread::spawn(move || {
        let _trail = trail;
        panic!("as this test wants");
    })
    .join()
    .unwrap_err();
    assert_eq!(stages(&log), ["RequestReceived", "Panic"]);
}

#[test]
fn stages_and_managed_fields_can_be_left_out() {
    let log = Log::new();
    let detail = Detail {
        level: Level::RequestResponse,
        omit_stages: [Stage::RequestReceived].into_iter().collect(),
        omit_managed_fields: true,
    };
    let mut trail = Trail::begin(&log.sink, detail, about("pods")).unwrap();
    trail.request_object(&tree(r#"{"metadata":{"name":"a","managedFields":[{}]}}"#));
    trail.response_json(
        r#"{"items":[{"metadata":{"managedFields":[]}}],"rows":[{"object":{"metadata":{"managedFields":[]}}}]}"#,
    );
    drop(trail);
    assert_eq!(stages(&log), ["ResponseComplete"]);
    assert!(!log.lines()[0].contains("managedFields"));
}

#[test]
fn no_level_tells_a_secret() {
    let secret = r#"{"kind":"Secret","apiVersion":"v1","metadata":{"name":"web"},"data":{"password":"s3cr3t"}}"#;
    let bodies: [&dyn Fn(&mut Trail); 7] = [
        &|trail| trail.request_object(&tree(secret)),
        &|trail| trail.request_patch(r#"{"data":{"password":"s3cr3t"}}"#),
        &|trail| trail.request_patch("data:\n  password: s3cr3t\n"),
        &|trail| trail.request_patch(r#"[{"op":"add","path":"/data/password","value":"s3cr3t"}]"#),
        &|trail| trail.request_patch("{ s3cr3t"),
        &|trail| trail.response_json(&format!(r#"{{"kind":"SecretList","items":[{secret}]}}"#)),
        &|trail| {
            let status = r#"{"kind":"Status","status":"Failure","reason":"Invalid","message":"s3cr3t is bad","details":{"causes":[{"message":"s3cr3t"}]},"code":422}"#;
            trail.response_object(&tree(status));
        },
    ];
    for level in [Level::Metadata, Level::Request, Level::RequestResponse] {
        for body in bodies {
            let log = Log::new();
            let mut trail = log.begin(level, about("secrets"));
            body(&mut trail);
            drop(trail);
            for line in log.lines() {
                assert!(!line.contains("s3cr3t"), "{line}");
                assert!(decode_first(&line).is_some(), "a line is one JSON value: {line}");
            }
        }
    }
    let log = Log::new();
    let mut trail = log.begin(Level::Request, about("secrets"));
    trail.request_object(&tree(secret));
    drop(trail);
    assert!(log.lines()[1].contains(&format!(r#""data":{{"password":"{HIDDEN}"}}"#)));
}

#[test]
fn long_names_of_programs_are_cut() {
    let log = Log::new();
    let request = Request { user_agent: "ä".repeat(600), ..about("pods") };
    drop(log.begin(Level::Metadata, request));
    let expected = format!(r#""userAgent":"{}...TRUNCATED""#, "ä".repeat(512));
    assert!(log.lines()[0].contains(&expected));
}
