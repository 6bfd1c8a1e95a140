//! Deterministic random requests: valid ones, damaged ones, and garbage.

use super::bodies::{ODD_VALUES, VALID};
use serde_json::Value;

/// A deterministic pseudorandom generator (xorshift64*).
pub(crate) struct Dice(u64);

impl Dice {
    /// A generator with this seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.max(1))
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    /// True once in `times`.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// A random element.
    pub(crate) fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}

/// A request to be sent.
#[derive(Debug)]
pub(crate) struct Shot {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
}

const METHODS: &[&str] =
    &["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "BREW"];

const TYPES: &[&str] = &[
    "application/json",
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
    "application/cbor",
    "text/plain; charset=latin1",
    ";;;",
];

const ACCEPTS: &[&str] = &[
    "application/json",
    "application/yaml",
    "*/*",
    "application/vnd.kubernetes.protobuf",
    "application/vnd.kubernetes.protobuf,application/json",
    "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
    "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
    "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
    "application/json;as=Nonsense;v=v9;g=x",
    "application/json;q=0",
    "application/json;stream=watch",
    ";;;,,,;=",
    "application/cbor",
];

const QUERIES: &[&str] = &[
    "limit=1",
    "limit=-1",
    "limit=9e99",
    "limit=9223372036854775807",
    "limit=18446744073709551616",
    "continue=%00%ff",
    "continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiXHUwMDAwIn0",
    "continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIvYVx1MDAwMCJ9",
    "continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6OTIyMzM3MjAzNjg1NDc3NTgwNywic3RhcnQiOiIvIn0",
    "resourceVersion=0",
    "resourceVersion=1",
    "resourceVersion=-1",
    "resourceVersion=1e3",
    "resourceVersion=99999999999999999999999",
    "resourceVersion=0&resourceVersionMatch=Exact",
    "resourceVersion=1&resourceVersionMatch=Exact",
    "resourceVersionMatch=NotOlderThan",
    "labelSelector=a%3Db",
    "labelSelector=a+in+(b,c),!d,e+notin+(),f%3Eg",
    "labelSelector=((((((((",
    "labelSelector=%00",
    "fieldSelector=metadata.name%3Da",
    "fieldSelector=metadata.name%21%3Da%5C,b",
    "fieldSelector=spec.nodeName%3D",
    "fieldSelector=a%3D%3D%3Db",
    "dryRun=All",
    "dryRun=None",
    "fieldValidation=Strict",
    "fieldValidation=Warn",
    "fieldValidation=x",
    "fieldManager=%f0%28%8c%28",
    "force=true",
    "pretty=true",
    "pretty=%00",
    "gracePeriodSeconds=-1",
    "gracePeriodSeconds=0",
    "gracePeriodSeconds=9223372036854775807",
    "gracePeriodSeconds=x",
    "propagationPolicy=Foreground",
    "propagationPolicy=Orphan&orphanDependents=true",
    "ignoreStoreReadErrorWithClusterBreakingPotential=true",
    "timeoutSeconds=1",
    "timeoutSeconds=-1",
    "timeoutSeconds=18446744073709551615",
    "timeoutSeconds=9223372036854775807",
    "watch=1&timeoutSeconds=1",
    "watch=true&timeoutSeconds=18446744073709551615",
    "watch=1&timeoutSeconds=1&resourceVersion=1&allowWatchBookmarks=1",
    "watch=1&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
    "watch=1&timeoutSeconds=1&sendInitialEvents=maybe",
    "includeObject=Object",
    "includeObject=%ff",
    "sendInitialEvents=true",
    "exact=1&export=1",
    "&&&===&%",
];

const SEGMENTS: &[&str] = &[
    "",
    ".",
    "..",
    "%2e%2e",
    "%2f",
    "%00",
    "%",
    "%zz",
    "%ff%fe",
    "*",
    "a%20b",
    "%F0%9F%92%A5",
    "~",
    "status",
    "scale",
    "proxy",
    "log",
    "exec",
    "watch",
    "namespaces",
    "default",
    "pods",
    "a",
    "..%2f..%2fetc%2fpasswd",
    "token",
    "eviction",
    "binding",
    "approval",
    "finalize",
    "ephemeralcontainers",
    "resize",
];

const PLAIN: &[&str] = &[
    "/",
    "/api",
    "/api/",
    "/api/v1",
    "/apis",
    "/apis/apps",
    "/apis/apps/v1",
    "/version",
    "/healthz",
    "/livez/x",
    "/readyz?verbose&exclude=%00",
    "/metrics",
    "/openapi/v2",
    "/openapi/v3",
    "/openapi/v3/api/v1?hash=x",
    "/logs",
    "/debug/pprof",
    "/.well-known/openid-configuration",
    "/openid/v1/jwks",
    "*",
    "//",
    "/%2e%2e/api",
    "/apis/x.example/v1/things",
    "/apis/apps/v9/deployments",
];

/// The next request; `paths` are the collections that the server serves.
pub(crate) fn shot(dice: &mut Dice, paths: &[String]) -> Shot {
    let valid = VALID[dice.below(VALID.len())];
    let name = format!("n{}", dice.below(4));
    let mut path = match dice.below(10) {
        0..7 => valid.0.to_owned(),
        7 => paths[dice.below(paths.len())].clone(),
        8 => dice.pick(PLAIN).to_owned(),
        _ => scramble(dice),
    };
    // More is created than deleted, so that there are objects to read and change.
    let mut method = dice.pick(&["GET", "POST", "POST", "PUT", "PUT", "PATCH", "PATCH", "DELETE"]);
    if dice.once_in(20) {
        method = dice.pick(METHODS);
    }
    if method != "POST" && !dice.once_in(8) {
        path.push('/');
        path.push_str(&name);
        if dice.once_in(4) {
            path.push('/');
            path.push_str(dice.pick(SEGMENTS));
        }
    }
    if dice.once_in(3) && !path.contains('?') {
        path.push('?');
        for _ in 0..=dice.below(3) {
            path.push_str(dice.pick(QUERIES));
            path.push('&');
        }
    }
    let body = match method {
        "GET" | "HEAD" if !dice.once_in(10) => Vec::new(),
        "DELETE" if !dice.once_in(3) => Vec::new(),
        _ => damaged(dice, &valid.1.replace("NAME", &name)),
    };
    let mut headers = Vec::new();
    let content_type = match (method, dice.below(16)) {
        (_, 0) => Some(dice.pick(TYPES)),
        (_, 1) => None,
        ("PATCH", _) => Some(dice.pick(&TYPES[3..6])),
        _ => Some("application/json"),
    };
    headers.extend(content_type.map(|value| ("Content-Type", value.to_owned())));
    if dice.once_in(6) {
        headers.push(("Accept", dice.pick(ACCEPTS).to_owned()));
    }
    if dice.once_in(40) {
        headers.push(("Content-Encoding", dice.pick(&["gzip", "br", "identity", "x"]).to_owned()));
    }
    if dice.once_in(40) {
        headers.push(("Accept-Encoding", "gzip;q=0.1,x".to_owned()));
    }
    if dice.once_in(60) {
        let token = dice.pick(&["x", "", "a.b.c", "eyJhbGciOiJub25lIn0.e30.", "....."]);
        headers.push(("Authorization", format!("Bearer {token}")));
    }
    if dice.once_in(60) {
        headers.push(("Impersonate-User", dice.pick(&["", "system:admin", "a", "%00"]).to_owned()));
        headers.push(("Impersonate-Group", dice.pick(&["", "system:masters", "b"]).to_owned()));
    }
    if dice.once_in(60) {
        headers.push(("Impersonate-Extra-%00", "x".to_owned()));
    }
    if dice.once_in(60) {
        headers.push(("Audit-ID", "x".repeat(dice.below(2000))));
    }
    Shot { method, path, headers, body }
}

fn scramble(dice: &mut Dice) -> String {
    let mut path =
        dice.pick(&["/api/v1", "/apis/apps/v1", "/apis", "/api", "", "/apis/batch/v1"]).to_owned();
    for _ in 0..dice.below(8) {
        path.push('/');
        path.push_str(dice.pick(SEGMENTS));
    }
    if path.is_empty() { "/".to_owned() } else { path }
}

/// A body, damaged or not.
fn damaged(dice: &mut Dice, text: &str) -> Vec<u8> {
    match dice.below(10) {
        0..3 => text.as_bytes().to_vec(),
        3..8 => {
            let mut value: Value = serde_json::from_str(text).unwrap();
            let mut patches = Vec::new();
            for _ in 0..=dice.below(3) {
                mutate(dice, &mut value, &mut patches);
            }
            if dice.once_in(6) {
                return json_patch(dice, &patches).into_bytes();
            }
            // Numbers that no Rust type holds are put in as text.
            unmark(&value.to_string()).into_bytes()
        }
        8 => damage_bytes(dice, text.as_bytes().to_vec()),
        _ if dice.once_in(2) => {
            let mut bytes = b"k8s\0".to_vec();
            bytes.extend((0..dice.below(200)).map(|_| dice.below(256) as u8));
            bytes
        }
        _ => (0..dice.below(300)).map(|_| dice.below(256) as u8).collect(),
    }
}

/// Replaces marked values by what they stand for.
fn unmark(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\"@@") {
        out.push_str(before);
        let Some((index, after)) = after.split_once("@@\"") else { break };
        out.push_str(index.parse::<usize>().ok().and_then(|i| ODD_VALUES.get(i)).unwrap_or(&"0"));
        rest = after;
    }
    out.push_str(rest);
    out
}

