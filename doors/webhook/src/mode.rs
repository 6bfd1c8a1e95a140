//! `Mode` and `RuleModes`: what becomes of the findings of a rule.

use ratchet_engine::RULES;
use ratchet_object::{Node, Value};

/// What becomes of a finding, from the strictest to the mildest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// The request is refused.
    #[default]
    Enforce,
    /// The client is warned.
    Warn,
    /// The audit event has an annotation.
    Audit,
    /// Nothing.
    Off,
}

impl Mode {
    /// All modes.
    pub const ALL: [Self; 4] = [Self::Enforce, Self::Warn, Self::Audit, Self::Off];

    /// The name in the configuration, in labels and in metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Enforce => "enforce",
            Self::Warn => "warn",
            Self::Audit => "audit",
            Self::Off => "off",
        }
    }

    /// The mode of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == name)
    }

    /// The mode that a value of a configuration file names.
    pub(crate) fn of(node: &Node<'_>) -> Option<Self> {
        match &node.value {
            Value::Text(name) => Self::parse(name),
            // YAML 1.1 reads `off` as false.
            Value::Bool(false) => Some(Self::Off),
            _ => None,
        }
    }
}

/// Modes by rule. The row of a rule's id holds before that of its family (`RTC-IP`), and this before the row for all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleModes {
    rows: Vec<(String, Mode)>,
}

/// The selector of all rules.
const ALL: &str = "";

impl RuleModes {
    /// Sets the mode of the rules that no other row selects.
    pub fn set_all(&mut self, mode: Mode) {
        self.rows.push((ALL.to_owned(), mode));
    }

    /// Sets the mode of a rule, or of a family of rules; `false` if there is no such rule.
    pub fn set(&mut self, selector: &str, mode: Mode) -> bool {
        let is_known = RULES.iter().any(|rule| rule.id == selector || family(rule.id) == selector);
        if is_known {
            self.rows.push((selector.to_owned(), mode));
        }
        is_known
    }

    /// The mode of a rule, if a row selects it.
    pub fn find(&self, id: &str) -> Option<Mode> {
        let row = |selector: &str| {
            self.rows.iter().rev().find(|(own, _)| own == selector).map(|(_, mode)| *mode)
        };
        row(id).or_else(|| row(family(id))).or_else(|| row(ALL))
    }

    /// Whether no row selects anything.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// The family of a rule: its id without the number.
fn family(id: &str) -> &str {
    id.rsplit_once('-').map_or(id, |(family, _)| family)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_holds_before_its_family_and_this_before_all() {
        let mut modes = RuleModes::default();
        assert_eq!(modes.find("RTC-IP-001"), None);
        assert!(modes.is_empty());
        assert!(modes.set("RTC-IP-001", Mode::Enforce));
        assert!(modes.set("RTC-IP", Mode::Warn));
        modes.set_all(Mode::Off);
        let found = ["RTC-IP-001", "RTC-IP-002", "RTC-DNS-001"].map(|id| modes.find(id));
        assert_eq!(found, [Some(Mode::Enforce), Some(Mode::Warn), Some(Mode::Off)]);
        for unknown in ["RTC-IP-999", "RTC", "rtc-ip", ""] {
            assert!(!modes.set(unknown, Mode::Off), "{unknown}");
        }
    }

    #[test]
    fn off_is_a_mode_also_in_yaml() {
        assert_eq!(Mode::of(&Node::bool(false)), Some(Mode::Off));
        assert_eq!(Mode::of(&Node::bool(true)), None);
        assert_eq!(Mode::of(&Node::string("audit")), Some(Mode::Audit));
        assert_eq!(Mode::parse("Warn"), None);
        assert!(Mode::Enforce < Mode::Off, "strictest first");
    }
}
