//! `Holder`: what a volume source belongs to, and the bounds that several sources share.

/// What a volume source belongs to: some sources of a PersistentVolume have fields of their own.
#[derive(Clone, Copy)]
pub(crate) enum Holder<'a> {
    /// A volume of a pod or of a template.
    Pod {
        /// Whether it is a Pod, not a template.
        is_pod: bool,
    },
    /// A PersistentVolume of this name.
    PersistentVolume(&'a str),
}

impl Holder<'_> {
    pub(super) fn is_pod(self) -> bool {
        matches!(self, Self::Pod { .. })
    }
}

pub(super) const HIGHEST_LUN: i64 = 255;
