//! Hostile and odd input: each ends soon, with a message that names the file, and the rest is judged.

use super::harness::{BAD_SERVICE, Folder, run_in};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use std::io::Write;
use std::process::{Command, Stdio};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap()
}

/// The head of a file in a tar archive.
fn head(name: &str, size: usize, kind: u8) -> Vec<u8> {
    let mut header = vec![0u8; 512];
    header[..name.len()].copy_from_slice(name.as_bytes());
    header[124..135].copy_from_slice(format!("{size:011o}").as_bytes());
    header[148..156].copy_from_slice(b"        ");
    header[156] = kind;
    header[257..262].copy_from_slice(b"ustar");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    header
}

/// A tar archive of files.
fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, bytes) in files {
        out.extend(head(name, bytes.len(), b'0'));
        out.extend(*bytes);
        out.resize(out.len().next_multiple_of(512), 0);
    }
    out.resize(out.len() + 1024, 0);
    out
}

/// An archive of a few hundred kilobytes that unpacks to more than a quarter of a gigabyte.
fn bomb() -> Vec<u8> {
    let mut bytes = gzip(&head("blob.bin", 7 << 30, b'0'));
    let mut member = GzEncoder::new(Vec::new(), Compression::best());
    member.write_all(&vec![0; 1 << 20]).unwrap();
    let member = member.finish().unwrap();
    bytes.extend(member.repeat(300));
    bytes
}

#[test]
fn input_that_cannot_be_read_is_named_and_the_rest_is_judged() {
    let laughs = "a: &a [x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]\nd: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c]\ne: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d]\nf: &f [*e, *e, *e, *e, *e, *e, *e, *e, *e]\ng: [*f, *f, *f, *f, *f, *f, *f, *f, *f]\n";
    let huge = format!(
        "{{\"kind\": \"Pod\", \"apiVersion\": \"v1\", \"x\": \"{}\"}}",
        "y".repeat(4 << 20)
    );
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let archive = gzip(&tar(&[("a.json", b"{}")]));
    let cases: [(&str, Vec<u8>, &str); 10] = [
        ("bomb.tar.gz", bomb(), "more than 200 times its size"),
        ("half.tar.gz", archive[..archive.len() / 2].to_vec(), "ends in the middle"),
        ("no.tar.gz", gzip(&[b'x'; 2048]), "no tar archive"),
        (
            "text.tar.gz",
            gzip(&tar(&[("bad.json", b"{\"a\": \xff}")])),
            "bad.json:1: the document is not UTF-8",
        ),
        ("laughs.yaml", laughs.into(), "laughs.yaml:1"),
        ("huge.json", huge.into_bytes(), "larger than 3 MiB"),
        ("deep.json", deep.into_bytes(), "deep.json:1"),
        ("latin.yaml", b"a: \xe9\n".to_vec(), "not UTF-8"),
        ("binary.json", (0..=255).cycle().take(4096).collect(), "binary.json:"),
        ("store.bin", b"ratchet\0nonsense".to_vec(), "store.bin: "),
    ];
    for (name, bytes, why) in cases {
        let folder = Folder::with(&[("good.yaml", BAD_SERVICE)]);
        folder.write(name, bytes);
        let output = run_in(&folder.path(""), &["audit", "-o", "json", "-f", "."], b"", &[]);
        assert_eq!(output.code, 2, "{name}: {}", output.stderr);
        let report = output.json();
        let unreadable = report["unreadable"].to_string();
        assert!(unreadable.contains(name) && unreadable.contains(why), "{name}: {unreadable}");
        assert_eq!(report["summary"]["refused"], 1, "{name}: the rest is not judged");
        assert!(output.stderr.contains("note: cannot be read: "), "{name}: {}", output.stderr);
    }
}

#[test]
fn archives_are_read_and_nothing_of_them_is_written() {
    let service = |name: &str| BAD_SERVICE.replace("name: web", &format!("name: {name}"));
    let list = json!({"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "v1", "kind": "ServiceList", "items": [{"metadata": {"name": "in-a-list"}, "spec": {"ports": [{"port": 80}], "externalIPs": ["192.0.2.010"]}}]},
        {"apiVersion": "v1", "kind": "List", "items": []},
    ]});
    let mut bytes = head("evil.yaml", 0, b'2');
    let files: [(&str, &[u8]); 5] = [
        ("../../escaped.yaml", service("up").as_bytes()),
        ("/tmp/../absolute.yaml", service("absolute").as_bytes()),
        ("lists.json", list.to_string().as_bytes()),
        ("resources/services/namespaces/metadata/a.json", b"{}"),
        ("._mac.json", b"\xff\xfe"),
    ]
    .map(|(name, bytes): (&str, &[u8])| (name, Vec::leak(bytes.to_vec()) as &[u8]));
    bytes.extend(tar(&files));
    let folder = Folder::with(&[]);
    folder.write("in/plain.tar", &bytes);
    folder.write("in/packed.tgz", gzip(&bytes));
    let output = run_in(&folder.path(""), &["audit", "-o", "json", "-f", "in"], b"", &[]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    assert_eq!(output.json()["summary"]["refused"], 6, "{}", output.stdout);
    let packed = run_in(&folder.path(""), &["audit", "-o", "json", "-f", "-"], &gzip(&bytes), &[]);
    assert_eq!(packed.json()["summary"]["refused"], 3, "{}", packed.stderr);
    assert_eq!(std::fs::read_dir(folder.path("")).unwrap().count(), 1);
    let broken = run_in(&folder.path(""), &["audit", "-f", "-"], b"{a: [", &[]);
    assert!(broken.stderr.contains("cannot be read: standard input:1"), "{}", broken.stderr);
}

#[cfg(unix)]
#[test]
fn pipes_are_read_once_and_links_and_pipes_in_folders_do_no_harm() {
    let folder = Folder::with(&[("in/good.yaml", BAD_SERVICE)]);
    let made = Command::new("mkfifo").arg(folder.path("in/pipe.yaml")).status().unwrap();
    assert!(made.success());
    std::os::unix::fs::symlink("nowhere", folder.path("in/gone.yaml")).unwrap();
    std::os::unix::fs::symlink("nowhere", folder.path("in/gone")).unwrap();
    std::os::unix::fs::symlink(".", folder.path("in/circle")).unwrap();
    let output = run_in(&folder.path(""), &["audit", "-o", "json", "-f", "in"], b"", &[]);
    assert_eq!(output.code, 2, "{}", output.stderr);
    let report = output.json();
    assert_eq!(report["unreadable"].as_array().unwrap().len(), 1, "{report}");
    assert!(report["unreadable"][0].as_str().unwrap().contains("gone.yaml"), "{report}");
    assert_eq!(report["summary"]["refused"], 1);
    // A named pipe, as a shell makes one of `<(kubectl get …)`.
    let mut child = Command::new(env!("CARGO_BIN_EXE_ratchet"))
        .args(["audit", "-o", "json", "-f", "in/pipe.yaml"])
        .current_dir(folder.path(""))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    std::fs::write(folder.path("in/pipe.yaml"), BAD_SERVICE).unwrap();
    let mut text = String::new();
    std::io::Read::read_to_string(child.stdout.as_mut().unwrap(), &mut text).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["summary"]["refused"], 1);
}
