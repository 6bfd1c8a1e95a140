//! Overload: limits are global, what is beyond them is told when to come back, and health is always answered.

use crate::hostile::process::Process;
use crate::hostile::wire::request;
use crate::hostile::{Answer, Client};
use ratchet_tls::AcceptAnyServer;
use rustls::ClientConnection;
use rustls::pki_types::ServerName;
use std::io::ErrorKind;
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

const JSON: (&str, &str) = ("Content-Type", "application/json");
const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// Asks again until an answer has a code.
fn until(client: &mut Client, code: u16, ask: impl Fn(&mut Client) -> Answer) -> Answer {
    let begun = Instant::now();
    loop {
        let answer = ask(client);
        if answer.code == code {
            return answer;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{} and not {code}", answer.code);
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Takes the only place of reads or writes with a request whose body does not come. The server's own controllers ask as
/// well, so that the place may be taken when it begins: then it is refused, and others get in soon.
fn take(
    server: &Process,
    (method, path): (&str, &str),
    other: &mut Client,
    ask: impl Fn(&mut Client) -> Answer,
) -> Client {
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n"
    );
    loop {
        let mut client = server.connect().unwrap();
        client.write(head.as_bytes()).unwrap();
        let is_refused = |_| {
            std::thread::sleep(Duration::from_millis(50));
            ask(other).code == 429
        };
        if (0..20).all(is_refused) {
            return client;
        }
    }
}

#[test]
fn health_is_answered_though_every_place_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    let limits = [
        "--max-requests-inflight=1",
        "--max-mutating-requests-inflight=1",
        "--enable-priority-and-fairness=false",
    ];
    let mut server = Process::start(folder.path(), "", &limits);
    let mut client = server.connect().unwrap();
    let read = |client: &mut Client| client.get(MAPS);
    let body = br#"{"metadata":{"name":"a"}}"#;
    let write = |client: &mut Client| client.send("POST", MAPS, &[JSON], body);
    until(&mut client, 200, read);
    let absent = ("GET", "/apis/nobody.example.com/v1/things");
    let mut reader = take(&server, absent, &mut client, read);
    let dry =
        |client: &mut Client| client.send("POST", &format!("{MAPS}?dryRun=All"), &[JSON], body);
    let mut writer = take(&server, ("POST", MAPS), &mut client, dry);
    for refused in [read(&mut client), write(&mut client)] {
        assert_eq!(refused.code, 429, "{}", refused.text());
        assert!(refused.head.contains("retry-after: 1\r\n"), "{}", refused.head);
        assert_eq!(refused.text(), "Too many requests, please try again later.\n");
    }
    for path in ["/livez", "/readyz", "/healthz", "/livez/ping", "/readyz?verbose"] {
        assert_eq!(client.get(path).code, 200, "{path}");
        assert_eq!(client.get(MAPS).code, 429, "the place is still taken");
    }
    assert_eq!(client.get("/livezebra").code, 429, "what only begins like it is no health");
    reader.write(b"{}").unwrap();
    writer.write(b"{}").unwrap();
    assert_eq!(reader.answer(false).unwrap().code, 404);
    assert_eq!(writer.answer(false).unwrap().code, 422, "it has no name");
    until(&mut client, 200, read);
    until(&mut client, 201, write);
    server.is_well();
}

/// Somebody who comes while there is no descriptor: the system has accepted the connection, the server has not.
struct Newcomer {
    session: ClientConnection,
    tcp: TcpStream,
}

impl Newcomer {
    fn new(address: SocketAddr) -> Self {
        let config = AcceptAnyServer::client_config().unwrap().with_no_client_auth();
        let name = ServerName::from(address.ip());
        let session = ClientConnection::new(Arc::new(config), name).unwrap();
        Self { session, tcp: TcpStream::connect(address).unwrap() }
    }

    /// Whether the server answers the handshake in time.
    fn is_let_in(&mut self, patience: Duration) -> bool {
        self.tcp.set_read_timeout(Some(patience)).unwrap();
        while self.session.is_handshaking() {
            match self.session.complete_io(&mut self.tcp) {
                Ok(_) => {}
                Err(why) if matches!(why.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    return false;
                }
                Err(why) => panic!("{why}"),
            }
        }
        true
    }
}

#[test]
fn a_server_without_descriptors_serves_those_who_are_there() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Process::start(folder.path(), "ulimit -n 100", &[]);
    let mut client = server.connect().unwrap();
    assert_eq!(client.get("/readyz").code, 200);
    assert!(Newcomer::new(server.address).is_let_in(Duration::from_secs(30)), "before the crowd");
    let mut crowd: Vec<_> = (0..200).map(|_| TcpStream::connect(server.address).unwrap()).collect();
    // Who says nothing is cut off after ten seconds, and until then nobody else gets a descriptor.
    let mut newcomer = Newcomer::new(server.address);
    assert!(!newcomer.is_let_in(Duration::from_secs(1)), "descriptors are left");
    // Whoever has a connection is served, and what it writes is stored, though nobody else can come in.
    for number in 0..20 {
        let body = format!(r#"{{"metadata":{{"name":"m{number}"}}}}"#);
        let put = request("POST", MAPS, &[JSON], body.as_bytes());
        assert_eq!(client.try_raw(&put, false).unwrap().code, 201);
        assert_eq!(client.try_raw(&request("GET", "/livez", &[], b""), false).unwrap().code, 200);
    }
    // Those who are left are fewer than there are descriptors.
    crowd.truncate(20);
    assert!(newcomer.is_let_in(Duration::from_secs(60)), "who waited does not come in");
    drop(crowd);
    let begun = Instant::now();
    while server
        .connect()
        .and_then(|mut new| new.try_raw(&request("GET", "/livez", &[], b""), false))
        .is_err()
    {
        assert!(begun.elapsed() < Duration::from_secs(60), "nobody comes in any more");
    }
    server.is_well();
    server.kill();
    server.spawn_again();
    server.wait_until_ready();
    let list = server.connect().unwrap().get(&format!("{MAPS}?limit=500")).json();
    let names = list["items"].as_array().unwrap().iter();
    let names = names.filter(|item| item["metadata"]["name"].as_str().unwrap().starts_with('m'));
    assert_eq!(names.count(), 20);
}
