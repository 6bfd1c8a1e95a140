//! Findings: an object, whose it is, the value in its place, and the fix.

use crate::State;
use alloc::string::String;
use core::ops::Range;

/// One finding about one value of one object, under one target version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finding {
    /// The object.
    pub object: ObjectRef,
    /// Who can change the object.
    pub owner: Owner,
    /// The path of the field, as the API server writes it: `spec.externalIPs[0]`.
    pub field: String,
    /// The value as it is written, if it is a scalar.
    pub value: Option<String>,
    /// The replacement, where exactly one is right.
    pub fix: Option<String>,
    /// What to do where there is no single replacement.
    pub hint: Option<String>,
    /// The id of the rule: `RTC-IP-001`.
    pub rule: String,
    /// What it means for the object.
    pub state: State,
    /// The text of the API server.
    pub message: String,
    /// Where the value stands, if it was read from a file.
    pub location: Option<Location>,
    /// The target version: `1.36`.
    pub target: String,
}

/// Identity of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObjectRef {
    /// `apiVersion`.
    pub api_version: String,
    /// `kind`.
    pub kind: String,
    /// `metadata.namespace`; empty for an object of the cluster.
    pub namespace: String,
    /// `metadata.name`.
    pub name: String,
}

/// Who can change an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Owner {
    /// The kind of owner.
    pub kind: OwnerKind,
    /// Its name, as people know it: `shop/web` of a Helm release, `kubectl-edit` of a field manager.
    pub name: String,
}

/// Kinds of owners.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum OwnerKind {
    /// A release of Helm.
    HelmRelease,
    /// An Application of Argo CD.
    ArgoCd,
    /// A Kustomization or HelmRelease of Flux.
    Flux,
    /// An object that owns it by `ownerReferences`.
    Controller,
    /// `kubectl apply`, by its annotation.
    LastApplied,
    /// A field manager of `managedFields`.
    Manager,
    /// A file of manifests.
    File,
    /// A node.
    Node,
    /// Nothing says whose it is.
    #[default]
    Unknown,
}

impl OwnerKind {
    /// The words on the page.
    pub fn title(self) -> &'static str {
        match self {
            Self::HelmRelease => "Helm release",
            Self::ArgoCd => "Argo CD application",
            Self::Flux => "Flux",
            Self::Controller => "Controller",
            Self::LastApplied => "kubectl apply",
            Self::Manager => "Field manager",
            Self::File => "File",
            Self::Node => "Node",
            Self::Unknown => "No known owner",
        }
    }
}

/// A place in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// The file's path as it was given.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0 if it is not known.
    pub column: u32,
    /// The source line with the value in it.
    pub excerpt: Option<Excerpt>,
}

/// A source line, or the part of a long line around a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// The text.
    pub text: String,
    /// The byte range of the value in it.
    pub marked: Range<usize>,
}
