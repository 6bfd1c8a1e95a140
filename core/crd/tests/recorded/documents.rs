//! Documents about definitions: tables, discovery and OpenAPI.

use super::json;
use super::server::{Answer, Server, Unable};
use ratchet_crd::definition::CustomResourceDefinition;
use ratchet_crd::{OpenApi, PublishedSchemas, Strategy};
use ratchet_object::Node;

impl Server {
    /// The established definitions of a group; those of another path are not ours.
    fn definitions_of(&self, group: &str) -> Vec<CustomResourceDefinition> {
        let views = self.definitions.values().map(|node| CustomResourceDefinition::from_node(node));
        views.filter(|view| view.group == group && view.is_established()).collect()
    }

    /// Answers a request for discovery or OpenAPI.
    pub(super) fn document(&self, segments: &[&str]) -> Result<Answer, Unable> {
        let object = match segments {
            ["apis", group] => self.group(group),
            ["apis", group, version] => self.resources(group, version),
            ["openapi", "v3", "apis", group, version] => {
                let schemas = self.schemas(OpenApi::V3, |of| of == (group, version));
                Some(Node::map([
                    ("openapi", Node::string("3.0.0")),
                    ("components", Node::map([("schemas", schemas)])),
                ]))
            }
            ["openapi", "v2"] => {
                let schemas = self.schemas(OpenApi::V2, |_| true);
                Some(Node::map([("definitions", schemas)]))
            }
            _ => None,
        };
        let object = object.ok_or("other documents")?;
        Ok(Answer { code: 200, object: Some(object), ..Answer::default() })
    }

    fn group(&self, group: &str) -> Option<Node<'static>> {
        let definitions = self.definitions_of(group);
        let versions = definitions.first()?.served_versions();
        let version = |name: &String| {
            Node::map([
                ("groupVersion", Node::string(format!("{group}/{name}"))),
                ("version", Node::string(name.clone())),
            ])
        };
        let versions: Vec<Node<'static>> =
            versions.iter().map(|served| version(&served.name)).collect();
        Some(Node::map([
            ("kind", Node::string("APIGroup")),
            ("apiVersion", Node::string("v1")),
            ("name", Node::string(group.to_owned())),
            ("preferredVersion", versions.first()?.clone()),
            ("versions", Node::list(versions)),
        ]))
    }

    fn resources(&self, group: &str, version: &str) -> Option<Node<'static>> {
        let mut rows = Vec::new();
        for definition in self.definitions_of(group) {
            let Some(version) = definition.version(version).filter(|version| version.served) else {
                continue;
            };
            let texts =
                |texts: &[String]| Node::list(texts.iter().cloned().map(Node::string).collect());
            for resource in definition.api_resources(version) {
                let mut row = Node::map([
                    ("name", Node::string(resource.name)),
                    ("singularName", Node::string(resource.singular_name.to_owned())),
                    ("namespaced", json(if resource.namespaced { "true" } else { "false" })),
                    ("kind", Node::string(resource.kind.to_owned())),
                    (
                        "verbs",
                        Node::list(resource.verbs.iter().map(|verb| Node::string(*verb)).collect()),
                    ),
                ]);
                if let Some((group, version)) = resource.response_group_version {
                    row.set("group", Node::string(group));
                    row.set("version", Node::string(version));
                }
                for (name, list) in
                    [("shortNames", resource.short_names), ("categories", resource.categories)]
                {
                    if !list.is_empty() {
                        row.set(name, texts(list));
                    }
                }
                rows.push(row);
            }
        }
        (!rows.is_empty()).then(|| {
            Node::map([
                ("kind", Node::string("APIResourceList")),
                ("apiVersion", Node::string("v1")),
                ("groupVersion", Node::string(format!("{group}/{version}"))),
                ("resources", Node::list(rows)),
            ])
        })
    }

    fn schemas(
        &self,
        open_api: OpenApi,
        is_wanted: impl Fn((&&str, &&str)) -> bool,
    ) -> Node<'static> {
        let mut schemas = Node::empty_map();
        for node in self.definitions.values() {
            let view = CustomResourceDefinition::from_node(node);
            for version in view.served_versions() {
                if !is_wanted((&&*view.group, &&*version.name)) {
                    continue;
                }
                let published = PublishedSchemas::of(node, &version.name, open_api).unwrap();
                schemas.set(published.name, published.object);
                schemas.set(published.list_name, published.list);
            }
        }
        schemas
    }
}

pub(super) fn table(strategy: &Strategy, items: &[Node<'_>], warnings: Vec<String>) -> Answer {
    let columns = strategy.columns().into_iter().map(|column| {
        Node::map([
            ("name", Node::string(column.name)),
            ("type", Node::string(column.column_type)),
            ("format", Node::string(column.format)),
            ("description", Node::string(column.description)),
            ("priority", Node::int(column.priority)),
        ])
    });
    let columns: Vec<Node<'static>> = columns.collect();
    let rows = items.iter().map(|item| {
        let cells = strategy.cells(item, |time| (time.len() > 5).then(|| "0s".to_owned()));
        let cells: Vec<String> = cells.iter().map(ToString::to_string).collect();
        let metadata = item.get("metadata").unwrap().clone().into_owned();
        let object =
            Node::map([("kind", Node::string("PartialObjectMetadata")), ("metadata", metadata)]);
        Node::map([("cells", json(&format!("[{}]", cells.join(",")))), ("object", object)])
    });
    let rows: Vec<Node<'static>> = rows.collect();
    let table = Node::map([
        ("apiVersion", Node::string("meta.k8s.io/v1")),
        ("kind", Node::string("Table")),
        ("columnDefinitions", Node::list(columns)),
        ("rows", Node::list(rows)),
    ]);
    Answer { code: 200, warnings, object: Some(table), ..Answer::default() }
}
