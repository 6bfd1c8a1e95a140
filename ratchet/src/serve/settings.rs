//! Server settings from the flags of `ratchet serve`, with kube-apiserver's error messages.

use super::args::{AuditArgs, ClientArgs, KubeletArgs, Reconciler, ServeArgs, ServingArgs};
use super::{etcd_overrides, plugins, runtime_config, signing, usage_error, webhook_users};
use crate::behavior_arg::BehaviorArg;
use ratchet_engine::{ApiConfig, Behavior, KUBELET_CERT_CN, Plugins, Release};
use ratchet_net::Quoted;
use ratchet_server::{
    Audit, Mode, NameCheck, Proxies, Ranges, RequestLimits, Trust, WebhookUserConfig, go_io_error,
};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

/// The validated settings of a server.
pub(crate) struct Settings {
    pub(crate) bind: SocketAddr,
    pub(crate) advertise: IpAddr,
    pub(crate) api_config: ApiConfig,
    pub(crate) plugins: Vec<&'static str>,
    pub(crate) modes: Vec<Mode>,
    pub(crate) ranges: Ranges,
    pub(crate) limits: RequestLimits,
    pub(crate) runtime: Vec<(String, bool)>,
    pub(crate) audit: Option<Audit>,
    pub(crate) trust: Trust,
    pub(crate) proxies: Proxies,
    pub(crate) webhook_users: WebhookUserConfig,
}

/// Validates the flags. As in kube-apiserver, a value that cannot be parsed is reported alone, and all invalid
/// combinations are reported together.
pub(crate) fn resolve(args: &ServeArgs) -> Result<Settings, String> {
    let emulated = args.rules.emulated_version.as_deref().map(version).transpose()?;
    let mut refusals = limits_refusals(&args.serving);
    let emulated = emulated.map_or(Ok(Release::REFERENCE), emulatable);
    let mut api_config = crate::api_config::of_server(behavior(args.rules.behavior));
    match &emulated {
        Ok(emulated) => {
            api_config.emulated = *emulated;
            api_config.gates = api_config.gates.emulating(*emulated);
        }
        Err(refusal) => refusals.push(refusal.clone()),
    }
    api_config.gates.apply(&args.rules.gates.feature_gates).map_err(|error| error.to_string())?;
    let ranges = ranges(args)?;

    refusals.extend(args.accepted.refused.clone());
    refusals.extend(etcd_overrides::refusals(&args.storage));
    refusals.extend(serving_refusals(&args.serving));
    refusals.extend(issuer_refusals(&args.clients.service_account_issuer));
    refusals.extend(token_refusals(&args.clients));
    refusals.extend(proxy_refusals(&args.clients));
    let modes = modes(&args.clients.authorization_mode, &mut refusals);
    refusals.extend(audit_refusals(&args.audit));
    let names = name_check(&args.kubelets, &api_config);
    refusals.extend(names.as_ref().err().into_iter().flatten().cloned());
    refusals.extend(kubelet_refusals(&args.kubelets));
    refusals.extend(signing::refusals(&args.controllers));
    let lists = plugins::lists(&args.rules);
    refusals.extend(lists.as_ref().err().cloned());
    let (enabled, disabled) = lists.unwrap_or_default();
    refusals.extend(plugins::refusals(&enabled, &disabled));
    let runtime = runtime_config::parse(&args.rules.runtime_config);
    refusals.extend(runtime.as_ref().err().cloned());
    let advertise = advertise(&args.serving, &ranges);
    refusals.extend(family_refusal(args, &ranges, advertise));
    usage_error::join_errors(refusals)?;

    let plugins = plugins::in_force(&enabled, &disabled, &modes);
    api_config.plugins = Plugins {
        deny_external_ips: plugins.contains(&"DenyServiceExternalIPs"),
        pod_security: plugins.contains(&"PodSecurity"),
        service_account: plugins.contains(&"ServiceAccount"),
    };
    if let Some(path) = &args.rules.admission_control_config_file {
        api_config.pod_security = crate::api_config::pod_security_config(path)?;
    }
    let webhook_users = args.rules.admission_control_config_file.as_deref();
    let webhook_users = webhook_users.map(webhook_users::read).transpose()?.unwrap_or_default();
    Ok(Settings {
        bind: SocketAddr::new(args.serving.bind_address, port(&args.serving)),
        advertise,
        api_config,
        plugins,
        modes,
        ranges,
        limits: limits(&args.serving),
        runtime: runtime?,
        audit: audit(&args.audit)?,
        proxies: Proxies::from_environment()?,
        webhook_users,
        trust: trust(&args.kubelets, names.unwrap_or(NameCheck::Off)),
    })
}

