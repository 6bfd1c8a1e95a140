//! Comparison of the flags in the guide with those that clap parses.

use crate::args::Args;
use clap::CommandFactory;
use std::collections::BTreeMap;

/// The flags of the guide's tables and their defaults, without markup.
fn documented() -> BTreeMap<String, String> {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reference/serve.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    // Other sections describe other programs' flags.
    let guide = guide.split("\n## ").find(|section| section.starts_with("Flags\n")).unwrap();
    let rows = guide.lines().filter(|line| line.starts_with("| `-"));
    let mut found = BTreeMap::new();
    for row in rows {
        let mut cells = row.trim_matches('|').split(" | ").map(str::trim);
        let (names, default) = (cells.next().unwrap(), cells.next().unwrap_or_default());
        let default = default.replace("**", "").replace('`', "");
        let names = names.split(", ").map(|name| name.trim_matches('`').trim_start_matches('-'));
        let names: Vec<&str> = names.filter(|name| name.len() > 1 || *name != "v").collect();
        let names = if names.is_empty() { vec!["v"] } else { names };
        let defaults: Vec<&str> = default.split(", ").collect();
        for (at, name) in names.iter().enumerate() {
            let shared = names.len() == 1 || defaults.len() != names.len();
            let default = if shared { default.as_str() } else { defaults[at] };
            assert_eq!(found.insert((*name).to_owned(), default.to_owned()), None, "{name} twice");
        }
    }
    found
}

#[test]
fn the_guide_tells_of_every_flag_and_its_default() {
    let mut documented = documented();
    let mut command = Args::command();
    command.build();
    let serve = command.find_subcommand("serve").unwrap();
    for flag in serve.get_arguments().filter(|flag| !flag.is_hide_set()) {
        let name = flag.get_long().unwrap();
        if name == "help" {
            continue;
        }
        let documented_default =
            documented.remove(name).unwrap_or_else(|| panic!("the guide lacks --{name}"));
        let defaults = flag.get_default_values().iter();
        let defaults: Vec<&str> = defaults.map(|value| value.to_str().unwrap()).collect();
        if !defaults.is_empty() {
            assert_eq!(documented_default, defaults.join(","), "the default of --{name}");
        }
        // An optional flag has a default in prose, if any.
        let literal = ["true", "false"].contains(&documented_default.as_str())
            || documented_default.parse::<i64>().is_ok();
        assert!(
            !defaults.is_empty() || !literal,
            "--{name} has no default, the guide tells {documented_default}"
        );
    }
    assert!(documented.is_empty(), "the guide tells of what is not there: {documented:?}");
}
