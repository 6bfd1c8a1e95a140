//! Ways to a cluster: credentials of other programs, proxies, contexts, and kubeconfigs that do not work.

use super::{Cluster, OLD, run_in};
use base64::Engine as _;
use serde_json::json;
use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// A member of the server's kubeconfig.
fn member(cluster: &Cluster, name: &str) -> String {
    let text = std::fs::read_to_string(cluster.folder.path("data/kubeconfig")).unwrap();
    let mut members = text.lines().filter_map(|line| line.trim().split_once(": "));
    members.find(|row| row.0 == name).unwrap().1.trim_matches('"').to_owned()
}

fn decoded(cluster: &Cluster, name: &str) -> String {
    let bytes = base64::prelude::BASE64_STANDARD.decode(member(cluster, name)).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// A kubeconfig with more members of its cluster, and with a user.
fn kubeconfig(cluster: &Cluster, name: &str, of_cluster: &str, user: &str) -> PathBuf {
    let server = member(cluster, "server");
    let authority = member(cluster, "certificate-authority-data");
    let text = format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: nowhere\nclusters:\n- {{name: a, cluster: {{server: '{server}', certificate-authority-data: {authority}{of_cluster}}}}}\ncontexts:\n- {{name: there, context: {{cluster: a, user: a}}}}\n- {{name: nowhere, context: {{cluster: gone, user: a}}}}\nusers:\n- {{name: a, user: {user}}}\n"
    );
    cluster.folder.write(name, text);
    cluster.folder.path(name)
}

/// A proxy that passes on what a client connects to; counts the connections.
fn proxy() -> (u16, Arc<AtomicU32>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let connections = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&connections);
    // It ends with the process of the test.
    std::thread::spawn(move || {
        for client in listener.incoming() {
            let Ok(mut client) = client else { continue };
            let mut reader = BufReader::new(client.try_clone().unwrap());
            let mut first = String::new();
            let _ = reader.read_line(&mut first);
            let Some(target) = first.strip_prefix("CONNECT ") else { continue };
            let target = target.split(' ').next().unwrap_or_default().to_owned();
            let mut line = String::new();
            while reader.read_line(&mut line).is_ok_and(|size| size > 2) {
                line.clear();
            }
            counter.fetch_add(1, Ordering::SeqCst);
            let Ok(mut server) = TcpStream::connect(target) else { continue };
            let _ = client.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
            let mut back = (server.try_clone().unwrap(), client.try_clone().unwrap());
            std::thread::spawn(move || {
                let _ = std::io::copy(&mut back.0, &mut back.1);
                let _ = back.1.shutdown(Shutdown::Both);
            });
            std::thread::spawn(move || {
                let _ = std::io::copy(&mut reader, &mut server);
                let _ = server.shutdown(Shutdown::Both);
            });
        }
    });
    (port, connections)
}