impl Settings {
    /// Warnings about risky combinations of flags.
    pub(crate) fn warnings(&self) -> Vec<&'static str> {
        let is_enforced = matches!(self.trust, Trust::Authority { names: NameCheck::Enforce, .. });
        let mut all = Vec::new();
        if is_enforced && !self.plugins.contains(&plugins::NODE_RESTRICTION) {
            all.push(
                "--enable-kubelet-cert-cn-validation without the NodeRestriction admission plugin: a node can ask for a serving certificate with the name of another node",
            );
        }
        all
    }
}

fn behavior(behavior: BehaviorArg) -> Behavior {
    match behavior {
        BehaviorArg::Proposal => Behavior::Proposal,
        BehaviorArg::Released => Behavior::Released,
    }
}

/// Parses `[kube=]major.minor`.
fn version(text: &str) -> Result<(u32, u32), String> {
    let bare = text.strip_prefix("kube=").unwrap_or(text);
    let mut numbers = bare.strip_prefix('v').unwrap_or(bare).split('.').map(str::parse);
    match (numbers.next(), numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor)), None | Some(Ok(0))) => Ok((major, minor)),
        _ => Err(format!("could not parse {} as version", Quoted(bare))),
    }
}

/// The release of an emulated version, if the server supports it: up to three releases back, and one more.
fn emulatable((major, minor): (u32, u32)) -> Result<Release, String> {
    let newest = Release::REFERENCE;
    let oldest = crate::api_config::OLDEST_SERVED;
    let release = u8::try_from(minor).ok().filter(|minor| major == 1 && *minor >= oldest);
    match release.and_then(Release::new).filter(|release| *release <= newest) {
        Some(release) => Ok(release),
        None => Err(format!(
            "emulation version {major}.{minor} is not between [1.{oldest}, {newest}.0]"
        )),
    }
}

fn limits_refusals(args: &ServingArgs) -> Vec<String> {
    let table = [
        (args.max_requests_inflight < 0, "max-requests-inflight"),
        (args.max_mutating_requests_inflight < 0, "max-mutating-requests-inflight"),
        (args.max_long_running_requests < 0, "max-long-running-requests"),
        (args.max_long_running_requests_per_user < 0, "max-long-running-requests-per-user"),
        (args.request_timeout.is_negative(), "request-timeout"),
        (args.min_request_timeout < 0, "min-request-timeout"),
        (args.shutdown_delay_duration.is_negative(), "shutdown-delay-duration"),
        (args.write_timeout.is_negative(), "write-timeout"),
    ];
    let invalid = table.into_iter().filter(|(is_wrong, _)| *is_wrong);
    let mut refusals: Vec<String> =
        invalid.map(|(_, flag)| format!("--{flag} can not be negative value")).collect();
    let (reads, writes) = (args.max_requests_inflight, args.max_mutating_requests_inflight);
    if args.enable_priority_and_fairness && (reads, writes) == (0, 0) {
        refusals.push(format!(
            "invalid configuration: MaxRequestsInFlight={reads} and MaxMutatingRequestsInFlight={writes}; they must add up to something positive"
        ));
    }
    refusals
}

fn limits(args: &ServingArgs) -> RequestLimits {
    let count = |number: i64| usize::try_from(number).unwrap_or(0);
    RequestLimits {
        timeout: args.request_timeout.length(),
        watch: Duration::from_secs(args.min_request_timeout.try_into().unwrap_or(0)),
        is_fair: args.enable_priority_and_fairness,
        reads: count(args.max_requests_inflight),
        writes: count(args.max_mutating_requests_inflight),
        long_running: count(args.max_long_running_requests),
        long_running_of_user: count(args.max_long_running_requests_per_user),
        write: args.write_timeout.length(),
    }
}

/// The networks and ports of Services.
fn ranges(args: &ServeArgs) -> Result<Ranges, String> {
    let text = match args.services.service_cluster_ip_range.as_str() {
        "" => "10.0.0.0/24",
        text => text,
    };
    let networks: Vec<&str> = text.split(',').collect();
    let ports = args.services.service_node_port_range;
    let primary = networks.first().copied().unwrap_or_default();
    let ranges = Ranges::new(primary, networks.get(1).copied(), (ports.first, ports.last))?;
    match networks.len() {
        0..=2 => Ok(ranges),
        _ => Err("--service-cluster-ip-range must not contain more than two entries".into()),
    }
}

fn port(args: &ServingArgs) -> u16 {
    u16::try_from(args.secure_port).unwrap_or(0)
}

