//! Tests of the commands in the operator's documentation, run as printed.

use super::console::Console;
use super::serving::Serving;

const EXTERNAL_IPS: &str = include_str!("../../../docs/how-to/external-ips.md");
const DNS_SEARCH: &str = include_str!("../../../docs/how-to/dns-search.md");
const PROBE_HOSTS: &str = include_str!("../../../docs/how-to/probe-hosts.md");
const STRICT_IP_CIDR: &str = include_str!("../../../docs/how-to/strict-ip-cidr.md");

/// The one command of a page that begins with `start`, without its comment.
fn command<'a>(page: &'a str, start: &str) -> &'a str {
    let mut found = page.lines().filter(|line| line.starts_with(start));
    let line = found.next().unwrap_or_else(|| panic!("no command begins with {start:?}"));
    assert_eq!(found.next(), None, "two commands begin with {start:?}");
    line.split("  #").next().unwrap_or(line)
}

/// Runs a command of a page; returns its output.
fn run(console: &Console, page: &str, start: &str) -> String {
    console.shell(command(page, start)).text
}

#[test]
fn external_ips_are_found_and_a_dry_run_tells_whether_they_are_denied() {
    let audit = "kubectl get services";
    let attempt = "kubectl create service clusterip probe";
    let (_serving, console) = Serving::start();
    assert_eq!(run(&console, EXTERNAL_IPS, audit), "");
    console.ok("create service clusterip web --tcp=80");
    console.ok(r#"patch service web -p '{"spec":{"externalIPs":["192.0.2.7"]}}'"#);
    assert_eq!(run(&console, EXTERNAL_IPS, audit), "default/web: [192.0.2.7]\n");
    let allowed = run(&console, EXTERNAL_IPS, attempt);
    assert!(allowed.contains("service/probe created (server dry run)"), "{allowed}");

    let (_serving, console) =
        Serving::start_with(&["--enable-admission-plugins=DenyServiceExternalIPs"]);
    let denied = run(&console, EXTERNAL_IPS, attempt);
    let command_words =
        "services \"probe\" is forbidden: Use of external IPs is denied by admission control";
    assert!(denied.contains(command_words), "{denied}");
    assert!(EXTERNAL_IPS.contains(command_words), "the page quotes other words");
}

#[test]
fn search_names_are_found_in_pods_and_templates() {
    let (_serving, console) = Serving::start();
    let attempt = run(&console, DNS_SEARCH, "kubectl run probe");
    assert!(attempt.contains("pod/probe created (server dry run)"), "{attempt}");
    let of_pods = "kubectl get pods --all-namespaces -o go-template";
    let of_templates = "kubectl get deployments";
    assert_eq!(run(&console, DNS_SEARCH, of_pods), "");
    assert_eq!(run(&console, DNS_SEARCH, of_templates), "");
    let search = |names: &str| format!(r#"{{"spec":{{"dnsConfig":{{"searches":[{names}]}}}}}}"#);
    for (name, names) in [("plain", r#""a.example""#), ("odd", r#""a.example","a_b.example",".""#)]
    {
        let more = search(names);
        console.ok(&format!("run {name} --image=example.com/none --overrides='{more}'"));
        console.ok(&format!("create deployment {name} --image=example.com/none"));
        let template = format!(r#"{{"spec":{{"template":{more}}}}}"#);
        console.ok(&format!("patch deployment {name} -p '{template}'"));
    }
    let pods = run(&console, DNS_SEARCH, of_pods);
    assert_eq!(pods, "default/odd a_b.example\ndefault/odd .\n");
    assert_eq!(run(&console, DNS_SEARCH, of_templates), "a_b.example\n.\n");
}

#[test]
fn probe_hosts_are_warned_about_and_a_failed_rollout_is_found() {
    let (_serving, console) = Serving::start();
    console.ok("create namespace shop");
    let pod = r#"{"spec":{"containers":[{"name":"web","image":"example.com/none","livenessProbe":{"tcpSocket":{"host":"192.0.2.9","port":80}}}]}}"#;
    console.ok(&format!("run web --namespace=shop --image=example.com/none --overrides='{pod}'"));
    let output = run(&console, PROBE_HOSTS, "kubectl label --dry-run=server");
    assert!(output.contains("web: probeHost"), "{output}");

    let label = console.shell(command(PROBE_HOSTS, "kubectl label namespace shop"));
    assert_eq!(label.code, 0, "{}", label.text);
    let again = format!("run other --namespace=shop --image=example.com/none --overrides='{pod}'");
    let refused = console.run(&again);
    assert_ne!(refused.code, 0);
    assert!(refused.text.contains(r#"violates PodSecurity "baseline:v1.34""#), "{}", refused.text);

    let failed = "kubectl get deployments --all-namespaces";
    console.ok("create deployment web --namespace=shop --image=example.com/none");
    assert_eq!(run(&console, PROBE_HOSTS, failed), "");
    console.ok(r#"patch deployment web --namespace=shop --subresource=status -p '{"status":{"conditions":[{"type":"ReplicaFailure","status":"True","reason":"FailedCreate","message":"pods are forbidden"}]}}'"#);
    assert_eq!(run(&console, PROBE_HOSTS, failed), "shop/web: pods are forbidden\n");

    for start in ["kubectl label --overwrite namespace shop", "kubectl --namespace shop rollout"] {
        let line = console.shell(command(PROBE_HOSTS, start));
        assert_eq!(line.code, 0, "{}", line.text);
    }
    console.ok(&again);
}

#[test]
fn what_is_stored_is_judged_as_new_and_as_an_update_of_itself() {
    let (_serving, console) =
        Serving::start_with(&["--feature-gates=StrictIPCIDRValidation=false"]);
    console.ok("create service clusterip web --tcp=80");
    console.ok(r#"patch service web -p '{"spec":{"externalIPs":["010.20.30.40"]}}'"#);
    console.ok(r#"run frozen --image=example.com/none --overrides='{"spec":{"dnsConfig":{"nameservers":["010.0.0.1"]}}}'"#);
    console.ok("run fine --image=example.com/none");
    let dump = console.shell(command(STRICT_IP_CIDR, "kubectl get services"));
    assert_eq!(dump.code, 0, "{}", dump.text);

    let fresh =
        console.shell(command(STRICT_IP_CIDR, "ratchet check --target-version 1.36 stored"));
    assert_eq!(fresh.code, 1, "{}", fresh.text);
    for refused in ["Service default/web refused", "Pod default/frozen refused"] {
        assert!(fresh.text.contains(refused), "{}", fresh.text);
    }
    assert!(!fresh.text.contains("default/fine refused"), "{}", fresh.text);

    let update =
        console.shell(command(STRICT_IP_CIDR, "ratchet check --target-version 1.36 --against"));
    assert_eq!(update.code, 1, "{}", update.text);
    assert!(update.text.contains("Pod default/frozen refused"), "{}", update.text);
    assert!(update.text.contains("freezes this object"), "{}", update.text);
    assert!(!update.text.contains("default/web refused"), "{}", update.text);
}
