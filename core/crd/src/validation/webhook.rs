//! The conversion webhook of a definition, as it is written, and what is known to be wrong with it.

use super::internal::InternalSpec;
use alloc::string::String;
use ratchet_object::Node;

/// Versions of `ConversionReview` that the API server knows.
pub(super) const REVIEW_VERSIONS: [&str; 2] = ["v1", "v1beta1"];

/// `conversion`; none if it is `null`.
pub(super) fn conversion<'n>(spec: &InternalSpec<'n>) -> Option<&'n Node<'n>> {
    spec.node?.get("conversion").filter(|conversion| !conversion.is_null())
}

/// The versions of `ConversionReview` that the webhook takes.
pub(super) fn review_versions<'n>(conversion: &'n Node<'n>) -> &'n [Node<'n>] {
    let versions = conversion.find(&["webhook", "conversionReviewVersions"]);
    versions.map(Node::items).unwrap_or_default()
}

/// How the webhook is reached.
pub(super) fn client<'n>(conversion: &'n Node<'n>) -> Option<&'n Node<'n>> {
    conversion.find(&["webhook", "clientConfig"]).filter(|client| !client.is_null())
}

/// Whether the API server knows one of these versions.
pub(super) fn is_recognized(versions: &[Node<'_>]) -> bool {
    versions.iter().any(|version| REVIEW_VERSIONS.contains(&version.text().unwrap_or_default()))
}

/// Whether a stored definition names a version of `ConversionReview` that is known, or none at all.
pub(super) fn has_recognized_version(spec: &InternalSpec<'_>) -> bool {
    conversion(spec).is_none_or(|conversion| {
        let versions = review_versions(conversion);
        versions.is_empty() || is_recognized(versions)
    })
}

/// Whether a stored definition has a bundle of certificates that is not valid.
pub(super) fn has_invalid_bundle(spec: &InternalSpec<'_>) -> bool {
    let bundle = conversion(spec).and_then(client).and_then(|client| client.get("caBundle"));
    let bundle = bundle.and_then(Node::text).unwrap_or_default();
    !bundle.is_empty() && bundle_fault(bundle).is_some()
}

/// Why a bundle, which is in base64, has no certificate that can be trusted.
pub(super) fn bundle_fault(bundle: &str) -> Option<String> {
    let bytes = ratchet_object::decode_base64(bundle).ok()?;
    let error = ratchet_certificate::ca_bundle_error(&bytes)?;
    Some(alloc::format!("unable to load root certificates: {error}"))
}
