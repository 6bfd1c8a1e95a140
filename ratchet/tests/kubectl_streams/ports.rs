//! Tests of `kubectl port-forward` to real sockets: many connections, several ports, and closed ports.

use super::cluster::{Cluster, Pod};
use super::commands::bytes;
use super::kubectl::{Running, WAYS, Way};
use kubelet_peer::Container;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};

/// Serves every connection with `serve` as long as the test runs.
fn service(serve: fn(TcpStream)) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            std::thread::spawn(move || serve(socket));
        }
    });
    address
}

/// Echoes everything, then sends a last message, which proves that half-closed connections work.
fn echo(mut socket: TcpStream) {
    let mut reader = socket.try_clone().unwrap();
    let _ = std::io::copy(&mut reader, &mut socket);
    let _ = socket.write_all(b"bye");
}

/// Sends first, and closes first.
fn greet(mut socket: TcpStream) {
    let _ = socket.write_all(b"hello, and that is all\n");
}

/// An HTTP server with one answer.
fn page(mut socket: TcpStream) {
    let mut head = [0; 4096];
    let _ = socket.read(&mut head);
    let _ = socket
        .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\npage\n");
}

/// The local address of a forwarded port, as kubectl prints it.
fn local(forwarding: &Running, remote: u16) -> u16 {
    let end = format!(" -> {remote}");
    forwarding.until(|text| {
        let line = text.lines().find_map(|line| {
            line.strip_prefix("Forwarding from 127.0.0.1:")?.strip_suffix(end.as_str())
        });
        line.and_then(|port| port.parse().ok())
    })
}

fn connect(port: u16) -> TcpStream {
    TcpStream::connect(("127.0.0.1", port)).unwrap()
}

fn rest(mut socket: &TcpStream) -> Vec<u8> {
    let mut all = Vec::new();
    socket.read_to_end(&mut all).unwrap();
    all
}

fn talk(port: u16, text: &[u8]) -> Vec<u8> {
    let socket = connect(port);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            (&socket).write_all(text).unwrap();
            socket.shutdown(Shutdown::Write).unwrap();
        });
        rest(&socket)
    })
}

fn cluster() -> Cluster {
    let cluster = Cluster::start();
    cluster.add(WAYS.map(|way| Pod::of(way.node(), way.node(), Container::default())).into());
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let ports = [(7, service(echo)), (13, service(greet)), (80, service(page)), (81, nobody)];
    for way in WAYS {
        for (port, to) in ports {
            cluster.kubelet(way.node()).forward_port("default", way.node(), port, to);
        }
    }
    cluster
}

fn forward(cluster: &Cluster, way: Way) {
    let kubectl = cluster.kubectl.over(way);
    let line = format!("port-forward --address 127.0.0.1 pod/{} :7 :13 :80", way.node());
    let mut forwarding = kubectl.start(&line);
    let [seven, thirteen, eighty] = [7, 13, 80].map(|port| local(&forwarding, port));
    let input = bytes(1_000_000);
    let wanted = [input.clone(), b"bye".to_vec()].concat();
    std::thread::scope(|scope| {
        let talks: Vec<_> = (0..8).map(|_| scope.spawn(|| talk(seven, &input))).collect();
        let greeting = scope.spawn(|| rest(&connect(thirteen)));
        for talk in talks {
            let received = talk.join().unwrap();
            assert!(received == wanted, "{way:?}: {} bytes came back", received.len());
        }
        assert_eq!(greeting.join().unwrap(), b"hello, and that is all\n", "{way:?}");
    });
    let response = talk(eighty, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    assert!(response.ends_with(b"page\n"), "{way:?} {}", String::from_utf8_lossy(&response));
    // Connections closed from either side do not affect the others.
    assert_eq!(talk(seven, b"still here "), b"still here bye", "{way:?}");
    drop(connect(seven));
    assert_eq!(rest(&connect(thirteen)), b"hello, and that is all\n", "{way:?}");
    assert!(forwarding.is_running(), "{way:?} {}", forwarding.text());
}

#[test]
fn ports_are_forwarded() {
    let cluster = cluster();
    for way in WAYS {
        forward(&cluster, way);
    }
}

#[test]
fn a_port_where_nobody_listens_is_told() {
    let cluster = cluster();
    for way in WAYS {
        let kubectl = cluster.kubectl.over(way);
        let line = format!("port-forward --address 127.0.0.1 pod/{} :81 :7", way.node());
        let forwarding = kubectl.start(&line);
        assert_eq!(talk(local(&forwarding, 7), b"first "), b"first bye", "{way:?}");
        assert_eq!(rest(&connect(local(&forwarding, 81))), b"", "{way:?}");
        forwarding.says(&format!("error forwarding port 81 to pod {}, uid : ", way.node()));
        // kubectl drops a connection after an error; the next one works.
        let again = kubectl.start(&line);
        assert_eq!(talk(local(&again, 7), b"again "), b"again bye", "{way:?}");
    }
}
