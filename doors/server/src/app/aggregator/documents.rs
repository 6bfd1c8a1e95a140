//! `RemoteDocuments`: the documents of all extension servers as they were last fetched.

use crate::app::documents::HashedDocument;
use arc_swap::ArcSwap;
use bytes::Bytes;
use ratchet_object::Node;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The documents of one APIService.
#[derive(Clone, Debug)]
pub(crate) struct ExtensionDocuments {
    /// The version in aggregated discovery.
    pub(crate) entry: Node<'static>,
    /// The OpenAPI v3 documents: `apis/group/version`, and the URL with its hash.
    pub(crate) v3: Vec<(String, String)>,
    /// The document of a server that has only OpenAPI v2, in the form of v3.
    pub(crate) converted: Option<Arc<HashedDocument>>,
    /// The OpenAPI v2 document.
    pub(crate) v2: OpenApiV2,
}

impl Default for ExtensionDocuments {
    fn default() -> Self {
        let v2 = OpenApiV2::default();
        Self { entry: Node::empty_map(), v3: Vec::new(), converted: None, v2 }
    }
}

/// What an OpenAPI v2 document says about one version, in both encodings.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpenApiV2 {
    /// Paths and definitions by name, as JSON.
    pub(crate) json: Arc<Parts<String>>,
    /// The same as protobuf messages.
    pub(crate) protobuf: Arc<Parts<Bytes>>,
}

/// Named members of an OpenAPI v2 document, encoded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Parts<T> {
    pub(crate) paths: Vec<(String, T)>,
    pub(crate) definitions: Vec<(String, T)>,
}

/// The documents by APIService.
type ByName = BTreeMap<Arc<str>, Arc<ExtensionDocuments>>;

/// The documents of all extension servers, with a number that grows with every change.
#[derive(Default)]
pub(crate) struct RemoteDocuments(ArcSwap<(u64, ByName)>);

impl RemoteDocuments {
    /// All documents and their number.
    pub(crate) fn now(&self) -> Arc<(u64, ByName)> {
        self.0.load_full()
    }

    pub(crate) fn get(&self, name: &str) -> Option<Arc<ExtensionDocuments>> {
        self.0.load().1.get(name).cloned()
    }

    pub(crate) fn set(&self, name: &Arc<str>, documents: ExtensionDocuments) {
        let documents = Arc::new(documents);
        self.0.rcu(|now| {
            let mut all = now.1.clone();
            all.insert(name.clone(), documents.clone());
            (now.0 + 1, all)
        });
    }

    /// Forgets the documents of APIServices that are gone.
    pub(crate) fn retain(&self, is_there: impl Fn(&str) -> bool) {
        if self.0.load().1.keys().all(|name| is_there(name)) {
            return;
        }
        self.0.rcu(|now| {
            let mut all = now.1.clone();
            all.retain(|name, _| is_there(name));
            (now.0 + 1, all)
        });
    }
}
