//! The objects that are written: ConfigMaps and Pods of ordinary size.

use anyhow::{Result, bail};

/// The annotation whose value changes with every write.
pub(crate) const SEQUENCE: &str = "api-load/sequence";

const NAME: &str = "@name@";
const NUMBER: &str = "@number@";

/// A resource and the text of its objects.
pub(crate) struct Resource {
    pub(crate) plural: &'static str,
    /// An object with [`NAME`] and [`NUMBER`] in it.
    object: fn() -> String,
}

/// The resources that can be written.
pub(crate) static RESOURCES: &[Resource] = &[
    Resource { plural: "configmaps", object: config_map },
    Resource { plural: "pods", object: pod },
];

/// The text of an object with gaps for its name and a number, both filled without parsing it.
#[derive(Clone, Debug)]
pub(crate) struct Template(String);

impl Resource {
    /// The resource of a plural.
    pub(crate) fn named(plural: &str) -> Result<&'static Self> {
        match RESOURCES.iter().find(|resource| resource.plural == plural) {
            Some(resource) => Ok(resource),
            None => {
                let known: Vec<&str> = RESOURCES.iter().map(|resource| resource.plural).collect();
                bail!("the resource is one of {}, not {plural:?}", known.join(", "))
            }
        }
    }

    /// The path of the collection in a namespace.
    pub(crate) fn collection(&self, namespace: &str) -> String {
        format!("/api/v1/namespaces/{namespace}/{}", self.plural)
    }

    pub(crate) fn template(&self) -> Template {
        Template((self.object)())
    }
}

impl Template {
    /// The template of an update: the object as the server has it, with a gap for the number, and without its version,
    /// so that a write is not refused for an older one.
    pub(crate) fn of_stored(object: &[u8]) -> Result<Self> {
        let mut object: serde_json::Value = serde_json::from_slice(object)?;
        let metadata = object.get_mut("metadata").and_then(serde_json::Value::as_object_mut);
        let Some(metadata) = metadata else { bail!("the server's object has no metadata") };
        metadata.shift_remove("resourceVersion");
        metadata.insert("annotations".to_owned(), serde_json::json!({ SEQUENCE: NUMBER }));
        Ok(Self(object.to_string()))
    }

    /// The object with a name and a number of fixed length.
    pub(crate) fn fill(&self, name: &str, number: usize) -> String {
        self.0.replacen(NAME, name, 1).replacen(NUMBER, &format!("{number:09}"), 1)
    }
}

/// A patch of the annotation alone.
pub(crate) fn sequence_patch(number: usize) -> String {
    format!(r#"{{"metadata":{{"annotations":{{"{SEQUENCE}":"{number:09}"}}}}}}"#)
}

/// About 0.7 kB of settings, without `managedFields`.
fn config_map() -> String {
    let text = "some text of a setting ".repeat(20);
    format!(
        r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{NAME}","labels":{{"app":"api-load","tier":"front"}},"annotations":{{"{SEQUENCE}":"{NUMBER}"}}}},"data":{{"mode":"production","text":"{text}"}}}}"#
    )
}

/// A pod that no scheduler takes and no token is mounted into: about 2.5 kB with its defaults, 4.1 kB as it is stored, with
/// `managedFields`.
fn pod() -> String {
    let env: Vec<String> = (0..12)
        .map(|n| format!(r#"{{"name":"SETTING_{n}","value":"the value of setting {n} is {n}"}}"#))
        .collect();
    let env = env.join(",");
    format!(
        r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{NAME}","labels":{{"app":"api-load","tier":"front"}},"annotations":{{"{SEQUENCE}":"{NUMBER}"}}}},"spec":{{"schedulerName":"api-load","automountServiceAccountToken":false,"containers":[{{"name":"web","image":"registry.example.com/shop/web:1.2.3","ports":[{{"containerPort":8080,"name":"http"}}],"env":[{env}],"resources":{{"requests":{{"cpu":"100m","memory":"128Mi"}},"limits":{{"memory":"256Mi"}}}},"readinessProbe":{{"httpGet":{{"path":"/ready","port":"http"}}}},"volumeMounts":[{{"name":"data","mountPath":"/data"}}]}}],"volumes":[{{"name":"data","emptyDir":{{}}}}]}}}}"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn objects_are_json_with_their_name_and_number() {
        for resource in RESOURCES {
            let text = resource.template().fill("web-1", 7);
            let object: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(object["metadata"]["name"], "web-1", "{}", resource.plural);
            assert_eq!(object["metadata"]["annotations"][SEQUENCE], "000000007");
            assert!((500..2500).contains(&text.len()), "{}: {}", resource.plural, text.len());
        }
    }

    #[test]
    fn a_stored_object_becomes_the_template_of_its_update() {
        let stored =
            r#"{"metadata":{"name":"a","resourceVersion":"5","uid":"u"},"data":{"k":"v"}}"#;
        let update: Value =
            serde_json::from_str(&Template::of_stored(stored.as_bytes()).unwrap().fill("", 3))
                .unwrap();
        assert_eq!(update["metadata"]["annotations"][SEQUENCE], "000000003");
        assert_eq!(update["metadata"]["resourceVersion"], Value::Null);
        assert_eq!(update["data"]["k"], "v");
        assert!(Template::of_stored(b"[]").is_err() && Template::of_stored(b"{").is_err());
    }

    #[test]
    fn an_unknown_resource_is_refused_with_those_that_are_known() {
        let error = Resource::named("secrets").err().unwrap().to_string();
        assert_eq!(error, "the resource is one of configmaps, pods, not \"secrets\"");
    }
}
