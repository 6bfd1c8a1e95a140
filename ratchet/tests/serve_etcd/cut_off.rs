//! A server that is cut off from etcd for longer than etcd remembers: afterwards it shows what is stored, and no watch goes on
//! as if nothing had been missed, and the controllers run in another server.

use crate::server::Server;
use crate::takeover::{QUICK, holder, works};
use crate::{MAPS, SECRETS, create, event, eventually, leads, map, read, secret, start};
use crate::{version, watched};
use etcd_peer::{Cluster, required_programs};
use ratchet_etcd::{EtcdConfig, EtcdStore};
use ratchet_store::Store;
use serde_json::json;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A line to etcd that can be cut and joined again.
struct Link {
    url: String,
    /// The streams that lead over it; none while it is cut.
    open: Arc<Mutex<Option<Vec<TcpStream>>>>,
}

impl Link {
    fn to(target: &str) -> Self {
        let target = target.trim_start_matches("http://").to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let open = Arc::new(Mutex::new(Some(Vec::new())));
        let streams = open.clone();
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let mut open = streams.lock().unwrap();
                // A client that comes while the line is cut is hung up on.
                let Some(known) = open.as_mut() else { continue };
                let Ok(server) = TcpStream::connect(&target) else { continue };
                for (from, to) in [(&client, &server), (&server, &client)] {
                    let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    std::thread::spawn(move || carry(from, to));
                }
                known.extend([client, server]);
            }
        });
        Self { url, open }
    }

    fn cut(&self) {
        let streams = self.open.lock().unwrap().take().unwrap();
        streams.iter().for_each(|stream| drop(stream.shutdown(Shutdown::Both)));
    }

    fn join(&self) {
        *self.open.lock().unwrap() = Some(Vec::new());
    }
}

fn carry(mut from: TcpStream, mut to: TcpStream) {
    let mut buffer = [0; 16 << 10];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        if to.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    drop(to.shutdown(Shutdown::Both));
}

fn delete(server: &Server, name: &str) {
    let (code, text) = server.request("DELETE", &format!("{MAPS}/{name}"), "");
    assert_eq!(code, 200, "{text}");
}

#[test]
#[ignore = "needs RATCHET_ETCD"]
fn what_happened_beyond_the_history_of_etcd_is_read_anew() {
    for program in required_programs() {
        let cluster = Cluster::start(&program, 1, &[]);
        let link = Link::to(&cluster.urls()[0]);
        let homes = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let servers = format!("--etcd-servers={}", link.url);
        let cut_off = Server::start_at_home(homes[0].path(), &[&servers]);
        let other = start(homes[1].path(), &cluster, &[]);
        for name in ["stays", "changes", "goes", "goes-and-comes"] {
            create(&cut_off, MAPS, &map(name));
        }
        let before = version(&create(&cut_off, SECRETS, &secret("before", "default")));
        let watch = |path: &str| {
            let path = format!("{path}?watch=true&resourceVersion={before}");
            let mut stream = cut_off.stream("GET", &path, "");
            assert!(stream.head().starts_with("HTTP/1.1 200"));
            stream
        };
        let (mut changed, mut unchanged) = (watch(MAPS), watch(SECRETS));

        link.cut();
        eventually("the server notices", || cut_off.get("/readyz").0 == 500);
        let (code, text) = other.request(
            "PUT",
            &format!("{MAPS}/changes"),
            &json!({
                "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "changes"},
                "data": {"new": "value"},
            })
            .to_string(),
        );
        assert_eq!(code, 200, "{text}");
        ["goes", "goes-and-comes"].into_iter().for_each(|name| delete(&other, name));
        ["goes-and-comes", "is-new", "was-never-seen"]
            .into_iter()
            .for_each(|name| drop(create(&other, MAPS, &map(name))));
        delete(&other, "was-never-seen");
        // Its history begins after all of this.
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let store = EtcdStore::connect(EtcdConfig::new(cluster.urls())).await.unwrap();
            store.compact(store.latest().await.unwrap()).await.unwrap();
        });
        link.join();
        eventually("the server is ready again", || cut_off.get("/readyz").0 == 200);

        // Both show the same, from etcd as from the cache.
        let expected = read(&other, MAPS)["items"].clone();
        let names: BTreeSet<&str> = expected
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|item| item["metadata"]["name"].as_str())
            .collect();
        assert_eq!(
            names,
            BTreeSet::from(["changes", "goes-and-comes", "is-new", "kube-root-ca.crt", "stays"])
        );
        for path in [MAPS.to_owned(), format!("{MAPS}?resourceVersion=0")] {
            assert_eq!(read(&cut_off, &path)["items"], expected);
        }

        // The watch is told to list anew, as every other one from before.
        let event = event(&mut changed);
        assert_eq!((&event["type"], &event["object"]["code"]), (&json!("ERROR"), &json!(410)));
        let (code, text) =
            cut_off.get(&format!("{MAPS}?watch=true&resourceVersion={before}&timeoutSeconds=5"));
        assert!(code == 410 || code == 200 && text.contains("\"code\":410"), "{code} {text}");
        // A watch of what nobody touched goes on, and one from the new state.
        let now = version(&read(&cut_off, MAPS));
        let path = format!("{MAPS}?watch=true&resourceVersion={now}");
        let mut from_now = cut_off.stream("GET", &path, "");
        create(&other, MAPS, &map("after"));
        create(&other, SECRETS, &secret("after", "default"));
        assert!(from_now.head().starts_with("HTTP/1.1 200"));
        assert_eq!(watched(&mut from_now, 1)[0].0, "after");
        assert_eq!(watched(&mut unchanged, 1)[0].0, "after");
    }
}

#[test]
#[ignore = "needs RATCHET_ETCD"]
fn a_server_that_is_cut_off_loses_the_controllers_to_another() {
    for program in required_programs() {
        let cluster = Cluster::start(&program, 1, &[]);
        let links = [(); 2].map(|()| Link::to(&cluster.urls()[0]));
        let homes = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let servers = [0, 1].map(|index| {
            let url = format!("--etcd-servers={}", links[index].url);
            let flags: Vec<&str> = QUICK.into_iter().chain([url.as_str()]).collect();
            Server::start_at_home(homes[index].path(), &flags)
        });
        let leading = Cell::new(None);
        eventually("one server runs the controllers", || {
            leading.set(servers.iter().position(leads));
            leading.get().is_some()
        });
        let cut_off = leading.get().unwrap();
        let other = 1 - cut_off;
        works(&servers[other], "before");
        let before = holder(&servers[other]);

        links[cut_off].cut();
        eventually("the server gives the controllers up", || !leads(&servers[cut_off]));
        eventually("the other server runs them", || leads(&servers[other]));
        works(&servers[other], "meanwhile");
        let after = holder(&servers[other]);
        assert_ne!(after, before);

        // It does not take them back when it is there again.
        links[cut_off].join();
        eventually("the server is ready again", || servers[cut_off].get("/readyz").0 == 200);
        works(&servers[cut_off], "after");
        assert_eq!((leads(&servers[cut_off]), leads(&servers[other])), (false, true));
        assert_eq!(holder(&servers[cut_off]), after);
    }
}
