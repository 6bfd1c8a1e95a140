//! `Exception`: rules that an object's annotation `ratchet/ignore` takes it out of, with the reason.

use alloc::vec::Vec;
use ratchet_object::{Kind, Node};

/// An entry of the annotation: `RULE[,RULE]: reason`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exception<'a> {
    /// The entry as it is written.
    pub text: &'a str,
    /// The ids of rules, as they are written.
    pub rules: Vec<&'a str>,
    /// Why; an entry without a reason excepts nothing.
    pub reason: &'a str,
}

impl<'a> Exception<'a> {
    /// The annotation.
    pub const ANNOTATION: &'static str = "ratchet/ignore";

    /// The entries of an object's annotation, then those of its pod template's.
    pub fn of(object: &'a Node<'_>, kind: Option<&Kind<'_>>) -> Vec<Self> {
        let template = kind.and_then(|kind| kind.pod).filter(|place| !place.0.is_empty());
        let template = template.and_then(|place| object.find(place.0));
        let holders = [Some(object), template].into_iter().flatten();
        holders
            .filter_map(|holder| holder.metadata().annotation(Self::ANNOTATION))
            .flat_map(Self::parse)
            .collect()
    }

    /// The entries of a text, which are separated by semicolons or lines.
    ///
    /// ```
    /// use ratchet_engine::Exception;
    ///
    /// let found: Vec<_> = Exception::parse("RTC-IP-001, RTC-IP-002: old appliance; RTC-DNS-001").collect();
    /// assert_eq!(found[0].rules, ["RTC-IP-001", "RTC-IP-002"]);
    /// assert_eq!((found[0].reason, found[1].reason), ("old appliance", ""));
    /// ```
    pub fn parse(text: &'a str) -> impl Iterator<Item = Self> {
        let entries = text.split([';', '\n']).map(str::trim).filter(|entry| !entry.is_empty());
        entries.map(|text| {
            let (rules, reason) = text.split_once(':').unwrap_or((text, ""));
            Self { text, rules: rules.split(',').map(str::trim).collect(), reason: reason.trim() }
        })
    }
}
