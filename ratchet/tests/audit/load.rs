//! The load on a cluster: so many requests at once and a second, and none that writes.

use super::legacy::fill;
use super::{Cluster, OLD, run_in};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long each answer takes.
const DELAY: Duration = Duration::from_millis(40);

/// What a front has seen.
#[derive(Default)]
struct Seen {
    now: usize,
    most: usize,
    /// When each request came, and its method.
    requests: Vec<(Instant, String)>,
}

/// A slow front before a cluster, which counts; it ends with the process of the test. Also a kubeconfig that leads to it.
fn front(cluster: &Arc<Cluster>, name: &str) -> (PathBuf, Arc<Mutex<Seen>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let seen = Arc::new(Mutex::new(Seen::default()));
    let (shared, behind) = (Arc::clone(&seen), Arc::clone(cluster));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (seen, cluster) = (Arc::clone(&shared), Arc::clone(&behind));
            std::thread::spawn(move || answer(stream.unwrap(), &cluster, &seen));
        }
    });
    let text = format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: a\nclusters:\n- {{name: a, cluster: {{server: 'http://{address}'}}}}\ncontexts:\n- {{name: a, context: {{cluster: a, user: a}}}}\nusers:\n- {{name: a, user: {{}}}}\n"
    );
    cluster.folder.write(name, text);
    (cluster.folder.path(name), seen)
}

fn answer(mut stream: TcpStream, cluster: &Cluster, seen: &Mutex<Seen>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut first, mut line) = (String::new(), String::new());
    if reader.read_line(&mut first).unwrap_or(0) == 0 {
        return;
    }
    while reader.read_line(&mut line).is_ok_and(|size| size > 2) {
        line.clear();
    }
    let mut words = first.split(' ');
    let (method, path) = (words.next().unwrap().to_owned(), words.next().unwrap());
    {
        let mut seen = seen.lock().unwrap();
        seen.now += 1;
        seen.most = seen.most.max(seen.now);
        seen.requests.push((Instant::now(), method));
    }
    std::thread::sleep(DELAY);
    let (code, body) = cluster.server.get(path);
    seen.lock().unwrap().now -= 1;
    let _ = write!(
        stream,
        "HTTP/1.1 {code} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
}

#[test]
fn requests_are_limited_at_once_and_a_second_and_only_read() {
    let cluster = Arc::new(Cluster::start(OLD));
    fill(&cluster, 48);
    for most in [1, 3] {
        let (kubeconfig, seen) = front(&cluster, &format!("parallel-{most}"));
        let flags = ["--chunk-size=4", "--parallel", &most.to_string(), "-o", "json"];
        let output = cluster.audit_through(&kubeconfig, &flags);
        assert_eq!(output.code, 1, "{}", output.stderr);
        let seen = seen.lock().unwrap();
        assert_eq!(seen.most, most, "requests at the same time");
        assert!(seen.requests.iter().all(|(_, method)| method == "GET"));
    }
    let (kubeconfig, seen) = front(&cluster, "paced");
    let kubeconfig = kubeconfig.to_str().unwrap();
    let arguments = ["audit", "--kubeconfig", kubeconfig, "--qps=20", "--parallel=16"];
    let output = run_in(&cluster.folder.path(""), &arguments, b"", &[]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    let seen = seen.lock().unwrap();
    let (first, last) = (seen.requests[0].0, seen.requests.last().unwrap().0);
    let number = seen.requests.len();
    let shortest = Duration::from_millis(50) * u32::try_from(number - 1).unwrap();
    assert!(number > 20 && last - first >= shortest.mul_f64(0.9), "{number} in {:?}", last - first);
}
