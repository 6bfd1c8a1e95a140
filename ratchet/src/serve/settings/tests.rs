//! Tests of accepted and refused values of every flag.

use super::*;
use crate::args::{Args, Command};
use clap::Parser;

fn of(arguments: &[&str]) -> Result<Settings, String> {
    let all = ["ratchet", "serve"].iter().chain(arguments);
    let Command::Serve(args) = Args::try_parse_from(all).unwrap().command else { panic!("serve") };
    resolve(&args)
}

#[test]
fn what_is_refused() {
    const MUST: &str = "must be between 1 and 65535, inclusive. It cannot be turned off with 0";
    let table: &[(&[&str], &str)] = &[
        (&["--secure-port=0"], &format!("--secure-port 0 {MUST}")),
        (&["--secure-port=65536"], &format!("--secure-port 65536 {MUST}")),
        (&["--secure-port=-1"], &format!("--secure-port -1 {MUST}")),
        (
            &["--encryption-provider-config=f"],
            "--encryption-provider-config is not built into this server: secrets would be stored as they are",
        ),
        (&["--request-timeout=-1s"], "--request-timeout can not be negative value"),
        (&["--min-request-timeout=-1"], "--min-request-timeout can not be negative value"),
        (
            &["--shutdown-delay-duration", "-1s"],
            "--shutdown-delay-duration can not be negative value",
        ),
        (
            &["--max-requests-inflight=-1", "--max-mutating-requests-inflight=-1"],
            "[--max-requests-inflight can not be negative value, --max-mutating-requests-inflight can not be negative value]",
        ),
        (
            &["--max-requests-inflight=0", "--max-mutating-requests-inflight=0"],
            "invalid configuration: MaxRequestsInFlight=0 and MaxMutatingRequestsInFlight=0; they must add up to something positive",
        ),
        (
            &["--tls-cert-file=a"],
            "--tls-cert-file and --tls-private-key-file must be specified together",
        ),
        (&["--service-account-issuer="], "service-account-issuer should not be an empty string"),
        (
            &["--service-account-issuer=a", "--service-account-issuer=a"],
            "service-account-issuer \"a\" is already specified",
        ),
        (
            &["--service-account-issuer=:a"],
            "service-account-issuer \":a\" contained a ':' but was not a valid URL: parse \":a\": missing protocol scheme",
        ),
        (
            &["--requestheader-username-headers= "],
            "empty value in \"requestheader-username-headers\"",
        ),
        (
            &["--requestheader-uid-headers=X-Id"],
            "--requestheader-uid-headers is set without specifying the standard X-Remote-Uid header - API aggregation will not work",
        ),
        (&["--authorization-mode="], "at least one authorization-mode must be passed"),
        (&["--authorization-mode=Foo"], "authorization-mode \"Foo\" is not a valid mode"),
        (
            &["--authorization-mode=Webhook"],
            "authorization-mode \"Webhook\" is not built into this server",
        ),
        (
            &["--authorization-mode=RBAC,RBAC"],
            "authorization-mode [\"RBAC\" \"RBAC\"] has mode specified more than once",
        ),
        (
            &["--audit-log-path=-", "--audit-log-maxage=-1"],
            "--audit-log-maxage -1 can't be a negative number",
        ),
        (
            &["--audit-policy-file=/nonexist"],
            "loading audit policy file: failed to read file path \"/nonexist\": open /nonexist: no such file or directory",
        ),
        (&["--enable-admission-plugins=Foo"], "enable-admission-plugins plugin \"Foo\" is unknown"),
        (
            &["--enable-admission-plugins=EventRateLimit"],
            "enable-admission-plugins plugin \"EventRateLimit\" is not built into this server",
        ),
        (&["--runtime-config=api/all=false"], "invalid runtime-config with only api/all=false"),
        (&["--runtime-config=foo/v1"], "unknown api groups foo/v1"),
        (&["--service-cluster-ip-range=foo"], "service-cluster-ip-range[0] is not a valid cidr"),
        (
            &["--service-cluster-ip-range=10.0.0.0/24,foo"],
            "service-cluster-ip-range[1] is not an ip net",
        ),
        (
            &["--service-cluster-ip-range=10.0.0.0/24,10.1.0.0/24"],
            "--service-cluster-ip-range[0] and --service-cluster-ip-range[1] must be of different IP family",
        ),
        (
            &["--service-cluster-ip-range=10.0.0.0/24,fd00::/112,fd01::/112"],
            "--service-cluster-ip-range must not contain more than two entries",
        ),
        (
            &["--advertise-address=::1", "--service-cluster-ip-range=10.96.0.0/16"],
            "service IP family \"10.96.0.0/16\" must match public address family \"::1\"",
        ),
        (
            &["--kubelet-client-key=a"],
            "--kubelet-client-certificate and --kubelet-client-key must be specified together",
        ),
        (
            &["--max-connection-bytes-per-sec=-1"],
            "--max-connection-bytes-per-sec can not be negative value",
        ),
        (&["--emulated-version=foo"], "could not parse \"foo\" as version"),
        (&["--emulated-version=1"], "could not parse \"1\" as version"),
        (&["--emulated-version=1.40"], "emulation version 1.40 is not between [1.32, 1.36.0]"),
        (&["--emulated-version=kube=1.31"], "emulation version 1.31 is not between [1.32, 1.36.0]"),
        (&["--feature-gates=Foo=true"], "unrecognized feature gate: Foo"),
        (
            &["--feature-gates=StrictIPCIDRValidation"],
            "missing bool value for StrictIPCIDRValidation",
        ),
        (
            &["--feature-gates=StrictIPCIDRValidation=maybe"],
            "invalid value of StrictIPCIDRValidation=maybe, err: strconv.ParseBool: parsing \"maybe\": invalid syntax",
        ),
        (
            &["--feature-gates=RelaxedDNSSearchValidation=false"],
            "cannot set feature gate RelaxedDNSSearchValidation to false, feature is locked to true",
        ),
        (
            &["--authorization-mode=Foo", "--secure-port=0", "--disable-admission-plugins=Bar"],
            &format!(
                "[--secure-port 0 {MUST}, authorization-mode \"Foo\" is not a valid mode, disable-admission-plugins plugin \"Bar\" is unknown]"
            ),
        ),
    ];
    for (arguments, words) in table {
        assert_eq!(of(arguments).map(|_| ()), Err((*words).to_owned()), "{arguments:?}");
    }
    let refused = of(&["--admission-control-config-file=/nonexist"]).map(|_| ()).unwrap_err();
    assert!(
        refused.starts_with("failed to apply admission: failed to read plugin config: "),
        "{refused}"
    );
}

