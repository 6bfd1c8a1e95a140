//! A backend with highly compressed pages, reached through the server's proxy.

use crate::attacks::Siege;
use crate::hostile::Client;
use crate::hostile::wire::request;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{Read, Write};
use std::net::{IpAddr, TcpListener, TcpStream, UdpSocket};
use std::time::Duration;

/// Number of concurrent readers.
const CROWD: usize = 40;

/// Size of a page, which compresses to a thousandth.
const PAGE: usize = 32 << 20;

const PODS: &str = "/api/v1/namespaces/pages/pods";

/// A non-loopback address of this machine, because proxies refuse loopback; nothing is sent to find it.
fn own_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("192.0.2.1:9").ok()?;
    socket.local_addr().ok().map(|address| address.ip()).filter(|ip| !ip.is_loopback())
}

/// Reads compressed pages slowly; returns the number of requests.
pub(crate) fn pages(siege: &Siege, _: u64) -> u64 {
    let Some(address) = own_address() else {
        println!("no address but loopback: nothing is asked through proxies");
        return 0;
    };
    let listener = TcpListener::bind((address, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let page = page();
        for stream in listener.incoming().flatten() {
            let page = page.clone();
            std::thread::spawn(move || answer(stream, &page));
        }
    });
    let mut client = siege.client();
    pod(&mut client, address);
    let path = format!("{PODS}/http:page:{port}/proxy/");
    let mut count = 0;
    let mut crowd: Vec<Client> = Vec::new();
    while !siege.is_over() {
        if crowd.len() < CROWD {
            let mut client = siege.client();
            let _ = client.write(&request("GET", &path, &[], b""));
            client.wait_at_most(Duration::from_millis(5));
            crowd.push(client);
            count += 1;
        }
        let mut piece = [0; 4096];
        crowd.retain_mut(|client| match client.read(&mut piece) {
            Ok(0) => false,
            Ok(_) => true,
            Err(error) => {
                use std::io::ErrorKind::{TimedOut, WouldBlock};
                matches!(error.kind(), WouldBlock | TimedOut)
            }
        });
        std::thread::sleep(Duration::from_millis(20));
    }
    count
}

/// Creates a pod with this address.
fn pod(client: &mut Client, address: IpAddr) {
    let body = r#"{"metadata":{"name":"page"},"spec":{"containers":[{"name":"c","image":"i"}]}}"#;
    let made = client.post(PODS, body);
    assert_eq!(made.code, 201, "{}", made.text());
    let status = format!(r#"{{"status":{{"podIP":"{address}","podIPs":[{{"ip":"{address}"}}]}}}}"#);
    let merge = [("Content-Type", "application/merge-patch+json")];
    let patched = client.send("PATCH", &format!("{PODS}/page/status"), &merge, status.as_bytes());
    assert_eq!(patched.code, 200, "{}", patched.text());
}

fn page() -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let line = b"<a href=\"/x\">y</a> and so on and on and on\n".repeat(1000);
    for _ in 0..PAGE / line.len() {
        encoder.write_all(&line).unwrap();
    }
    encoder.finish().unwrap()
}

fn answer(mut stream: TcpStream, page: &[u8]) {
    let mut head = [0; 4096];
    while stream.read(&mut head).is_ok_and(|count| count > 0) {
        let start = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
            page.len()
        );
        if stream.write_all(start.as_bytes()).and_then(|()| stream.write_all(page)).is_err() {
            return;
        }
    }
}
