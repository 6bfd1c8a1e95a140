//! Tests of `kubectl exec` and `kubectl attach` without a terminal: exit codes, input and output, separate errors.

use super::cluster::{Cluster, Pod};
use super::kubectl::WAYS;
use kubelet_peer::Container;

/// Every byte value, in an order that compression or translation would disturb.
pub(super) fn bytes(length: u32) -> Vec<u8> {
    let next = |state: &mut u32| {
        *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        Some(state.to_be_bytes()[0])
    };
    (0..length).scan(42, |state, _| next(state)).collect()
}

#[test]
fn commands_run_with_their_streams_and_codes() {
    let cluster = Cluster::start();
    let pods = WAYS.map(|way| {
        let environment = vec![("WHO".to_owned(), way.node().to_owned())];
        Pod::of(way.node(), way.node(), Container { environment, ..Container::default() })
    });
    cluster.add(pods.into());
    for way in WAYS {
        let (kubectl, pod) = (cluster.kubectl.over(way), way.node());
        let output = kubectl.run(&format!("exec {pod} -- sh -c :: echo $WHO; echo oh >&2"));
        let actual = (output.code, output.text(), output.stderr.as_str());
        assert_eq!(actual, (0, format!("{pod}\n"), "oh\n"), "{way:?}");

        let output = kubectl.run(&format!("exec {pod} -- sh -c :: echo some; exit 7"));
        assert_eq!((output.code, output.text().as_str()), (7, "some\n"), "{way:?}");
        assert!(
            output.stderr.contains("command terminated with exit code 7"),
            "{way:?} {output:?}"
        );

        let input = bytes(5_000_000);
        let output = kubectl.feed(&format!("exec -i {pod} -- cat"), &input);
        assert_eq!(output.code, 0, "{way:?} {}", output.stderr);
        assert!(output.stdout == input, "{way:?}: {} bytes came back", output.stdout.len());

        // The command ends before it has read all input; nothing may block for ever.
        let output = kubectl.feed(&format!("exec -i {pod} -- head -c 3"), &input);
        assert_eq!((output.code, &output.stdout), (0, &input[..3].to_vec()), "{way:?}");

        let missing = format!("exec {pod} -- no-such-program");
        kubectl.refused(&missing, "executable file not found in $PATH");
        kubectl.refused(&format!("exec {pod} -c no -- true"), "container no");
    }
    let requests = |node: &str| cluster.kubelet(node).requests();
    let is_websocket = |request: &kubelet_peer::RecordedRequest| {
        request.headers.get("upgrade").is_some_and(|to| to.as_bytes() == b"websocket")
    };
    assert!(!requests("alpha").is_empty() && !requests("alpha").iter().any(is_websocket));
    assert!(!requests("beta").is_empty() && !requests("beta").iter().any(is_websocket));
    assert!(!requests("gamma").is_empty() && requests("gamma").iter().all(is_websocket));
}

#[test]
fn one_attaches_to_a_process_that_runs() {
    let cluster = Cluster::start();
    let reader = "while read line; do echo got $line; done; echo bye";
    let pods = WAYS.map(|way| {
        let container = Container::running(["sh", "-c", reader]);
        Pod::of(way.node(), way.node(), Container { stdin_once: true, ..container })
    });
    cluster.add(pods.into());
    for way in WAYS {
        let (kubectl, pod) = (cluster.kubectl.over(way), way.node());
        let output = kubectl.feed(&format!("attach -i {pod}"), b"a\nb\n");
        assert_eq!(output.code, 0, "{way:?} {output:?}");
        assert_eq!(output.text(), "got a\ngot b\nbye\n", "{way:?} {}", output.stderr);
        assert_eq!(kubectl.ok(&format!("logs {pod}")), "got a\ngot b\nbye\n", "{way:?}");
        kubectl.refused(&format!("attach -i {pod}"), "container is in CONTAINER_EXITED state");
    }
}