#[cfg(unix)]
#[test]
fn credentials_of_another_program_and_proxies_are_used() {
    use std::os::unix::fs::PermissionsExt;
    let cluster = Cluster::start(OLD);
    let credential = json!({
        "apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
        "status": {
            "clientCertificateData": decoded(&cluster, "client-certificate-data"),
            "clientKeyData": decoded(&cluster, "client-key-data"),
        },
    });
    cluster.folder.write("credential.json", credential.to_string());
    cluster.folder.write("login", "#!/bin/sh\necho \"$1 $WHO\" >> logins\ncat credential.json\n");
    std::fs::set_permissions(cluster.folder.path("login"), PermissionsExt::from_mode(0o755))
        .unwrap();
    let user = format!(
        "{{exec: {{apiVersion: client.authentication.k8s.io/v1, command: '{}', args: [please], env: [{{name: WHO, value: me}}], interactiveMode: Never}}}}",
        cluster.folder.path("login").display()
    );
    let (port, connections) = proxy();
    let through = format!(", proxy-url: 'http://127.0.0.1:{port}'");
    let path = kubeconfig(&cluster, "exec", &through, &user);
    let output = cluster.audit_through(&path, &["--context", "there", "-o", "json"]);
    assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
    assert!(output.json()["summary"]["objects"].as_u64().unwrap() > 0, "{}", output.stdout);
    let logins = std::fs::read_to_string(cluster.folder.path("logins")).unwrap();
    assert!(logins.starts_with("please me\n"), "{logins}");
    let of_kubeconfig = connections.load(Ordering::SeqCst);
    assert!(of_kubeconfig > 0, "the proxy was passed by");
    // The environment names a proxy, too, as for kubectl.
    let path = kubeconfig(&cluster, "plain", "", &user);
    let arguments = ["audit", "--context", "there", "--kubeconfig", path.to_str().unwrap()];
    let environment = format!("http://127.0.0.1:{port}");
    let output =
        run_in(&cluster.folder.path(""), &arguments, b"", &[("HTTPS_PROXY", &environment)]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(connections.load(Ordering::SeqCst) > of_kubeconfig, "the proxy was passed by");
}

#[test]
fn a_kubeconfig_that_does_not_work_is_named_with_what_is_wrong() {
    let cluster = Cluster::start(OLD);
    let token = "{token: abc}";
    for (name, of_cluster, user, context, why) in [
        ("dangling", "", token, "nowhere", "gone"),
        (
            "no-program",
            "",
            "{exec: {apiVersion: client.authentication.k8s.io/v1, command: no-such-login, interactiveMode: Never}}",
            "there",
            "no-such-login",
        ),
        ("no-authority", ", certificate-authority: /no/such/ca.crt", token, "there", ""),
        (
            "no-key",
            "",
            "{client-certificate: no-such.crt, client-key: no-such.key}",
            "there",
            "no-such",
        ),
        ("wrong-token", "", token, "there", "log in again"),
    ] {
        let path = kubeconfig(&cluster, name, of_cluster, user);
        let output = cluster.audit_through(&path, &["--context", context]);
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{name}: {}", output.stderr);
        assert!(output.stderr.starts_with("ratchet: "), "{name}: {}", output.stderr);
        assert!(output.stderr.contains(why), "{name}: {}", output.stderr);
    }
    cluster.folder.write("garbage", "a: [\n");
    let output = cluster.audit_through(&cluster.folder.path("garbage"), &[]);
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("garbage is no kubeconfig: "), "{}", output.stderr);
}

#[test]
fn files_of_the_environment_are_one_and_those_that_are_missing_are_passed_over() {
    let cluster = Cluster::start(OLD);
    for (member, file) in [
        ("certificate-authority-data", "kube/certs/ca.crt"),
        ("client-certificate-data", "kube/certs/me.crt"),
        ("client-key-data", "kube/certs/me.key"),
    ] {
        cluster.folder.write(file, decoded(&cluster, member));
    }
    // Files are relative to the kubeconfig that names them; the first current context wins.
    let server = member(&cluster, "server");
    let first = format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: it\ncontexts:\n- {{name: it, context: {{cluster: a, user: a}}}}\nclusters:\n- {{name: a, cluster: {{server: '{server}', certificate-authority: certs/ca.crt}}}}\n"
    );
    let second = "apiVersion: v1\nkind: Config\ncurrent-context: other\nusers:\n- {name: a, user: {client-certificate: certs/me.crt, client-key: certs/me.key}}\n";
    cluster.folder.write("kube/first", first);
    cluster.folder.write("kube/second", second);
    let audit = |files: &[&str], home: &str| {
        let paths = std::env::join_paths(files).unwrap().into_string().unwrap();
        let environment = [("KUBECONFIG", paths.as_str()), ("HOME", home)];
        run_in(&cluster.folder.path(""), &["audit", "-o", "json"], b"", &environment)
    };
    let output = audit(&["kube/missing", "kube/first", "", "kube/second"], "/nonexistent");
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert_eq!(output.json()["source"]["server"], server);
    // Without the variable, it is the file in the home.
    let own = std::fs::read(cluster.folder.path("data/kubeconfig")).unwrap();
    cluster.folder.write("home/.kube/config", own);
    let home = cluster.folder.path("home");
    let output = audit(&[], home.to_str().unwrap());
    assert_eq!(output.code, 0, "{}", output.stderr);
    for (files, why) in [
        (
            &["kube/missing", "kube/gone"][..],
            "cannot read the kubeconfig kube/missing: No such file",
        ),
        (&[], "there is no kubeconfig"),
    ] {
        let output = audit(files, "/nonexistent");
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{files:?}");
        assert!(output.stderr.contains(why), "{files:?}: {}", output.stderr);
    }
}
