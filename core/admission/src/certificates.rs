//! CertificateApproval, CertificateSigning, ClusterTrustBundleAttest and CertificateSubjectRestriction.

use crate::attributes::may;
use crate::{Attributes, Denial, PluginContext};
use alloc::format;
use ratchet_access::Resource;
use ratchet_net::Quoted;
use ratchet_object::{Equality, Node, equal_at};

const GROUP: &str = "certificates.k8s.io";
const BUNDLES: &str = "clustertrustbundles";
const REQUESTS: &str = "certificatesigningrequests";
const CLIENT_SIGNER: &str = "kubernetes.io/kube-apiserver-client";

/// Refuses approvals for signers that the user may not approve for.
pub(crate) fn approval(
    attributes: &Attributes<'_>,
    _: &Node<'_>,
    cluster: &dyn PluginContext,
) -> Result<(), Denial> {
    let (true, Some(old)) = (attributes.is_on_part(GROUP, REQUESTS, "approval"), attributes.old)
    else {
        return Ok(());
    };
    allowed(attributes, cluster, "approve", old.text_at(&["spec", "signerName"]))
}

/// Refuses certificates and conditions of signers that the user may not sign for.
pub(crate) fn signing(
    attributes: &Attributes<'_>,
    new: &Node<'_>,
    cluster: &dyn PluginContext,
) -> Result<(), Denial> {
    let (true, Some(old)) = (attributes.is_on_part(GROUP, REQUESTS, "status"), attributes.old)
    else {
        return Ok(());
    };
    let is_same = |name: &str| equal_at(new, old, &["status", name], Equality::Semantic);
    if is_same("certificate") && is_same("conditions") {
        return Ok(());
    }
    allowed(attributes, cluster, "sign", old.text_at(&["spec", "signerName"]))
}

/// Refuses bundles of signers that the user may not attest for.
pub(crate) fn attest(
    attributes: &Attributes<'_>,
    new: &Node<'_>,
    cluster: &dyn PluginContext,
) -> Result<(), Denial> {
    let is_written = attributes.is_create() || attributes.is_update();
    let signer = new.text_at(&["spec", "signerName"]);
    if !attributes.is_on(GROUP, BUNDLES) || !is_written || signer.is_empty() {
        return Ok(());
    }
    // Who only collects garbage, or writes the object anew, says nothing about the anchors.
    let is_same = |path: &[&str]| {
        attributes.old.is_some_and(|old| equal_at(new, old, path, Equality::Semantic))
    };
    let metadata = ["name", "labels", "annotations"];
    if is_same(&["spec"]) && metadata.iter().all(|name| is_same(&["metadata", name])) {
        return Ok(());
    }
    allowed(attributes, cluster, "attest", signer).map_err(|_| {
        Denial::Forbidden(format!("user not permitted to attest for signerName {}", Quoted(signer)))
    })
}

/// Whether the user may do something for a signer, or for all signers of its domain.
fn allowed(
    attributes: &Attributes<'_>,
    cluster: &dyn PluginContext,
    verb: &str,
    signer: &str,
) -> Result<(), Denial> {
    let domain = signer.split('/').next().unwrap_or_default();
    let all = format!("{domain}/*");
    let may = |name: &str| {
        let resource = Resource {
            group: GROUP,
            version: "*",
            resource: "signers",
            name,
            ..Resource::default()
        };
        may(cluster, attributes.user, verb, resource).is_ok()
    };
    if may(signer) || may(&all) {
        return Ok(());
    }
    Err(Denial::Forbidden(format!(
        "user not permitted to {verb} requests with signerName {}",
        Quoted(signer)
    )))
}

