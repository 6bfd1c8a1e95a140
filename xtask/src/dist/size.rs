//! The size of a program, which has a promised limit.

use anyhow::{Context, Result, ensure};
use std::path::Path;

/// The most bytes of a program without symbols, as `docs/why/performance.md` promises.
const LIMIT: u64 = 40_000_000;

/// Fails if a program is larger than promised.
pub(super) fn check(program: &Path) -> Result<()> {
    let metadata = program.metadata();
    let bytes = metadata.with_context(|| format!("cannot read {}", program.display()))?.len();
    judge(bytes).with_context(|| format!("{} cannot be handed out", program.display()))
}

fn judge(bytes: u64) -> Result<()> {
    ensure!(
        bytes <= LIMIT,
        "it has {bytes} bytes, and at most {LIMIT} are promised; if it has symbols (file PROGRAM tells), strip it"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::tests::Folder;

    #[test]
    fn forty_million_bytes_are_the_limit() {
        assert!(judge(LIMIT).is_ok());
        let error = judge(LIMIT + 1).unwrap_err().to_string();
        assert!(
            error.starts_with("it has 40000001 bytes, and at most 40000000 are promised"),
            "{error}"
        );
    }

    #[test]
    fn the_file_itself_is_measured() {
        let folder = Folder::new("size");
        let program = folder.0.join("ratchet");
        // A hole has a length and takes no room.
        let file = std::fs::File::create(&program).unwrap();
        file.set_len(LIMIT).unwrap();
        check(&program).unwrap();
        file.set_len(LIMIT + 1).unwrap();
        let error = format!("{:#}", check(&program).unwrap_err());
        assert!(error.contains("ratchet cannot be handed out: it has 40000001 bytes"), "{error}");
        assert!(check(&folder.0.join("absent")).is_err());
    }
}
