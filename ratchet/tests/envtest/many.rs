//! Many control planes at once on one machine, as parallel test suites have them.

use crate::control_plane::{ApiServer, Etcd, Process, assets, usage};

/// As many as CI can bear; `cargo xtask envtest` measures fifty of a release build.
const SERVERS: usize = 8;

#[test]
fn control_planes_beside_each_other_know_nothing_of_each_other() {
    let assets = assets();
    let planes: Vec<(Etcd, ApiServer)> = (0..SERVERS)
        .map(|_| {
            let etcd = Etcd::start(assets.path());
            let server = ApiServer::prepare(assets.path(), &etcd.url);
            (etcd, server)
        })
        .collect();
    let processes: Vec<Process> = std::thread::scope(|scope| {
        let starts: Vec<_> =
            planes.iter().map(|(_, server)| scope.spawn(|| server.start())).collect();
        starts.into_iter().map(|start| start.join().unwrap()).collect()
    });
    for (number, (_, server)) in planes.iter().enumerate() {
        let body = format!(r#"{{"metadata":{{"name":"own-{number}"}}}}"#);
        assert_eq!(server.admin().request("POST", "/api/v1/namespaces", &body).unwrap().0, 201);
    }
    for (number, (_, server)) in planes.iter().enumerate() {
        let (_, list) = server.admin().get("/api/v1/namespaces");
        for other in 0..SERVERS {
            let name = format!("\"own-{other}\"");
            assert_eq!(list.contains(&name), other == number, "{number}: {list}");
        }
    }
    let all = processes.iter().chain(planes.iter().map(|(etcd, _)| &etcd.process));
    if let Some(kilobytes) = all.map(|one| usage(one.id, "Pss:")).sum::<Option<u64>>() {
        // A debug build is larger than a release build.
        assert!(kilobytes < SERVERS as u64 * 60_000, "{kilobytes} kB");
    }
}
