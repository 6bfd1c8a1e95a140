//! The attacks on the server: name, number of threads, and the loop of one thread.

use crate::backend;
use crate::bodies;
use crate::hostile::Client;
use crate::hostile::flood::{Dice, shot};
use crate::hostile::http2;
use crate::hostile::process::Process;
use crate::hostile::server::complaint;
use crate::hostile::wire::request;
use crate::ledger;
use crate::slow;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// The server under siege, and the end of the siege.
pub(crate) struct Siege {
    pub(crate) address: SocketAddr,
    kubeconfig: String,
    pub(crate) ends: Instant,
    seed: u64,
}

impl Siege {
    /// Leaked, because its threads live as long as the program.
    pub(crate) fn new(process: &Process, ends: Instant) -> &'static Self {
        let seed = std::env::var("RATCHET_HOSTILE_SEED").ok().and_then(|text| text.parse().ok());
        let kubeconfig = process.kubeconfig().unwrap();
        let seed = seed.unwrap_or(20_260_401);
        Box::leak(Box::new(Self { address: process.address, kubeconfig, ends, seed }))
    }

    pub(crate) fn is_over(&self) -> bool {
        Instant::now() >= self.ends
    }

    /// A connection of the administrator.
    pub(crate) fn client(&self) -> Client {
        self.client_of(&[b"http/1.1"])
    }

    fn client_of(&self, protocols: &[&[u8]]) -> Client {
        let mut failures = 0;
        loop {
            match Client::connect(self.address, Some(&self.kubeconfig), protocols) {
                Ok(client) => return client,
                Err(why) if failures == 20 => panic!("no connection: {why}"),
                Err(_) => failures += 1,
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    fn dice(&self, number: u64) -> Dice {
        Dice::new(self.seed.wrapping_mul(number + 1))
    }
}

/// One kind of attack.
pub(crate) struct Attack {
    pub(crate) name: &'static str,
    pub(crate) threads: u64,
    /// Attacks until the end; returns the number of rounds.
    pub(crate) run: fn(&Siege, u64) -> u64,
}

pub(crate) const ATTACKS: &[Attack] = &[
    Attack { name: "random requests", threads: 2, run: random },
    Attack { name: "crafted bodies", threads: 2, run: crafted },
    Attack { name: "long lists in every encoding", threads: 2, run: lists },
    Attack { name: "costly policies", threads: 1, run: policies },
    Attack { name: "answers that nobody reads", threads: 1, run: slow::never_read },
    Attack { name: "bodies that never come", threads: 1, run: slow::never_send },
    Attack { name: "packed pages through proxies", threads: 1, run: backend::pages },
    Attack { name: "resets of HTTP/2", threads: 1, run: resets },
];

/// The time within which every body is answered, beside all the other attacks: some bodies take tenths of a second, and one
/// whose cost grows with the square of its size takes minutes here.
const SLOW: Duration = Duration::from_secs(10);

/// Size of the collection that is read in every encoding.
const LONG_LIST: usize = 800;

/// Creates the objects that the attacks need.
pub(crate) fn prepare(client: &mut Client) {
    for name in ["ledger", "long", "costly", "pages"] {
        let made =
            client.post("/api/v1/namespaces", &format!(r#"{{"metadata":{{"name":"{name}"}}}}"#));
        assert_eq!(made.code, 201, "{}", made.text());
    }
    for number in 0..LONG_LIST {
        let body = bodies::map(&format!("m{number}"), 10_000);
        let made = client.post("/api/v1/namespaces/long/configmaps", &body);
        assert_eq!(made.code, 201, "{}", made.text());
    }
    for (number, expression) in bodies::COSTLY.iter().enumerate() {
        let (policy, binding) = bodies::policy(&format!("costly{number}"), expression);
        for (resource, body) in [
            ("validatingadmissionpolicies", policy),
            ("validatingadmissionpolicybindings", binding),
        ] {
            let path = format!("/apis/admissionregistration.k8s.io/v1/{resource}");
            let made = client.post(&path, &body);
            assert_eq!(made.code, 201, "{}", made.text());
        }
    }
}

/// Valid requests, damaged ones, and garbage.
fn random(siege: &Siege, number: u64) -> u64 {
    let mut dice = siege.dice(number);
    let mut client = siege.client();
    let paths: Vec<String> = [
        "/api/v1/namespaces/default/pods",
        "/api/v1/namespaces/default/services",
        "/api/v1/namespaces/default/secrets",
        "/apis/apps/v1/namespaces/default/deployments",
        "/apis/batch/v1/namespaces/default/jobs",
        "/apis/networking.k8s.io/v1/namespaces/default/ingresses",
        "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles",
        "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
    ]
    .map(str::to_owned)
    .into();
    let mut count = 0;
    while !siege.is_over() {
        count += 1;
        let shot = shot(&mut dice, &paths);
        // Watches belong to the clients that never read, and policies would affect all attacks.
        if shot.path.contains("watch") || shot.path.contains("admissionregistration") {
            continue;
        }
        let headers: Vec<(&str, &str)> =
            shot.headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let answer = client.send(shot.method, &shot.path, &headers, &shot.body);
        let has_body = shot.method != "HEAD" || answer.code < 500;
        if let Some(complaint) = complaint(&answer).filter(|_| has_body && answer.code != 429) {
            panic!("{} {} {:?}: {complaint}", shot.method, shot.path, shot.headers);
        }
        if count % 500 == 0 {
            sweep(&mut client, &paths);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    count
}

/// Deletes the random objects, so that the store does not grow over time.
fn sweep(client: &mut Client, paths: &[String]) {
    for path in paths {
        client.delete(&format!("{path}?gracePeriodSeconds=0&propagationPolicy=Background"));
    }
}

/// Bodies that are as large, as deep or as strange as they may be, in every format.
fn crafted(siege: &Siege, number: u64) -> u64 {
    let mut dice = siege.dice(number + 50);
    let mut client = siege.client();
    let all = bodies::crafted();
    let mut count = 0;
    while !siege.is_over() {
        count += 1;
        let body = &all[dice.below(all.len())];
        let name = format!("c{number}-{}", dice.below(3));
        let headers = body.headers();
        let maps = "/api/v1/namespaces/default/configmaps";
        let (method, path) = match body.is_patch {
            true => ("PATCH", format!("{maps}/{name}")),
            false => ("POST", format!("/api/v1/namespaces/default/{}", body.collection)),
        };
        if body.is_patch && dice.once_in(4) {
            client.post(maps, &bodies::map(&name, 100));
        }
        let begun = Instant::now();
        let answer = client.try_raw(&request(method, &path, &headers, &body.bytes), false);
        let took = begun.elapsed();
        assert!(cfg!(debug_assertions) || took < SLOW, "{}: answered after {took:?}", body.name);
        match answer {
            Ok(answer) if answer.code >= 500 => {
                if let Some(complaint) = complaint(&answer) {
                    panic!("{}: {complaint}", body.name);
                }
            }
            Ok(_) => {}
            // A body that is too large may be cut off.
            Err(_) => client = client.again(),
        }
        if dice.once_in(20) {
            client.delete(&format!("{maps}?gracePeriodSeconds=0"));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    count
}

/// The same long list in every encoding, compressed and not.
fn lists(siege: &Siege, number: u64) -> u64 {
    const ACCEPTS: [&str; 5] = [
        "application/json",
        "application/yaml",
        "application/vnd.kubernetes.protobuf",
        "application/json;as=Table;v=v1;g=meta.k8s.io",
        "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
    ];
    let mut dice = siege.dice(number + 100);
    let mut client = siege.client();
    let mut count = 0;
    while !siege.is_over() {
        count += 1;
        let mut headers = vec![("Accept", dice.pick(&ACCEPTS))];
        if dice.once_in(2) {
            headers.push(("Accept-Encoding", "gzip"));
        }
        let query = dice.pick(&[
            "",
            "?pretty=1",
            "?labelSelector=a%3Db",
            "?fieldSelector=metadata.name%21%3Dx",
        ]);
        let path = format!("/api/v1/namespaces/long/configmaps{query}");
        let answer = client.send("GET", &path, &headers, b"");
        let why = String::from_utf8_lossy(answer.body.get(..400).unwrap_or(&answer.body));
        assert!(matches!(answer.code, 200 | 429), "{path}: {} {why}", answer.code);
        // A list without items is 39 bytes of protobuf.
        let least = if query.starts_with("?label") { 38 } else { LONG_LIST };
        assert!(answer.code == 429 || answer.body.len() > least, "{path}: {}", answer.body.len());
    }
    count
}

/// Writes that use the whole budget of policies, and policies that are hard to parse.
fn policies(siege: &Siege, number: u64) -> u64 {
    let mut dice = siege.dice(number + 150);
    let mut client = siege.client();
    let mut count = 0;
    while !siege.is_over() {
        count += 1;
        if dice.once_in(4) {
            let expression = bodies::strange_expression(&mut dice);
            let (policy, _) = bodies::policy(&format!("strange{}", dice.below(3)), &expression);
            let path = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
            let answer = client.post(path, &policy);
            assert!(answer.code < 500, "{}", answer.text());
            for number in 0..3 {
                client.delete(&format!("{path}/strange{number}"));
            }
        } else {
            let body = bodies::many_keys(&format!("k{}", dice.below(3)), 300);
            let answer = client.post("/api/v1/namespaces/costly/configmaps?dryRun=All", &body);
            assert!(answer.code < 500, "{}", answer.text());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    count
}

/// HTTP/2 streams that are opened and reset at once.
fn resets(siege: &Siege, _: u64) -> u64 {
    let mut count = 0;
    while !siege.is_over() {
        count += 1;
        let mut client = siege.client_of(&[b"h2"]);
        http2::rapid_reset(&mut client, 2000, &format!("{}?pretty=1", ledger::MAPS));
        std::thread::sleep(Duration::from_millis(500));
    }
    count
}
