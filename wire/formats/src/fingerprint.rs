//! Fingerprints of findings, by which baselines know them again.

/// A finding's hash (FNV-1a, 64 bits) of what identifies it, as sixteen hexadecimal digits.
pub fn fingerprint(parts: &[&str]) -> String {
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    format!("{hash:016x}")
}
