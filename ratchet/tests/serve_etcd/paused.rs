//! Members of etcd that hang, with open connections and without answers: servers go on with the others, and refuse in time if
//! there are none.

use crate::server::Server;
use crate::takeover::works;
use crate::{IN_TIME, MAPS, READ_IN_TIME, create, event, eventually, fails_in_time, map, start};
use crate::{read, version};
use etcd_peer::{Cluster, required_programs};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// The time in which a request succeeds without a member that hangs: usually four seconds. A write that waits for it is
/// refused after ten, and the next one happens; the rest is for a machine with much to do.
const GOES_ON: Duration = Duration::from_secs(15);

/// Tries until a request has this code, or the time is over. What is refused meanwhile is refused because of etcd, and each
/// attempt is another one: what had no answer may have happened.
fn succeeds_in_time(server: &Server, code: u16, request: impl Fn(usize) -> (u16, String)) -> usize {
    let began = Instant::now();
    for attempt in 0.. {
        let (found, text) = request(attempt);
        if found == code {
            return attempt;
        }
        assert!(matches!(found, 500 | 504), "{}: {found} {text}", server.port);
        assert!(began.elapsed() < GOES_ON, "{}: {found} {text}", server.port);
        std::thread::sleep(Duration::from_millis(20));
    }
    unreachable!("attempts do not end")
}

/// Writes a ConfigMap whose name begins like this, and returns its name.
fn write_in_time(server: &Server, name: &str) -> String {
    let name = |attempt: usize| format!("{name}-{attempt}");
    let post = |attempt| server.request("POST", MAPS, &map(&name(attempt)));
    name(succeeds_in_time(server, 201, post))
}

fn read_in_time(server: &Server, path: &str) {
    succeeds_in_time(server, 200, |_| server.get(path));
}

#[test]
#[ignore = "needs RATCHET_ETCD"]
fn a_member_that_hangs_is_left_by_reads_writes_and_watches() {
    for program in required_programs() {
        let mut cluster = Cluster::start(&program, 3, &[]);
        let homes = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let servers = [0, 1].map(|index| start(homes[index].path(), &cluster, &[]));
        let before = version(&create(&servers[0], MAPS, &map("before")));
        let path = format!("{MAPS}?watch=true&resourceVersion={before}");
        let mut watches = servers.each_ref().map(|server| server.stream("GET", &path, ""));
        watches.iter_mut().for_each(|watch| assert!(watch.head().starts_with("HTTP/1.1 200")));

        let mut written = BTreeSet::new();
        for paused in 0..3 {
            cluster.member(paused).pause();
            let names: Vec<String> = std::thread::scope(|scope| {
                let tasks: Vec<_> = servers
                    .iter()
                    .enumerate()
                    .map(|(index, server)| {
                        scope.spawn(move || {
                            read_in_time(server, &format!("{MAPS}/before"));
                            let name = write_in_time(server, &format!("m{paused}-{index}"));
                            read_in_time(server, &format!("{MAPS}/{name}"));
                            name
                        })
                    })
                    .collect();
                tasks.into_iter().map(|task| task.join().unwrap()).collect()
            });
            // What the one has written, the other reads, though its watch may have been at the member that hangs.
            for (name, server) in
                names.iter().flat_map(|name| servers.each_ref().map(|s| (name, s)))
            {
                read_in_time(server, &format!("{MAPS}/{name}"));
                assert_eq!(server.get("/livez").0, 200);
            }
            written.extend(names);
            cluster.member(paused).resume();
            eventually("the member is back", || {
                (0..3).all(|index| cluster.metric(index, "etcd_server_has_leader") == Some(1.0))
            });
        }

        // The watches were told everything once.
        for watch in &mut watches {
            let mut seen = BTreeSet::new();
            while !written.is_subset(&seen) {
                let event = event(watch);
                assert_eq!(event["type"], "ADDED");
                let name = event["object"]["metadata"]["name"].as_str().unwrap().to_owned();
                assert!(seen.insert(name), "{event} came twice");
            }
        }
    }
}

#[test]
#[ignore = "needs RATCHET_ETCD"]
fn an_etcd_that_hangs_is_refused_in_time_and_comes_back() {
    for program in required_programs() {
        let mut cluster = Cluster::start(&program, 3, &[]);
        let home = tempfile::tempdir().unwrap();
        let server = start(home.path(), &cluster, &[]);
        let before = version(&create(&server, MAPS, &map("before")));
        let path = format!("{MAPS}?watch=true&resourceVersion={before}");
        let mut watch = server.stream("GET", &path, "");
        assert!(watch.head().starts_with("HTTP/1.1 200"));
        eventually("the server runs the controllers", || crate::leads(&server));

        (0..3).for_each(|index| cluster.member(index).pause());
        let one = format!("{MAPS}/before");
        // Side by side, and one after the other: nobody waits for the questions of others besides.
        std::thread::scope(|scope| {
            let server = &server;
            scope.spawn(|| fails_in_time(server, "POST", MAPS, &map("lost"), IN_TIME));
            scope.spawn(|| fails_in_time(server, "DELETE", &one, "", IN_TIME));
            for path in [MAPS, &one, MAPS, &one] {
                scope.spawn(move || fails_in_time(server, "GET", path, "", READ_IN_TIME));
                std::thread::sleep(Duration::from_secs(1));
            }
        });
        for path in [MAPS, &one] {
            read(&server, &format!("{path}?resourceVersion=0"));
        }
        for endpoint in ["/readyz", "/livez"] {
            eventually("a server without etcd fails its checks", || {
                let (code, text) = server.get(endpoint);
                code == 500 && text.contains("[-]etcd")
            });
        }

        (0..3).for_each(|index| cluster.member(index).resume());
        eventually("the server is ready again", || server.get("/readyz").0 == 200);
        eventually("the server writes again", || {
            matches!(server.request("POST", MAPS, &map("after")).0, 201 | 409)
        });
        read_in_time(&server, &format!("{MAPS}/after"));
        assert_eq!(server.get("/livez").0, 200);
        while event(&mut watch)["object"]["metadata"]["name"] != "after" {}
        works(&server, "again");
    }
}
