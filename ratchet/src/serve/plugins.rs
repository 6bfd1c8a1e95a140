//! Selection of admission plugins: kube-apiserver 1.36's defaults and flags, limited to those implemented here.

use super::args::RuleArgs;
use crate::gate_args::GateArgs;
use ratchet_net::Quoted;
use ratchet_server::{Mode, PLUGINS, PluginRow};

/// The plugin that limits nodes to their own objects.
pub(crate) const NODE_RESTRICTION: &str = "NodeRestriction";

/// Errors of the two lists: unknown names, names in both, and enabled plugins that are not implemented. A default
/// plugin that is not implemented is ignored, because a cluster's own flags must be usable.
pub(crate) fn refusals(enabled: &[String], disabled: &[String]) -> Vec<String> {
    let mut all = Vec::new();
    let find = |name: &String| PLUGINS.iter().find(|plugin| plugin.name == name.as_str());
    for (flag, names) in [("enable", enabled), ("disable", disabled)] {
        for name in named(names).filter(|name| find(name).is_none()) {
            all.push(format!("{flag}-admission-plugins plugin {} is unknown", Quoted(name)));
        }
    }
    let mut both: Vec<&str> =
        named(enabled).filter(|name| disabled.contains(name)).map(String::as_str).collect();
    both.sort_unstable();
    both.dedup();
    if !both.is_empty() {
        all.push(format!(
            "[{}] in enable-admission-plugins and disable-admission-plugins overlapped",
            both.join(" ")
        ));
    }
    let missing = |plugin: &&PluginRow| !plugin.implemented && !plugin.default_on;
    for plugin in named(enabled).filter_map(find).filter(missing) {
        let name = plugin.name;
        all.push(format!(
            "enable-admission-plugins plugin \"{name}\" is not built into this server"
        ));
    }
    all
}

/// The lists of plugins to enable and to disable: those of the flags, or, where `--admission-control` names the plugins
/// to run, these and all others.
pub(crate) fn lists(args: &RuleArgs) -> Result<(Vec<String>, Vec<String>), String> {
    let GateArgs { enable_admission_plugins: on, disable_admission_plugins: off, .. } = &args.gates;
    let listed: Vec<String> = named(&args.admission_control).cloned().collect();
    if listed.is_empty() {
        return Ok((on.clone(), off.clone()));
    }
    if !on.is_empty() || !off.is_empty() {
        return Err("admission-control and enable-admission-plugins/disable-admission-plugins flags are mutually exclusive".to_owned());
    }
    let is_other = |plugin: &&PluginRow| !listed.iter().any(|name| name == plugin.name);
    let others = PLUGINS.iter().filter(is_other).map(|plugin| plugin.name.to_owned());
    let others = others.collect();
    Ok((listed, others))
}

/// The plugins that are enabled and implemented. With the Node authorizer NodeRestriction is on by default (KEP-4872):
/// a node that may request another's certificate makes the names in certificates worthless.
pub(crate) fn in_force(
    enabled: &[String],
    disabled: &[String],
    modes: &[Mode],
) -> Vec<&'static str> {
    let has = |names: &[String], plugin: &PluginRow| names.iter().any(|name| name == plugin.name);
    let is_usual = |plugin: &PluginRow| {
        plugin.default_on || plugin.name == NODE_RESTRICTION && modes.contains(&Mode::Node)
    };
    let is_on = |plugin: &&PluginRow| {
        plugin.implemented && (has(enabled, plugin) || (is_usual(plugin) && !has(disabled, plugin)))
    };
    PLUGINS.iter().filter(is_on).map(|plugin| plugin.name).collect()
}

/// The names of a flag without empty ones.
fn named(names: &[String]) -> impl Iterator<Item = &String> {
    names.iter().filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn what_is_wrong_with_the_lists() {
        let refused = |on: &[&str], off: &[&str]| refusals(&names(on), &names(off));
        assert_eq!(refused(&[], &[]), [""; 0]);
        assert_eq!(refused(&[""], &[""]), [""; 0]);
        assert_eq!(refused(&["LimitRanger", "NamespaceLifecycle"], &["EventRateLimit"]), [""; 0]);
        assert_eq!(
            refused(&["Foo", "EventRateLimit"], &["Bar", "EventRateLimit"]),
            [
                "enable-admission-plugins plugin \"Foo\" is unknown",
                "disable-admission-plugins plugin \"Bar\" is unknown",
                "[EventRateLimit] in enable-admission-plugins and disable-admission-plugins overlapped",
                "enable-admission-plugins plugin \"EventRateLimit\" is not built into this server",
            ]
        );
    }

    #[test]
    fn flags_add_to_the_defaults_and_take_from_them() {
        let of = |on: &[&str], off: &[&str]| in_force(&names(on), &names(off), &[Mode::Rbac]);
        let usual = of(&[], &[]);
        assert!(usual.contains(&"NamespaceLifecycle") && usual.contains(&"PodSecurity"));
        assert!(!usual.contains(&"DenyServiceExternalIPs") && usual.contains(&"LimitRanger"));
        assert!(of(&["DenyServiceExternalIPs"], &[]).contains(&"DenyServiceExternalIPs"));
        assert!(!of(&[], &["PodSecurity"]).contains(&"PodSecurity"));
    }

    #[test]
    fn nodes_are_restricted_where_they_are_known() {
        let restricts = |on: &[&str], off: &[&str], modes: &[Mode]| {
            in_force(&names(on), &names(off), modes).contains(&NODE_RESTRICTION)
        };
        let both = [Mode::Node, Mode::Rbac];
        assert!(restricts(&[], &[], &both));
        assert!(!restricts(&[], &[NODE_RESTRICTION], &both));
        assert!(!restricts(&[], &[], &[Mode::Rbac]));
        assert!(!restricts(&[], &[], &[Mode::AlwaysAllow]));
        assert!(restricts(&[NODE_RESTRICTION], &[], &[Mode::Rbac]));
    }

    #[test]
    fn every_plugin_stands_once() {
        let mut all: Vec<&str> = PLUGINS.iter().map(|plugin| plugin.name).collect();
        assert_eq!(all.len(), 41);
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 41);
    }
}
