//! Validation of the expressions that select devices, in DeviceClasses, ResourceClaims and ResourceClaimTemplates.

use super::STORED;
use crate::environment::go_name;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use ratchet_cel::{Environment, Type, Types};
use ratchet_engine::field_validation::FieldErrors;
use ratchet_net::Quoted;
use ratchet_object::At;

/// The type of `device`.
const DEVICE: &str = "kubernetes.DRADevice";
/// The type of amounts.
const QUANTITY: &str = "kubernetes.Quantity";
/// Longer expressions are refused for their length.
const LONGEST: usize = 10 * 1024;
/// A macro that this server does not have: expressions with it are taken as they are.
const BIND: &str = "cel.bind";

/// The fields of a device.
#[derive(Debug)]
struct DeviceTypes;

impl Types for DeviceTypes {
    fn field(&self, object: &str, field: &str) -> Option<Type> {
        let by_domain = |ty| Type::map(Type::String, Type::map(Type::String, ty));
        match (object, field) {
            (DEVICE, "driver") => Some(Type::String),
            (DEVICE, "attributes") => Some(by_domain(Type::Dyn)),
            (DEVICE, "capacity") => Some(by_domain(Type::Opaque(QUANTITY))),
            (DEVICE, "allowMultipleAllocations") => Some(Type::Bool),
            _ => None,
        }
    }
}

/// Compiles the selectors of a class, which are stored if they did not change.
pub(super) fn check_class(spec: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let selectors = spec.field("selectors");
    let old = errs.ctx.change.old_root().map(|old| old.descend(&["spec", "selectors"]));
    check(&selectors, old.is_some_and(|old| selectors.equals(&old)), errs);
}

/// Compiles the selectors of all requests of a claim.
pub(super) fn check_claim(devices: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    for request in devices.field("requests").items() {
        let exactly = request.field("exactly");
        check(&exactly.field("selectors"), false, errs);
        // The first beta version has them in the request itself.
        let flat = request.field("selectors").with_path(exactly.path().field("selectors"));
        check(&flat, false, errs);
        for alternative in request.field("firstAvailable").items() {
            check(&alternative.field("selectors"), false, errs);
        }
    }
}

fn check(selectors: &At<'_>, is_stored: bool, errs: &mut FieldErrors<'_, '_>) {
    if selectors.is_empty() {
        return;
    }
    // New expressions must be known to the release before.
    let before = (1, u32::from(errs.ctx.config.emulated.minor()).saturating_sub(1));
    let environment = Environment::kubernetes(if is_stored { STORED } else { before })
        .with("device", Type::object(DEVICE))
        .with_types(Arc::new(DeviceTypes));
    for cel in selectors.items().map(|at| at.field("cel")).filter(At::is_set) {
        let expression = cel.field("expression");
        let text = expression.text_or_empty();
        if text.len() <= LONGEST
            && !text.contains(BIND)
            && let Some(fault) = fault(&environment, text)
        {
            errs.invalid_as(&expression, Quoted(text).to_string(), fault);
        }
    }
}

fn fault(environment: &Environment, text: &str) -> Option<String> {
    match environment.compile(text) {
        Err(issues) => Some(format!("compilation failed: {issues}")),
        Ok(program) => match program.result() {
            Type::Bool | Type::Dyn => None,
            other => {
                let got = go_name(other);
                Some(format!("must evaluate to bool or the unknown type, not {got}"))
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault_of(text: &str) -> Option<String> {
        let environment = Environment::kubernetes((1, 35))
            .with("device", Type::object(DEVICE))
            .with_types(Arc::new(DeviceTypes));
        fault(&environment, text)
    }

    #[test]
    fn devices_are_selected_by_what_they_have() {
        for good in [
            r#"device.driver == "gpu.example.com""#,
            r#"device.attributes["gpu.example.com"].model == "a" && device.capacity["gpu.example.com"].memory.compareTo(quantity("8Gi")) >= 0"#,
            r#"device.attributes["gpu.example.com"].shared"#,
            "device.allowMultipleAllocations",
        ] {
            assert_eq!(fault_of(good), None, "{good}");
        }
        for bad in ["", "device.drivers == 'a'", r#"!device.attributes["a"].type == "gpu""#] {
            let fault = fault_of(bad).unwrap_or_default();
            assert!(fault.starts_with("compilation failed: ERROR: <input>:1:"), "{bad}: {fault}");
        }
        assert_eq!(
            fault_of("device.driver").as_deref(),
            Some("must evaluate to bool or the unknown type, not string")
        );
    }
}
