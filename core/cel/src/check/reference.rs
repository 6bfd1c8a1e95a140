//! Reference of a name or a call to its declaration.

use crate::Value;
use crate::library::OverloadDecl;
use alloc::string::String;
use alloc::vec::Vec;

/// The declaration that a name or a call refers to.
#[derive(Clone, Debug)]
pub(crate) enum Reference {
    /// Neither a name nor a call.
    None,
    /// The variable of this name.
    Variable(String),
    /// A constant of a library, or a type by its name.
    Constant(Value<'static>),
    /// A type that can be named but has no value.
    Undefined(String),
    /// One of these overloads; `namespaced` if the receiver is part of the function's name.
    Calls { overloads: Vec<OverloadDecl>, namespaced: bool },
}
