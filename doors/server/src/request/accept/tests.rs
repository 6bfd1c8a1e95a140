//! Tests of content negotiation.

use super::*;
use http::HeaderValue;

const BUILT_IN: Endpoint =
    Endpoint { routing: Routing::Objects, has_tables: true, has_protobuf: true };
const REVIEW: Endpoint = Endpoint { has_tables: false, ..BUILT_IN };
const CUSTOM: Endpoint =
    Endpoint { routing: Routing::Unrouted, has_tables: true, has_protobuf: false };

fn headers(accept: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_str(accept).unwrap());
    headers
}

fn choose_at(endpoint: Endpoint, accept: &str) -> Result<(Media, Form), String> {
    let output = Output::choose(&headers(accept), None, endpoint);
    output.map(|output| (output.media, output.form)).map_err(|error| error.message)
}

fn choose(accept: &str) -> Result<(Media, Form), String> {
    choose_at(BUILT_IN, accept)
}

const JSON: Result<(Media, Form), String> = Ok((Media::JSON, Form::Whole));
const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

#[test]
fn the_first_known_form_wins() {
    let table = "application/json;as=Table;v=v1;g=meta.k8s.io";
    assert_eq!(choose(&format!("{table},application/json")), Ok((Media::JSON, Form::Table)));
    assert_eq!(choose("application/json;as=Nonsense;v=v1;g=meta.k8s.io,application/json"), JSON);
    assert_eq!(choose("application/json;as=Table;v=v1;g=meta.k8s.io;q=0.1,application/json"), JSON);
    assert_eq!(choose_at(REVIEW, &format!("{table},application/json")), JSON);
    assert!(choose_at(REVIEW, table).is_err());
    assert_eq!(choose("*/*"), JSON);
    assert_eq!(choose("application/json;;;"), JSON);
    assert_eq!(Output::choose(&HeaderMap::new(), None, BUILT_IN).ok(), Some(Output::PLAIN));
}

#[test]
fn weights_and_ranges() {
    let yaml = Ok((Media::Yaml, Form::Whole));
    assert_eq!(choose("application/json;q=0.5,application/yaml"), yaml);
    assert_eq!(choose("application/json;q=0.9,application/yaml;q=0.8"), JSON);
    assert_eq!(choose("*/*,application/yaml;q=0.2"), yaml);
    // Built-in resources are routed by names before anything is weighed; a range is none.
    let routed = "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf";
    assert_eq!(choose("application/*"), Err(routed.into()));
    assert_eq!(choose("text/html"), Err(routed.into()));
    assert_eq!(choose("application/*,application/yaml"), yaml);
    assert_eq!(choose_at(CUSTOM, "application/*"), JSON);
    let lists = Endpoint { routing: Routing::Lists, ..BUILT_IN };
    let message = choose_at(lists, "text/html").unwrap_err();
    assert!(message.ends_with(
        "protobuf, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch"
    ));
    let log = Endpoint { routing: Routing::Log, ..REVIEW };
    assert!(choose_at(log, "text/plain").unwrap_err().starts_with("only the following"));
}

#[test]
fn parameters_that_cannot_be_met() {
    let negotiated = "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf";
    for accept in [
        "application/json;as=Table;v=v9;g=meta.k8s.io",
        "application/json;as=Table;v=v1",
        "application/json;v=v1",
        "application/json;stream=other",
        "application/yaml;stream=watch",
        "application/json;sv=v2",
        "application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io",
    ] {
        assert_eq!(choose(accept), Err(negotiated.into()), "{accept}");
    }
    assert_eq!(choose("application/json;stream=watch;sv=v1;odd=1"), JSON);
    assert_eq!(choose_at(CUSTOM, "text/html"), Err(negotiated.into()));
    assert_eq!(choose_at(CUSTOM, PROTOBUF), Err(negotiated.into()));
}

#[test]
fn whole_objects_are_protobuf_for_those_who_take_nothing_else() {
    let protobuf = Ok((Media::Protobuf, Form::Whole));
    assert_eq!(choose(&format!("{PROTOBUF},application/json")), JSON);
    assert_eq!(choose(&format!("{PROTOBUF}, */*")), JSON);
    assert_eq!(choose(&format!("{PROTOBUF}, application/json;q=0")), protobuf);
    assert_eq!(choose(&format!("{PROTOBUF}, application/yaml")), protobuf);
    assert_eq!(choose(PROTOBUF), protobuf);
}

#[test]
fn metadata_is_protobuf_for_those_who_prefer_it() {
    let accept = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";
    for endpoint in [BUILT_IN, CUSTOM] {
        assert_eq!(choose_at(endpoint, accept), Ok((Media::Protobuf, Form::MetadataList)));
    }
    let one = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1beta1";
    let output = Output::choose(&headers(one), None, BUILT_IN).ok().unwrap();
    assert_eq!((output.form, output.meta_version), (Form::Metadata, "v1beta1"));
}

#[test]
fn errors_are_never_transformed() {
    let of_errors = |accept: &str| Output::of_errors(&headers(accept), None);
    let table = "application/json;as=Table;v=v1;g=meta.k8s.io";
    assert_eq!(of_errors(table), Output::INDENTED);
    assert_eq!(of_errors(&format!("{table},application/json")), Output::PLAIN);
    assert_eq!(of_errors("text/html"), Output::INDENTED);
    assert_eq!(of_errors(PROTOBUF).media, Media::Protobuf);
}

#[test]
fn people_get_indented_json() {
    let pretty = |agent: &str, parameter: Option<&str>, accept: &str| {
        let mut headers = headers(accept);
        headers.insert(USER_AGENT, HeaderValue::from_str(agent).unwrap());
        Output::choose(&headers, parameter, BUILT_IN).ok() == Some(Output::INDENTED)
    };
    assert!(pretty("curl/8", None, "*/*") && pretty("curl/8", Some(""), "*/*"));
    assert!(!pretty("curl/8", Some("false"), "*/*") && !pretty("probe", Some(""), "*/*"));
    assert!(
        pretty("probe", Some("T"), "*/*") && pretty("probe", None, "application/json;pretty=1")
    );
}