fn serving_refusals(args: &ServingArgs) -> Vec<String> {
    let mut all = Vec::new();
    let number = args.secure_port;
    if !(1..=65535).contains(&number) {
        all.push(format!(
            "--secure-port {number} must be between 1 and 65535, inclusive. It cannot be turned off with 0"
        ));
    }
    if args.tls_cert_file.is_some() != args.tls_private_key_file.is_some() {
        all.push("--tls-cert-file and --tls-private-key-file must be specified together".into());
    }
    all
}

/// Lifetimes that the reference refuses as the longest of tokens.
fn token_refusals(args: &ClientArgs) -> Option<String> {
    let longest = args.service_account_max_token_expiration;
    let is_given = longest.is_negative() || !longest.length().is_zero();
    let is_usual = (3600..=1 << 32).contains(&longest.length().as_secs());
    (is_given && !is_usual).then(|| {
        "the service-account-max-token-expiration must be between 1 hour and 2^32 seconds"
            .to_owned()
    })
}

fn issuer_refusals(issuers: &[String]) -> Vec<String> {
    let mut all = Vec::new();
    for (at, issuer) in issuers.iter().enumerate() {
        let quoted = Quoted(issuer);
        if issuer.starts_with(':') {
            all.push(format!(
                "service-account-issuer {quoted} contained a ':' but was not a valid URL: parse {quoted}: missing protocol scheme"
            ));
        } else if issuer.is_empty() {
            all.push("service-account-issuer should not be an empty string".into());
        } else if issuers.iter().take(at).any(|other| other == issuer) {
            all.push(format!("service-account-issuer {quoted} is already specified"));
        }
    }
    all
}

fn proxy_refusals(args: &ClientArgs) -> Vec<String> {
    let lists = [
        ("requestheader-username-headers", &args.requestheader_username_headers),
        ("requestheader-group-headers", &args.requestheader_group_headers),
        ("requestheader-extra-headers-prefix", &args.requestheader_extra_headers_prefix),
        ("requestheader-allowed-names", &args.requestheader_allowed_names),
        ("requestheader-uid-headers", &args.requestheader_uid_headers),
    ];
    let has_blank = |names: &[String]| names.iter().any(|name| name.trim().is_empty());
    let blank = lists.into_iter().filter(|(_, names)| has_blank(names));
    let mut all: Vec<String> =
        blank.map(|(flag, _)| format!("empty value in \"{flag}\"")).collect();
    let uid = &args.requestheader_uid_headers;
    if !uid.is_empty() && !uid.iter().any(|name| name.eq_ignore_ascii_case("X-Remote-Uid")) {
        all.push(
            "--requestheader-uid-headers is set without specifying the standard X-Remote-Uid header - API aggregation will not work"
                .into(),
        );
    }
    all
}

/// Authorization modes; those of kube-apiserver that are not implemented have no `Mode`.
const MODES: &[(&str, Option<Mode>)] = &[
    ("AlwaysAllow", Some(Mode::AlwaysAllow)),
    ("AlwaysDeny", Some(Mode::AlwaysDeny)),
    ("Node", Some(Mode::Node)),
    ("RBAC", Some(Mode::Rbac)),
    ("ABAC", None),
    ("Webhook", None),
];

fn modes(names: &[String], refusals: &mut Vec<String>) -> Vec<Mode> {
    let names: Vec<&String> = names.iter().filter(|name| !name.is_empty()).collect();
    if names.is_empty() {
        refusals.push("at least one authorization-mode must be passed".into());
    }
    let mut modes = Vec::new();
    for name in &names {
        match MODES.iter().find(|(known, _)| known == name) {
            Some((_, Some(mode))) => modes.push(*mode),
            Some((name, None)) => {
                refusals
                    .push(format!("authorization-mode \"{name}\" is not built into this server"));
            }
            None => {
                refusals.push(format!("authorization-mode {} is not a valid mode", Quoted(name)));
            }
        }
    }
    if names.iter().enumerate().any(|(at, name)| names.iter().take(at).any(|other| other == name)) {
        let quoted: Vec<String> = names.iter().map(|name| Quoted(name).to_string()).collect();
        refusals.push(format!(
            "authorization-mode [{}] has mode specified more than once",
            quoted.join(" ")
        ));
    }
    modes
}

fn audit_refusals(args: &AuditArgs) -> Vec<String> {
    let table = [
        ("audit-log-maxage", args.audit_log_maxage),
        ("audit-log-maxbackup", args.audit_log_maxbackup),
        ("audit-log-maxsize", args.audit_log_maxsize),
    ];
    let invalid =
        table.into_iter().filter(|(_, number)| *number < 0 && args.audit_log_path.is_some());
    invalid.map(|(flag, number)| format!("--{flag} {number} can't be a negative number")).collect()
}