fn mutate(dice: &mut Dice, value: &mut Value, paths: &mut Vec<String>) {
    let mut path = String::new();
    for _ in 0..dice.below(9) {
        match value.pointer(&path) {
            Some(Value::Object(map)) if !map.is_empty() => {
                let key = map.keys().nth(dice.below(map.len())).unwrap();
                path.push_str(&format!("/{}", key.replace('~', "~0").replace('/', "~1")));
            }
            Some(Value::Array(list)) if !list.is_empty() => {
                path.push_str(&format!("/{}", dice.below(list.len())));
            }
            _ => break,
        }
    }
    let at = value.pointer_mut(&path).unwrap();
    paths.push(path);
    let odd = || Value::String(String::new());
    match (dice.below(6), &mut *at) {
        (0, Value::Object(map)) if !map.is_empty() => {
            let key = map.keys().nth(dice.below(map.len())).unwrap().clone();
            map.remove(&key);
        }
        (1, Value::Object(map)) => {
            let key =
                dice.pick(&["unknown", "", "kind", "spec", "\u{0}", "a.b/c", "$patch", "metadata"]);
            map.insert(key.to_owned(), odd());
        }
        (2, Value::Array(list)) => {
            let again = list.clone();
            for _ in 0..dice.below(40) {
                list.extend(again.iter().take(2).cloned());
            }
        }
        (3, Value::String(text)) => *text = text.repeat(dice.below(200)),
        _ => *at = Value::String(format!("@@{}@@", dice.below(ODD_VALUES.len()))),
    }
}

