//! Tests of `kubectl cp`: a large file and a tree of small ones, in both directions.

use super::cluster::{Cluster, Pod};
use super::commands::bytes;
use super::kubectl::WAYS;
use kubelet_peer::Container;
use std::path::Path;

const TREE: [(&str, u32); 4] = [("a", 10), ("b/c", 100_000), ("b/d e", 1), ("b/f/g", 0)];

fn same(left: &Path, right: &Path) {
    let [left_bytes, right_bytes] = [left, right].map(|path| std::fs::read(path).unwrap());
    assert!(left_bytes == right_bytes, "{} and {}", left.display(), right.display());
}

#[test]
fn files_and_trees_are_copied_there_and_back() {
    let cluster = Cluster::start();
    cluster.add(WAYS.map(|way| Pod::of(way.node(), way.node(), Container::default())).into());
    let folder = &cluster.kubectl.folder;
    let large = folder.join("large");
    std::fs::write(&large, bytes(20_000_000)).unwrap();
    for (name, length) in TREE {
        let path = folder.join("tree").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes(length)).unwrap();
    }
    for way in WAYS {
        let (kubectl, pod) = (cluster.kubectl.over(way), way.node());
        // The container sees the files of this machine, as everything here runs on it.
        let there = folder.join(format!("there-{pod}"));
        std::fs::create_dir(&there).unwrap();
        let inside = there.display();
        kubectl.ok(&format!("cp large {pod}:{inside}/large"));
        same(&large, &there.join("large"));
        kubectl.ok(&format!("cp {pod}:{inside}/large back-{pod}"));
        same(&large, &folder.join(format!("back-{pod}")));
        kubectl.ok(&format!("cp tree {pod}:{inside}/tree"));
        kubectl.ok(&format!("cp {pod}:{inside}/tree tree-{pod}"));
        for (name, _) in TREE {
            let original = folder.join("tree").join(name);
            same(&original, &there.join("tree").join(name));
            same(&original, &folder.join(format!("tree-{pod}")).join(name));
        }
    }
}
