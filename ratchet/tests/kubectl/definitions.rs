//! Tests of custom resources as kubectl shows them: `explain`, `get`, short names, categories, `api-resources`.

use super::console::Line;
use super::serving::Serving;

const DEFINITION: &str = r#"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.shop.example.com}
spec:
  group: shop.example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget, shortNames: [wg], categories: [all]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}, scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size}}
    additionalPrinterColumns:
    - {name: Size, type: integer, jsonPath: .spec.size}
    - {name: Colour, type: string, jsonPath: .spec.colour, priority: 1}
    schema:
      openAPIV3Schema:
        type: object
        description: A Widget is a thing of the shop.
        properties:
          spec:
            type: object
            required: [size]
            properties:
              size: {type: integer, description: How large the widget is.}
              colour: {type: string, enum: [red, blue]}
              parts: {type: array, items: {type: object, properties: {name: {type: string}}}}
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
  - name: v1alpha1
    served: true
    storage: false
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
"#;

const WIDGET: &str = r#"
apiVersion: shop.example.com/v1
kind: Widget
metadata: {name: first}
spec: {size: 3, colour: red, parts: [{name: wheel}]}
"#;

const SHOWN: &[Line] = &[
    ("explain widgets", "GROUP:      shop.example.com\nKIND:       Widget\nVERSION:    v1\n"),
    ("explain widget", "A Widget is a thing of the shop."),
    ("explain wg.spec", "size\t<integer> -required-"),
    ("explain wg.spec.size", "FIELD: size <integer>"),
    ("explain wg.spec.size", "How large the widget is."),
    ("explain wg.spec.parts", "FIELD: parts <[]Object>"),
    ("explain wg.spec.colour", "ENUM:\n    red\n    blue"),
    ("explain wg --recursive", "parts\t<[]Object>\n      name\t<string>"),
    ("explain wg.metadata.labels", "FIELD: labels <map[string]string>"),
    ("explain wg --api-version=shop.example.com/v1alpha1", "VERSION:    v1alpha1"),
    ("explain wg.spec --output=plaintext-openapiv2", "RESOURCE: spec <Object>"),
    (
        "api-resources --api-group=shop.example.com",
        "widgets   wg           shop.example.com/v1   true         Widget",
    ),
    ("api-versions", "shop.example.com/v1\nshop.example.com/v1alpha1\n"),
    ("get wg", "NAME    SIZE\nfirst   3\n"),
    ("get widgets.v1.shop.example.com -o wide", "NAME    SIZE   COLOUR\nfirst   3      red\n"),
    ("get all", "widget.shop.example.com/first   3"),
    ("get wg first -o jsonpath={.spec.parts[0].name}", "wheel"),
    ("scale wg first --replicas=5", "widget.shop.example.com/first scaled"),
    ("get wg first -o jsonpath={.spec.size}", "5"),
    ("describe wg first", "Kind:         Widget"),
];

#[test]
fn kubectl_shows_custom_resources() {
    let (_serving, console) = Serving::start();
    console.file("definition.yaml", DEFINITION);
    console.file("widget.yaml", WIDGET);
    console.all_ok(&[
        ("apply -f definition.yaml", "widgets.shop.example.com created"),
        (
            "wait crd/widgets.shop.example.com --for=condition=Established --timeout=30s",
            "condition met",
        ),
        ("apply -f widget.yaml", "widget.shop.example.com/first created"),
    ]);
    console.all_ok(SHOWN);
    console.all_refused(&[
        ("explain wg.spec.nope", "error: field \"nope\" does not exist"),
        (
            "patch wg first --type=merge -p {\"spec\":{\"colour\":\"green\"}}",
            "Unsupported value: \"green\"",
        ),
    ]);
}
