//! Descriptions of TLS alerts as Go's crypto/tls formats them.

use rustls::AlertDescription as Alert;

static DESCRIPTIONS: [(Alert, &str); 30] = [
    (Alert::CloseNotify, "close notify"),
    (Alert::UnexpectedMessage, "unexpected message"),
    (Alert::BadRecordMac, "bad record MAC"),
    (Alert::DecryptionFailed, "decryption failed"),
    (Alert::RecordOverflow, "record overflow"),
    (Alert::DecompressionFailure, "decompression failure"),
    (Alert::HandshakeFailure, "handshake failure"),
    (Alert::BadCertificate, "bad certificate"),
    (Alert::UnsupportedCertificate, "unsupported certificate"),
    (Alert::CertificateRevoked, "revoked certificate"),
    (Alert::CertificateExpired, "expired certificate"),
    (Alert::CertificateUnknown, "unknown certificate"),
    (Alert::IllegalParameter, "illegal parameter"),
    (Alert::UnknownCA, "unknown certificate authority"),
    (Alert::AccessDenied, "access denied"),
    (Alert::DecodeError, "error decoding message"),
    (Alert::DecryptError, "error decrypting message"),
    (Alert::ProtocolVersion, "protocol version not supported"),
    (Alert::InsufficientSecurity, "insufficient security level"),
    (Alert::InternalError, "internal error"),
    (Alert::InappropriateFallback, "inappropriate fallback"),
    (Alert::UserCanceled, "user canceled"),
    (Alert::NoRenegotiation, "no renegotiation"),
    (Alert::MissingExtension, "missing extension"),
    (Alert::UnsupportedExtension, "unsupported extension"),
    (Alert::UnrecognisedName, "unrecognized name"),
    (Alert::BadCertificateStatusResponse, "bad certificate status response"),
    (Alert::UnknownPSKIdentity, "unknown PSK identity"),
    (Alert::CertificateRequired, "certificate required"),
    (Alert::NoApplicationProtocol, "no application protocol"),
];

/// Go's description of this alert.
pub(crate) fn description(alert: Alert) -> String {
    let row = DESCRIPTIONS.iter().find(|(known, _)| *known == alert);
    row.map_or_else(|| format!("alert({})", u8::from(alert)), |(_, text)| (*text).to_owned())
}
