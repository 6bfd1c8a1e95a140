//! `EnabledPlugins`: which rows of the plugin table are on.

use ratchet_admission::PLUGINS;

/// The enabled plugins; the table decides their order.
pub struct EnabledPlugins(Vec<bool>);

impl EnabledPlugins {
    /// Enables the plugins of these names.
    pub(crate) fn new(names: &[&'static str]) -> Self {
        Self(PLUGINS.iter().map(|row| names.contains(&row.name)).collect())
    }

    /// Whether each row of the table is on, in the order of the table.
    pub(crate) fn rows(&self) -> &[bool] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_named_plugins_are_on() {
        let enabled = EnabledPlugins::new(&["ResourceQuota", "NoSuchPlugin"]);
        let on = PLUGINS.iter().zip(enabled.rows()).filter(|(_, is_on)| **is_on);
        assert_eq!(on.map(|(row, _)| row.name).collect::<Vec<_>>(), ["ResourceQuota"]);
    }
}