/// How common names of kubelet certificates are checked, by KEP-4872's table.
fn name_check(args: &KubeletArgs, api_config: &ApiConfig) -> Result<NameCheck, Vec<String>> {
    const FLAG: &str = "--enable-kubelet-cert-cn-validation";
    let is_on = api_config.gates.on(&KUBELET_CERT_CN);
    let has_authority = args.kubelet_certificate_authority.is_some();
    let mut refusals = Vec::new();
    if args.enable_kubelet_cert_cn_validation && !is_on {
        refusals.push(format!(
            "{FLAG} requires the KubeletCertCNValidation feature gate to be enabled"
        ));
    }
    if args.enable_kubelet_cert_cn_validation && !has_authority {
        refusals.push(format!("{FLAG} requires --kubelet-certificate-authority to be set"));
    }
    match (refusals.is_empty(), is_on, args.enable_kubelet_cert_cn_validation) {
        (false, ..) => Err(refusals),
        (_, true, true) => Ok(NameCheck::Enforce),
        (_, true, false) => Ok(NameCheck::Observe),
        (_, false, _) => Ok(NameCheck::Off),
    }
}

fn trust(args: &KubeletArgs, names: NameCheck) -> Trust {
    match &args.kubelet_certificate_authority {
        Some(file) => Trust::Authority { file: file.clone(), names },
        None => Trust::Anyone,
    }
}

fn kubelet_refusals(args: &KubeletArgs) -> Vec<String> {
    let mut all = Vec::new();
    if args.kubelet_client_certificate.is_some() != args.kubelet_client_key.is_some() {
        all.push(
            "--kubelet-client-certificate and --kubelet-client-key must be specified together"
                .into(),
        );
    }
    if args.max_connection_bytes_per_sec < 0 {
        all.push("--max-connection-bytes-per-sec can not be negative value".into());
    }
    all
}

/// Audit settings; as in kube-apiserver, auditing needs both a policy and a log.
fn audit(args: &AuditArgs) -> Result<Option<Audit>, String> {
    let Some(policy) = &args.audit_policy_file else { return Ok(None) };
    if let Err(why) = std::fs::File::open(policy) {
        let (path, why) = (policy.display(), go_io_error(&why));
        return Err(format!(
            "loading audit policy file: failed to read file path \"{path}\": open {path}: {why}"
        ));
    }
    let count = |number: i64| u64::try_from(number).unwrap_or(0);
    Ok(args.audit_log_path.as_ref().map(|log| Audit {
        policy: policy.clone(),
        log: log.clone(),
        max_megabytes: count(args.audit_log_maxsize),
        max_files: count(args.audit_log_maxbackup),
        max_days: count(args.audit_log_maxage),
    }))
}

/// The advertised address: the flag's, else the bind address, else the machine's own of the Services' family.
fn advertise(args: &ServingArgs, ranges: &Ranges) -> IpAddr {
    if let Some(address) = args.advertise_address {
        return address;
    }
    if !args.bind_address.is_unspecified() {
        return args.bind_address;
    }
    let is_v4 = ranges.primary_family() == ratchet_net::Family::V4;
    own_address(is_v4).unwrap_or(match is_v4 {
        true => Ipv4Addr::LOCALHOST.into(),
        false => Ipv6Addr::LOCALHOST.into(),
    })
}

/// The address from which this machine reaches the internet; connecting a datagram socket sends nothing.
fn own_address(is_v4: bool) -> Option<IpAddr> {
    let (from, to) = match is_v4 {
        true => ("0.0.0.0:0", "192.0.2.1:9"),
        false => ("[::]:0", "[2001:db8::1]:9"),
    };
    let socket = std::net::UdpSocket::bind(from).ok()?;
    socket.connect(to).ok()?;
    socket.local_addr().ok().map(|address| address.ip())
}

fn family_refusal(args: &ServeArgs, ranges: &Ranges, advertise: IpAddr) -> Option<String> {
    let is_v4 = ranges.primary_family() == ratchet_net::Family::V4;
    if args.services.endpoint_reconciler_type == Reconciler::None || is_v4 == advertise.is_ipv4() {
        return None;
    }
    let network = ranges.cidrs().into_iter().next().unwrap_or_default();
    Some(format!(
        "service IP family \"{network}\" must match public address family \"{advertise}\""
    ))
}

#[cfg(test)]
mod tests;