/// Refuses client certificates of the group `system:masters`.
pub(crate) fn subject(
    attributes: &Attributes<'_>,
    new: &Node<'_>,
    cluster: &dyn PluginContext,
) -> Result<(), Denial> {
    let is_new = attributes.is_on(GROUP, REQUESTS) && attributes.is_create();
    if !is_new || new.text_at(&["spec", "signerName"]) != CLIENT_SIGNER {
        return Ok(());
    }
    let subject = cluster.subject_of(new.text_at(&["spec", "request"]));
    let subject =
        subject.map_err(|error| Denial::Forbidden(format!("failed to parse CSR: {error}")))?;
    if subject.organizations.iter().any(|group| group == ratchet_access::MASTERS) {
        let text =
            format!("use of {CLIENT_SIGNER} signer with system:masters group is not allowed");
        return Err(Denial::Forbidden(text));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Operation::{Create, Update};
    use crate::Subject;
    use crate::testing::{Fake, attributes, node, text, user};
    use alloc::string::String;

    #[test]
    fn attesting_needs_the_signer_or_its_domain() {
        let user = user("u", &[]);
        let bundle = |signer: &str, anchors: &str| {
            node(&format!("{{spec: {{signerName: {signer}, trustBundle: {anchors}}}}}"))
        };
        let refused = "user not permitted to attest for signerName \"a.example/b\"";
        let new = bundle("a.example/b", "x");
        let outcome = |old: Option<&Node<'_>>, cluster: Fake| {
            let operation = if old.is_some() { Update } else { Create };
            text(attest(&attributes(operation, GROUP, BUNDLES, &user, old), &new, &cluster))
        };
        assert_eq!(outcome(None, Fake::default()), refused);
        assert_eq!(outcome(None, Fake::default().allowing("attest signers a.example/*")), "Ok(())");
        assert_eq!(outcome(Some(&new), Fake::default()), "Ok(())", "nothing is attested");
        assert_eq!(outcome(Some(&bundle("a.example/b", "y")), Fake::default()), refused);
        let nobody = node("{spec: {trustBundle: x}}");
        let created = attributes(Create, GROUP, BUNDLES, &user, None);
        assert_eq!(text(attest(&created, &nobody, &Fake::default())), "Ok(())");
    }

    #[test]
    fn approving_needs_the_signer_or_its_domain() {
        let user = user("u", &[]);
        let old = node("{spec: {signerName: a.example/b}}");
        let outcome = |cluster: Fake| {
            let update = Attributes {
                subresource: "approval",
                ..attributes(Update, GROUP, REQUESTS, &user, Some(&old))
            };
            text(approval(&update, &old, &cluster))
        };
        assert_eq!(outcome(Fake::default().allowing("approve signers a.example/b")), "Ok(())");
        assert_eq!(outcome(Fake::default().allowing("approve signers a.example/*")), "Ok(())");
        assert_eq!(
            outcome(Fake::default()),
            "user not permitted to approve requests with signerName \"a.example/b\""
        );
    }

    #[test]
    fn signing_is_looked_at_only_where_something_is_signed() {
        let user = user("u", &[]);
        let old = node("{spec: {signerName: a.example/b}, status: {}}");
        let outcome = |new: &str| {
            let update = Attributes {
                subresource: "status",
                ..attributes(Update, GROUP, REQUESTS, &user, Some(&old))
            };
            text(signing(&update, &node(new), &Fake::default()))
        };
        assert_eq!(outcome("{status: {}}"), "Ok(())");
        assert_eq!(
            outcome("{status: {certificate: eA==}}"),
            "user not permitted to sign requests with signerName \"a.example/b\""
        );
    }

    #[test]
    fn nobody_is_given_everything() {
        let user = user("u", &[]);
        let outcome = |signer: &str, groups: &[&str]| {
            let organizations = groups.iter().map(|group| String::from(*group)).collect();
            let subject_known = Subject { common_name: "c".into(), organizations };
            let cluster = Fake { subject: Some(subject_known), ..Fake::default() };
            let new = node(&format!("{{spec: {{signerName: {signer}, request: eA==}}}}"));
            text(subject(&attributes(Create, GROUP, REQUESTS, &user, None), &new, &cluster))
        };
        assert_eq!(outcome(CLIENT_SIGNER, &["a"]), "Ok(())");
        assert_eq!(outcome("a.example/b", &["system:masters"]), "Ok(())");
        assert_eq!(
            outcome(CLIENT_SIGNER, &["system:masters"]),
            "use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed"
        );
    }
}
