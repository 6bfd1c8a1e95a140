//! The files of measured figures.

use super::measured::Measured;
use anyhow::Result;
use std::path::Path;

/// The figures on the embedded store, relative to the repository's root.
pub(super) const FIGURES: &str = "xtask/scale.json";

/// Those on etcd.
pub(super) const ETCD_FIGURES: &str = "xtask/scale-etcd.json";

/// The committed figures below the repository's root: those on the embedded store, then those on etcd if there are any.
pub(super) fn committed(root: &Path) -> Result<Vec<Measured>> {
    let mut figures = vec![Measured::read(&root.join(FIGURES))?];
    let etcd = root.join(ETCD_FIGURES);
    if etcd.exists() {
        figures.push(Measured::read(&etcd)?);
    }
    Ok(figures)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_on_etcd_are_read_where_they_are() {
        let root = std::env::temp_dir().join(format!("scale-figures-{}", std::process::id()));
        std::fs::create_dir_all(root.join("xtask")).unwrap();
        let error = committed(&root).unwrap_err().to_string();
        assert!(error.ends_with("cargo xtask scale --measure --binary PATH --write"), "{error}");
        Measured::round().write(&root.join(FIGURES)).unwrap();
        assert_eq!(committed(&root).unwrap().len(), 1);
        let etcd = Measured { about: "etcd".to_owned(), ..Measured::round() };
        etcd.write(&root.join(ETCD_FIGURES)).unwrap();
        assert_eq!(committed(&root).unwrap()[1], etcd);
        std::fs::remove_dir_all(&root).unwrap();
    }
}
