//! Request bodies that are costly to process: large, deep, wide, compressed, in every format and patch type.

use crate::hostile::flood::Dice;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

/// The size limit of request bodies.
const LIMIT: usize = 3 << 20;

/// A ConfigMap of about `bytes` bytes.
pub(crate) fn map(name: &str, bytes: usize) -> String {
    let text = "x: <y> & \\\"z\\\" ".repeat(bytes / 16 + 1);
    format!(r#"{{"metadata":{{"name":"{name}"}},"data":{{"text":"{text}"}}}}"#)
}

/// A ConfigMap with `count` keys.
pub(crate) fn many_keys(name: &str, count: usize) -> String {
    let keys: Vec<String> = (0..count).map(|key| format!(r#""k{key}":"{key}""#)).collect();
    format!(r#"{{"metadata":{{"name":"{name}"}},"data":{{{}}}}}"#, keys.join(","))
}

/// Expressions that use their whole budget.
pub(crate) const COSTLY: &[&str] = &[
    "!has(object.data) || object.data.all(a, object.data.all(b, object.data.all(c, a + b + c != '')))",
    "!has(object.data) || object.data.map(a, object.data[a].matches('(a|aa|aaa)*b')).size() >= 0",
];

/// A policy with this expression for the namespace `costly`, and its binding.
pub(crate) fn policy(name: &str, expression: &str) -> (String, String) {
    let expression = expression.replace('\\', "\\\\").replace('"', "\\\"");
    let rules = r#"[{"apiGroups":[""],"apiVersions":["v1"],"operations":["*"],"resources":["configmaps"]}]"#;
    let policy = format!(
        r#"{{"metadata":{{"name":"{name}"}},"spec":{{"failurePolicy":"Ignore","matchConstraints":{{"resourceRules":{rules}}},"validations":[{{"expression":"{expression}"}}]}}}}"#
    );
    let binding = format!(
        r#"{{"metadata":{{"name":"{name}"}},"spec":{{"policyName":"{name}","validationActions":["Deny"],"matchResources":{{"namespaceSelector":{{"matchLabels":{{"kubernetes.io/metadata.name":"costly"}}}}}}}}}}"#
    );
    (policy, binding)
}

/// An expression that is hard to parse.
pub(crate) fn strange_expression(dice: &mut Dice) -> String {
    let count = 10 + dice.below(3000);
    match dice.below(6) {
        0 => format!("{}true{}", "(".repeat(count), ")".repeat(count)),
        1 => format!("{}true", "!".repeat(count)),
        2 => format!("[{}] == []", "1,".repeat(count)),
        3 => format!("{}1 > 0", "1 + ".repeat(count)),
        4 => format!("object{}", ".a".repeat(count)),
        _ => format!("'{}' == ''", "\\u0000".repeat(count)),
    }
}

/// A body with its headers.
pub(crate) struct Crafted {
    pub(crate) name: &'static str,
    pub(crate) bytes: Vec<u8>,
    content_type: &'static str,
    is_packed: bool,
    pub(crate) is_patch: bool,
    /// Where in its namespace it is written.
    pub(crate) collection: &'static str,
}

impl Crafted {
    fn new(name: &'static str, content_type: &'static str, bytes: impl Into<Vec<u8>>) -> Self {
        let is_patch = content_type.contains("patch");
        let (bytes, collection) = (bytes.into(), "configmaps");
        Self { name, bytes, content_type, is_packed: false, is_patch, collection }
    }

    /// The same body, written into another collection.
    fn to(self, collection: &'static str) -> Self {
        Self { collection, ..self }
    }

    /// The same body, compressed.
    fn packed(mut self, name: &'static str) -> Self {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&self.bytes).unwrap();
        (self.name, self.bytes, self.is_packed) = (name, encoder.finish().unwrap(), true);
        self
    }

    pub(crate) fn headers(&self) -> Vec<(&str, &str)> {
        let mut headers = vec![("Content-Type", self.content_type)];
        headers.extend(self.is_packed.then_some(("Content-Encoding", "gzip")));
        headers
    }
}

/// Lists as long as they may be: whoever compares each item with every other one is long busy.
fn long_lists() -> impl Iterator<Item = Crafted> {
    const COUNT: usize = 20_000;
    const PODS: &str = "pods?dryRun=All";
    let list = |item: fn(usize) -> String| (0..COUNT).map(item).collect::<Vec<_>>().join(",");
    let pod = |name, field: &str, item| {
        let container = match field {
            "containers" => "",
            _ => r#""containers":[{"name":"c","image":"i"}],"#,
        };
        let spec = format!(r#"{container}"{field}":[{}]"#, list(item));
        let body = format!(r#"{{"metadata":{{"name":"long"}},"spec":{{{spec}}}}}"#);
        Crafted::new(name, "application/json", body).to(PODS)
    };
    let owners = list(|at| {
        format!(r#"{{"apiVersion":"v1","kind":"A","name":"n{at}","uid":"{at}","controller":true}}"#)
    });
    let owned = format!(r#"{{"metadata":{{"name":"owned","ownerReferences":[{owners}]}}}}"#);
    let ports = list(|at| format!(r#"{{"name":"p{at}","port":{}}}"#, at + 1));
    let service = format!(r#"{{"metadata":{{"name":"long"}},"spec":{{"ports":[{ports}]}}}}"#);
    [
        pod("containers", "containers", |at| format!(r#"{{"name":"c{at}","image":"i"}}"#)),
        pod("gates", "schedulingGates", |at| format!(r#"{{"name":"example.com/g{at}"}}"#)),
        pod("tolerations", "tolerations", |at| format!(r#"{{"key":"k{at}","operator":"Exists"}}"#)),
        pod("volumes", "volumes", |at| format!(r#"{{"name":"v{at}","emptyDir":{{}}}}"#)),
        pod("spread constraints", "topologySpreadConstraints", |at| {
            format!(r#"{{"maxSkew":1,"topologyKey":"k{at}","whenUnsatisfiable":"DoNotSchedule"}}"#)
        }),
        Crafted::new("ports", "application/json", service).to("services?dryRun=All"),
        Crafted::new("owners that all are controllers", "application/json", owned),
    ]
    .into_iter()
}

/// All crafted bodies.
pub(crate) fn crafted() -> Vec<Crafted> {
    const JSON: &str = "application/json";
    const YAML: &str = "application/yaml";
    const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";
    const JSON_PATCH: &str = "application/json-patch+json";
    const MERGE: &str = "application/merge-patch+json";
    const STRATEGIC: &str = "application/strategic-merge-patch+json";
    let deep =
        |count: usize| format!(r#"{{"data":{}1{}}}"#, r#"{"a":"#.repeat(count), "}".repeat(count));
    let flow = |count: usize| format!("data: {}{}", "[".repeat(count), "]".repeat(count));
    let aliases = {
        let mut text = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned();
        for level in 1..12 {
            let before = format!("*a{},", level - 1).repeat(9);
            text.push_str(&format!("a{level}: &a{level} [{before}]\n"));
        }
        text
    };
    let copies: Vec<String> = (0..2000)
        .map(|number| format!(r#"{{"op":"copy","from":"/data","path":"/data/k{number}"}}"#))
        .collect();
    let protobuf = |bytes: &[u8]| [b"k8s\0".as_slice(), bytes].concat();
    let escapes =
        format!(r#"{{"metadata":{{"name":"e"}},"data":{{"a":"{}"}}}}"#, r"\n".repeat(900_000));
    let mut all = vec![
        Crafted::new("escapes alone", JSON, escapes),
        Crafted::new("the largest", JSON, map("largest", LIMIT - 4000)),
        Crafted::new("too large", JSON, map("larger", LIMIT + 4000)),
        Crafted::new("the largest, in YAML", YAML, map("largest-yaml", LIMIT / 2)),
        Crafted::new("many keys", JSON, many_keys("keys", 60_000)),
        Crafted::new("many keys, in YAML", YAML, many_keys("keys-yaml", 30_000)),
        Crafted::new("many values", JSON, format!(r#"{{"data":[{}1]}}"#, "1,".repeat(1_000_000))),
        Crafted::new("many brackets", JSON, format!(r#"{{"data":[{}[]]}}"#, "[],".repeat(500_000))),
        Crafted::new("deep", JSON, deep(9_000)),
        Crafted::new("deeper", JSON, deep(400_000)),
        Crafted::new("deep, in YAML", YAML, flow(9_000)),
        Crafted::new("deeper, in YAML", YAML, flow(700_000)),
        Crafted::new(
            "indented, in YAML",
            YAML,
            (0..1500).map(|at| format!("{}a:\n", " ".repeat(at))).collect::<String>(),
        ),
        Crafted::new("a bomb of aliases", YAML, aliases),
        Crafted::new("a bomb", JSON, vec![b' '; 200 << 20]).packed("a bomb"),
        Crafted::new("packed and large", JSON, map("packed", LIMIT - 4000))
            .packed("packed and large"),
        Crafted::new("protobuf of nothing", PROTOBUF, protobuf(&[])),
        Crafted::new("protobuf of lengths", PROTOBUF, protobuf(&[0xff; 4000])),
        Crafted::new(
            "protobuf in protobuf",
            PROTOBUF,
            protobuf(&[0x12, 0x80, 0x80, 0x80, 0x80, 0x10].repeat(500_000)),
        ),
        Crafted::new("copies of copies", JSON_PATCH, format!("[{}]", copies.join(","))),
        Crafted::new(
            "a deep pointer",
            JSON_PATCH,
            format!(r#"[{{"op":"add","path":"{}","value":1}}]"#, "/a".repeat(500_000)),
        ),
        Crafted::new("a deep merge", MERGE, deep(9_000)),
        Crafted::new("a large merge", MERGE, map("merge", LIMIT - 4000)),
        Crafted::new("a wide strategic patch", STRATEGIC, many_keys("strategic", 50_000)),
        Crafted::new(
            "directives",
            STRATEGIC,
            format!(
                r#"{{"data":{{{}"$patch":"replace"}}}}"#,
                r#""$patch":"delete","#.repeat(50_000)
            ),
        ),
    ];
    all.extend(long_lists());
    all
}
