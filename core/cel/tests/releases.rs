//! Tests of the release of Kubernetes that introduced each function.

use ratchet_cel::library::authz::Authorizer;
use ratchet_cel::{Environment, Type};

fn compiles(minor: u32, expression: &str) -> Result<(), String> {
    let environment =
        Environment::kubernetes((1, minor)).with("authorizer", Type::Opaque(Authorizer::TYPE));
    environment.compile(expression).map(drop).map_err(|issues| issues.to_string())
}

#[test]
fn functions_are_unknown_before_their_release() {
    let rows = [
        (27, "authorizer.path('/').check('get').allowed()"),
        (28, "quantity('1').isInteger()"),
        (29, "sets.contains([1], [1])"),
        (29, "'%d'.format([1])"),
        (29, "strings.quote('a')"),
        (30, "ip('::1').family() == 6"),
        (30, "isIP('::1')"),
        (30, "ip.isCanonical('::1')"),
        (30, "cidr('::/0').containsIP('::1')"),
        (30, "isCIDR('::/0')"),
        (31, "format.uuid() == format.uuid()"),
        (31, "authorizer.group('').resource('pods').fieldSelector('a=b').check('list').allowed()"),
        (33, "isSemver('1.2.3')"),
        (33, "semver('1.2', true).minor()"),
        (34, "[2, 1].sort() == [1, 2]"),
        (34, "lists.range(3)"),
        (34, "[[1]].flatten()"),
    ];
    for (minor, expression) in rows {
        assert_eq!(compiles(minor, expression), Ok(()), "{expression} in 1.{minor}");
        let before = compiles(minor - 1, expression);
        let message = before.expect_err(expression);
        assert!(message.contains("undeclared reference to '"), "{message}");
    }
}

#[test]
fn some_functions_were_always_there() {
    let always = [
        "url('/').getPort()",
        "isURL('/')",
        "'a'.find('a')",
        "'a'.findAll('a', 1)",
        "[1].isSorted()",
        "[1, 2].sum()",
        "['a'].indexOf('a')",
        "'a'.charAt(0)",
        "['a'].join('-')",
        "'a'.split('')",
    ];
    for expression in always {
        assert_eq!(compiles(20, expression), Ok(()), "{expression}");
    }
}
