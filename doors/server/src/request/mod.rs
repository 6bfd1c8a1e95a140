//! Request: the head and body of an HTTP request enter; verb, target, options and object leave, with the warnings and
//! the audit record that a request collects.

pub(crate) mod accept;
mod accept_header;
pub(crate) mod audit_record;
pub(crate) mod body;
mod context;
pub(crate) mod deadline;
pub(crate) mod delete_body;
pub(crate) mod go_syntax;
pub(crate) mod info;
pub(crate) mod limits;
pub(crate) mod long_running;
mod media_type;
pub(crate) mod operation;
pub(crate) mod options;
mod percent;
pub(crate) mod query;
mod source;
pub(crate) mod warnings;

pub(crate) use accept::{Form, Media, Output};
pub(crate) use context::{AUDIT_ID, RequestContext};
pub(crate) use info::{
    BACKUP_PATH, InvalidPath, PathVerb, RequestInfo, ResourcePath, Target, connects,
};
pub(crate) use query::Params;
pub(crate) use source::{Caller, Source};