#[test]
fn what_is_taken() {
    let usual = of(&[]).unwrap();
    assert_eq!(usual.bind.to_string(), "127.0.0.1:6443");
    assert_eq!(usual.advertise.to_string(), "127.0.0.1");
    assert_eq!(usual.modes, [Mode::Node, Mode::Rbac]);
    assert_eq!(usual.api_config.behavior, Behavior::Proposal);
    assert_eq!(usual.ranges.cidrs(), ["10.0.0.0/24"]);
    let limits = usual.limits;
    assert_eq!((limits.timeout.as_secs(), limits.watch.as_secs()), (60, 1800));
    assert_eq!((limits.reads, limits.writes), (400, 200));
    assert!(usual.audit.is_none() && usual.runtime.is_empty());
    for arguments in [
        &["--service-cluster-ip-range="][..],
        &["--service-cluster-ip-range=10.96.0.0/16,fd00::/112"],
        &["--service-cluster-ip-range=fd00::/112", "--bind-address=::1"],
        &["--bind-address=::1", "--endpoint-reconciler-type=none"],
        &["--bind-address=0.0.0.0"],
        &["--emulated-version=1.33"],
        &["--emulated-version=kube=1.36.0"],
        &["--feature-gates=kube:StrictIPCIDRValidation=false", "--feature-gates=kube:AllBeta=true"],
        &["--authorization-mode=AlwaysDeny,RBAC,Node,AlwaysAllow"],
        &["--disable-admission-plugins=EventRateLimit,PodSecurity"],
        &["--enable-admission-plugins=DenyServiceExternalIPs,LimitRanger"],
        &["--audit-log-maxage=-1"],
        &["--requestheader-uid-headers=x-remote-uid"],
        &["--runtime-config=api/beta=true,apps/v1=true"],
        &["--controllers=", "--controllers=*,-foo", "--allow-privileged"],
        &["--etcd-compaction-interval=0", "--event-ttl=90s", "--request-timeout=0"],
    ] {
        if let Err(refusal) = of(arguments) {
            panic!("{arguments:?}: {refusal}");
        }
    }
    let deny = of(&["--enable-admission-plugins=DenyServiceExternalIPs"]).unwrap();
    assert!(deny.api_config.plugins.deny_external_ips && deny.api_config.plugins.pod_security);
    assert!(
        !of(&["--disable-admission-plugins=PodSecurity"]).unwrap().api_config.plugins.pod_security
    );
    assert_eq!(of(&["--emulated-version=1.34"]).unwrap().api_config.emulated.minor(), 34);
    let alpha = of(&["--emulated-version=1.32"]).unwrap().api_config;
    assert!(alpha.emulated.minor() == 32 && !alpha.relaxed_dns());
    let on = ["--emulated-version=1.32", "--feature-gates=RelaxedDNSSearchValidation=true"];
    assert!(of(&on).unwrap().api_config.relaxed_dns());
}