fn json_patch(dice: &mut Dice, paths: &[String]) -> String {
    let ops: Vec<String> = (0..=dice.below(6))
        .map(|_| {
            let path = paths[dice.below(paths.len())].clone();
            let other = dice.pick(&[
                "/metadata",
                "/spec",
                "",
                "/-",
                "/metadata/labels/a",
                "~2",
                "/spec/x/~0~1",
            ]);
            let op = dice.pick(&["add", "remove", "replace", "copy", "move", "test", "x"]);
            let value = dice.pick(ODD_VALUES);
            format!(r#"{{"op":"{op}","path":"{path}","from":"{other}","value":{value}}}"#)
        })
        .collect();
    format!("[{}]", ops.join(","))
}

fn damage_bytes(dice: &mut Dice, mut bytes: Vec<u8>) -> Vec<u8> {
    for _ in 0..=dice.below(4) {
        let at = dice.below(bytes.len());
        match dice.below(4) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, [0, b'{', b'"', 0xff, b','][dice.below(5)]),
            2 if !bytes.is_empty() => bytes[at] ^= 1 << dice.below(8),
            _ => {
                let tail = bytes[at..].to_vec();
                bytes.extend(tail);
            }
        }
        if bytes.is_empty() {
            break;
        }
    }
    bytes
}
