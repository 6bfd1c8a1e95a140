//! Totals of an audit, a line for each target.

use crate::Config;
use crate::collector::Collected;

/// `1.36: 12 objects, 3 warned, 2 refused if created again, 1 frozen`, for each target.
pub(super) fn totals(config: &Config, audit: &Collected) -> Vec<String> {
    let rows = config.targets.iter().zip(&audit.summary.targets);
    rows.map(|(target, counts)| {
        format!(
            "{}: {}: {} fine, {} with warnings, {} refused if created again, {} frozen",
            target.name,
            ratchet_formats::count(audit.summary.objects, "object"),
            counts.fine,
            counts.warned,
            counts.refused,
            counts.frozen
        )
    })
    .collect()
}