#[test]
fn what_check_predicts_for_this_server_is_what_the_server_decides_by() {
    let words = ["ratchet", "check", "x", "--for=ratchet"];
    let Command::Check(args) = Args::try_parse_from(words).unwrap().command else {
        panic!("check")
    };
    let predicted = crate::api_config::of(args.policy).unwrap();
    assert_eq!(format!("{predicted:?}"), format!("{:?}", of(&[]).unwrap().api_config));
}

const GATE: &str = "--feature-gates=KubeletCertCNValidation=true";
const NO_GATE: &str = "--feature-gates=KubeletCertCNValidation=false";
const CA: &str = "--kubelet-certificate-authority=ca.crt";
const FLAG: &str = "--enable-kubelet-cert-cn-validation";
const NO_FLAG: &str = "--enable-kubelet-cert-cn-validation=false";
const NEEDS_GATE: &str = "--enable-kubelet-cert-cn-validation requires the KubeletCertCNValidation feature gate to be enabled";
const NEEDS_CA: &str =
    "--enable-kubelet-cert-cn-validation requires --kubelet-certificate-authority to be set";

/// The state matrix of KEP-4872, every row.
#[test]
fn names_of_kubelets_are_looked_at_as_the_proposal_says() {
    let authority = |names| Ok(Trust::Authority { file: "ca.crt".into(), names });
    let both = format!("[{NEEDS_GATE}, {NEEDS_CA}]");
    let table: &[(&[&str], Result<Trust, &str>)] = &[
        (&[], Ok(Trust::Anyone)),
        (&[NO_FLAG], Ok(Trust::Anyone)),
        (&[CA], authority(NameCheck::Off)),
        (&[CA, NO_FLAG], authority(NameCheck::Off)),
        (&[CA, NO_GATE], authority(NameCheck::Off)),
        (&[FLAG], Err(&both)),
        (&[NO_GATE, FLAG], Err(&both)),
        (&[CA, FLAG], Err(NEEDS_GATE)),
        (&[GATE], Ok(Trust::Anyone)),
        (&[GATE, NO_FLAG], Ok(Trust::Anyone)),
        (&[GATE, FLAG], Err(NEEDS_CA)),
        (&[GATE, CA], authority(NameCheck::Observe)),
        (&[GATE, CA, NO_FLAG], authority(NameCheck::Observe)),
        (&["--feature-gates=AllAlpha=true", CA], authority(NameCheck::Observe)),
        (&[GATE, CA, FLAG], authority(NameCheck::Enforce)),
        (&[GATE, CA, FLAG, "--emulated-version=1.33"], authority(NameCheck::Enforce)),
    ];
    for (arguments, wanted) in table {
        let trust = of(arguments).map(|settings| settings.trust);
        assert_eq!(trust, wanted.clone().map_err(str::to_owned), "{arguments:?}");
    }
}

#[test]
fn enforcement_without_restricted_nodes_is_warned_about() {
    const FREE: &str = "--disable-admission-plugins=NodeRestriction";
    let warnings = |arguments: &[&str]| of(arguments).unwrap().warnings();
    let warning = "--enable-kubelet-cert-cn-validation without the NodeRestriction admission plugin: a node can ask for a serving certificate with the name of another node";
    for (arguments, wanted) in [
        (&[][..], &[][..]),
        (&[FREE], &[]),
        (&[GATE, CA], &[]),
        (&[GATE, CA, FREE], &[]),
        (&[GATE, CA, FLAG], &[]),
        (&[GATE, CA, FLAG, FREE], &[warning]),
        (&[GATE, CA, FLAG, "--authorization-mode=RBAC"], &[warning]),
        (
            &[
                GATE,
                CA,
                FLAG,
                "--authorization-mode=RBAC",
                "--enable-admission-plugins=NodeRestriction",
            ],
            &[],
        ),
    ] {
        assert_eq!(warnings(arguments), wanted, "{arguments:?}");
    }
}
