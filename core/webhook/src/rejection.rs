//! `Rejection`: why webhooks reject a request, and the Status that the client gets.

use crate::denial::DeniedStatus;
use alloc::format;
use alloc::string::String;
use ratchet_net::Quoted;
use ratchet_object::{Entry, Node, Value};
use ratchet_policy::Attributes;

/// Why a request is rejected.
#[derive(Clone, Debug, PartialEq)]
pub enum Rejection {
    /// A webhook denied it: the Status that it gave, with the message of the server.
    Denied(DeniedStatus),
    /// 500 InternalError with this text behind `Internal error occurred: `.
    Internal(String),
    /// 500 without a reason, with this message.
    Unknown(String),
    /// 400 BadRequest.
    BadRequest(String),
    /// 403 Forbidden: match conditions could not be evaluated.
    Forbidden(String),
    /// 404 NotFound: this namespace does not exist.
    NamespaceNotFound(String),
    /// 504 Timeout: the time of the request is over.
    Timeout,
}

impl Rejection {
    /// The HTTP status code.
    pub fn code(&self) -> i64 {
        match self {
            Self::Denied(status) => status.code(),
            Self::Internal(_) | Self::Unknown(_) => 500,
            Self::BadRequest(_) => 400,
            Self::Forbidden(_) => 403,
            Self::NamespaceNotFound(_) => 404,
            Self::Timeout => 504,
        }
    }

    /// The reason; empty where there is none.
    pub fn reason(&self) -> &str {
        match self {
            Self::Denied(status) => status.reason(),
            Self::Internal(_) => "InternalError",
            Self::Unknown(_) => "",
            Self::BadRequest(_) => "BadRequest",
            Self::Forbidden(_) => "Forbidden",
            Self::NamespaceNotFound(_) => "NotFound",
            Self::Timeout => "Timeout",
        }
    }

    /// `message` of the Status.
    pub fn message(&self, attributes: &Attributes<'_>) -> String {
        match self {
            Self::Denied(status) => status.message().into(),
            Self::Internal(text) => format!("Internal error occurred: {text}"),
            Self::Unknown(text) | Self::BadRequest(text) => text.clone(),
            Self::Forbidden(text) => {
                let resource = &attributes.resource;
                let mut subject = String::from(resource.resource);
                if !resource.group.is_empty() {
                    subject = format!("{subject}.{}", resource.group);
                }
                match attributes.name {
                    "" => format!("{subject} is forbidden: {text}"),
                    name => format!("{subject} {} is forbidden: {text}", Quoted(name)),
                }
            }
            Self::NamespaceNotFound(name) => format!("namespaces {} not found", Quoted(name)),
            Self::Timeout => "Timeout: request did not complete within requested timeout".into(),
        }
    }

    /// The Status, as the client gets it.
    pub fn status(&self, attributes: &Attributes<'_>) -> Node<'static> {
        if let Self::Denied(status) = self {
            return status.node().clone();
        }
        let mut members = alloc::vec![
            entry("kind", Node::string("Status")),
            entry("apiVersion", Node::string("v1")),
            entry("metadata", Node::empty_map()),
            entry("status", Node::string("Failure")),
            entry("message", Node::string(self.message(attributes))),
        ];
        if !self.reason().is_empty() {
            members.push(entry("reason", Node::string(String::from(self.reason()))));
        }
        if let Some(details) = self.details(attributes) {
            members.push(entry("details", details));
        }
        members.push(entry("code", Node::int(self.code())));
        Node::new(Value::Map(members))
    }

    fn details(&self, attributes: &Attributes<'_>) -> Option<Node<'static>> {
        let named = |name: &str, group: &str, kind: &str| {
            let members = [("name", name), ("group", group), ("kind", kind)];
            let set = members.into_iter().filter(|(_, text)| !text.is_empty());
            Node::map(set.map(|(key, text)| (key, Node::string(String::from(text)))))
        };
        match self {
            Self::Internal(text) => {
                let cause = Node::map([("message", Node::string(text.clone()))]);
                Some(Node::map([("causes", Node::list(alloc::vec![cause]))]))
            }
            Self::Forbidden(_) => {
                let resource = &attributes.resource;
                Some(named(attributes.name, resource.group, resource.resource))
            }
            Self::NamespaceNotFound(name) => Some(named(name, "", "namespaces")),
            Self::Timeout => Some(Node::empty_map()),
            Self::Denied(_) | Self::Unknown(_) | Self::BadRequest(_) => None,
        }
    }
}

fn entry(name: &'static str, node: Node<'static>) -> Entry<'static> {
    Entry::new(name, node)
}
