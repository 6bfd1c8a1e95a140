//! `kubectl` commands for the steps of a repair, as a shell script with comments.

use super::LiveConfig;
use super::requests::{describe, patch};
use ratchet_formats::shell_quote;
use ratchet_rewrite::ObjectRef;
use ratchet_rewrite::live::{Replace, Step};
use std::io::{self, Write};

/// Writes a command for each patch, and a comment for each other step.
pub(super) fn write(config: &LiveConfig, steps: &[Step], out: &mut dyn Write) -> io::Result<()> {
    for (number, step) in steps.iter().enumerate() {
        let (number, object) = (number + 1, comment(&describe(step.object())));
        match step {
            Step::Patch { object: about, resource, is_status, replaces, is_last_applied } => {
                writeln!(out, "# {number}. {object}")?;
                write_replaces(replaces, out)?;
                if *is_last_applied {
                    writeln!(
                        out,
                        "#    the configuration that was applied last has the old value, too: fix the manifest, or `kubectl apply` brings it back"
                    )?;
                }
                writeln!(out, "{}", command(config, about, resource, *is_status, replaces))?;
            }
            Step::Recreate { replaces, advice, .. } => {
                writeln!(out, "# {number}. {object} must be made again. {advice}")?;
                write_replaces(replaces, out)?;
            }
            Step::Leave { field, advice, .. } => {
                writeln!(out, "# {number}. {object}: {field} is left: {}", comment(advice))?;
            }
            Step::Refused { field, value, reason, .. } => {
                let reason = comment(reason);
                writeln!(out, "# {number}. {object}: {field} {value:?} is not repaired: {reason}")?;
            }
        }
    }
    Ok(())
}

fn write_replaces(replaces: &[Replace], out: &mut dyn Write) -> io::Result<()> {
    for Replace { field, old, new, .. } in replaces {
        writeln!(out, "#    {field}: {old:?} -> {new:?}", field = comment(field))?;
    }
    Ok(())
}

fn command(
    config: &LiveConfig,
    object: &ObjectRef,
    resource: &str,
    is_status: bool,
    replaces: &[Replace],
) -> String {
    let group = object.api_version.split_once('/').map_or("", |(group, _)| group);
    let dot = if group.is_empty() { "" } else { "." };
    let mut words = vec!["kubectl".to_owned()];
    let kubeconfig = config.flags.kubeconfig.as_ref().map(|path| path.display().to_string());
    words.extend(kubeconfig.map(|path| shell_quote(&format!("--kubeconfig={path}"))));
    words.extend(
        config.flags.context.as_ref().map(|name| shell_quote(&format!("--context={name}"))),
    );
    words.extend([
        "patch".to_owned(),
        shell_quote(&format!("{resource}{dot}{group}")),
        shell_quote(&object.name),
    ]);
    if !object.namespace.is_empty() {
        words.push(shell_quote(&format!("--namespace={}", object.namespace)));
    }
    if is_status {
        words.push("--subresource=status".to_owned());
    }
    words.push("--type=json".to_owned());
    words.push(format!("--patch={}", shell_quote(&patch(replaces).to_string())));
    words.join(" ")
}

/// A text on one line, so that nothing of it leaves the comment.
fn comment(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}
