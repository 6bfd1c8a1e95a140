//! `Candidate`: a text in a document that may be rewritten, with its field and what it denotes.

use crate::decide::ValueClass;
use crate::edits::ObjectRef;
use crate::exceptions::Exceptions;
use alloc::rc::Rc;
use alloc::string::String;
use ratchet_object::Span;

/// A text that denotes an address, a network or a search name, or should.
#[derive(Clone, Debug)]
pub(crate) struct Candidate<'n> {
    /// The object that it belongs to.
    pub(crate) object: Rc<ObjectRef>,
    /// The path of the field.
    pub(crate) field: String,
    /// The whole text, with blanks that the API passes over.
    pub(crate) text: &'n str,
    /// Its place in the document.
    pub(crate) span: Span,
    /// What it denotes.
    pub(crate) class: ValueClass,
    /// The place of the list, if every address may stand in it once.
    pub(crate) unique_in: Option<Span>,
    /// Whether the field is an API field, so that a text that denotes nothing is reported.
    pub(crate) is_api_field: bool,
    /// What the object's annotations except.
    pub(crate) exceptions: Rc<Exceptions>,
}

impl Candidate<'_> {
    /// The rule that its text violates, if it violates one.
    pub(crate) fn rule(&self) -> &'static str {
        use ratchet_net::{CidrText, IpText};
        let text = self.text.trim();
        match self.class {
            ValueClass::SearchName => "RTC-DNS-001",
            ValueClass::InterfaceAddress => match CidrText::parse(text) {
                Ok(_) => "RTC-IP-003",
                Err(_) => "RTC-IP-004",
            },
            ValueClass::Address => match IpText::parse(text) {
                Ok(ip) if ip.fault().is_none() => "RTC-IP-003",
                _ => "RTC-IP-001",
            },
            ValueClass::Network => match CidrText::parse(text) {
                Ok(cidr) if cidr.fault().is_none() => "RTC-IP-003",
                _ => "RTC-IP-002",
            },
        }
    }
}
