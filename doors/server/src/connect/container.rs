//! Selection of a container in a pod.

use crate::status::StatusError;
use ratchet_object::Node;

/// The named container, or the only one.
pub(super) fn choose(pod: &Node<'_>, named: &str) -> Result<String, StatusError> {
    let mut names = pod.pod_spec().containers().map(|one| one.text_at(&["name"]));
    let pod_name = pod.text_at(&["metadata", "name"]);
    if !named.is_empty() {
        return match names.any(|name| name == named) {
            true => Ok(named.to_owned()),
            false => Err(StatusError::bad_request(format!(
                "container {named} is not valid for pod {pod_name}"
            ))),
        };
    }
    match pod.pod_spec().list("containers") {
        [only] => Ok(only.text_at(&["name"]).to_owned()),
        [] => Err(StatusError::bad_request(format!(
            "a container name must be specified for pod {pod_name}"
        ))),
        _ => Err(StatusError::bad_request(format!(
            "a container name must be specified for pod {pod_name}, choose one of: [{}]",
            names.collect::<Vec<_>>().join(" ")
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    fn chosen(spec: &str, named: &str) -> Result<String, String> {
        let text = format!(r#"{{"metadata":{{"name":"p"}},"spec":{spec}}}"#);
        let pod = decode(&text, Limits::DEFAULT).unwrap().documents.remove(0);
        choose(&pod, named).map_err(|error| error.message)
    }

    #[test]
    fn one_is_meant_without_a_name_and_of_several_one_must_be_named() {
        let one = r#"{"initContainers":[{"name":"i"}],"containers":[{"name":"c"}]}"#;
        assert_eq!(chosen(one, ""), Ok("c".into()));
        assert_eq!(chosen(one, "i"), Ok("i".into()));
        assert_eq!(chosen(one, "x"), Err("container x is not valid for pod p".into()));
        let two = r#"{"initContainers":[{"name":"i"}],"containers":[{"name":"a"},{"name":"b"}],"ephemeralContainers":[{"name":"e"}]}"#;
        assert_eq!(chosen(two, "e"), Ok("e".into()));
        assert_eq!(
            chosen(two, ""),
            Err("a container name must be specified for pod p, choose one of: [i a b e]".into())
        );
        assert_eq!(chosen("{}", ""), Err("a container name must be specified for pod p".into()));
    }
}
