//! Tests of the commands besides `check`: explain, fields, completion, man, and all help texts.

mod harness;

use harness::run;

#[test]
fn explain_lists_every_rule_once() {
    let output = run(&["explain"], "");
    assert_eq!((output.code, output.stderr.as_str()), (0, ""));
    let ids: Vec<&str> =
        output.stdout.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert!(ids.iter().all(|id| id.starts_with("RTC-")), "{ids:?}");
    let mut once = ids.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), ids.len());
    for wanted in ["RTC-IP-001", "RTC-DNS-001", "RTC-SVC-001", "RTC-PSA-001", "RTC-API-010"] {
        assert!(ids.contains(&wanted), "{wanted}");
    }
}

#[test]
fn every_rule_can_be_explained() {
    let list = run(&["explain"], "").stdout;
    for line in list.lines() {
        let id = line.split_whitespace().next().unwrap();
        let output = run(&["explain", id], "");
        assert_eq!(output.code, 0, "{id}");
        assert!(output.stdout.starts_with(&format!("{id}: ")), "{}", output.stdout);
        let all = ["Demands", "Why", "Fix", "What is stored already", "Versions", "From"];
        // Rules about certificates are not about objects: they have no demands and nothing stored.
        let wanted = match id.starts_with("RTC-CERT") {
            true => vec!["Why", "Fix", "From"],
            false => all.to_vec(),
        };
        let found: Vec<&str> = output.stdout.lines().filter(|line| all.contains(line)).collect();
        assert_eq!(found, wanted, "{id}");
        assert!(output.stdout.lines().all(|line| line.chars().count() <= 100), "{}", output.stdout);
    }
}

#[test]
fn the_rule_about_addresses_names_its_fields_and_differences() {
    let output = run(&["explain", "RTC-IP-001"], "").stdout;
    assert!(output.contains("\nFields\n"), "{output}");
    assert!(output.contains("Service spec.externalIPs[]"), "{output}");
    assert!(output.contains("frozen-pod-specs"), "{output}");
    assert_eq!(run(&["explain", "rtc-ip-001"], "").stdout, output);
}

#[test]
fn a_rule_that_does_not_exist_is_bad_usage() {
    for id in ["RTC-IP-999", "", "IP-001"] {
        let output = run(&["explain", id], "");
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{id}");
        assert!(output.stderr.contains(&format!("{id:?}")), "{}", output.stderr);
        assert!(output.stderr.contains("ratchet explain"), "{}", output.stderr);
    }
}

#[test]
fn fields_are_a_table_of_twenty_four() {
    let output = run(&["fields"], "");
    assert_eq!(output.code, 0);
    let lines: Vec<&str> = output.stdout.lines().collect();
    assert_eq!(lines.len(), 25, "{}", output.stdout);
    for head in ["#", "KIND", "FIELD"] {
        assert!(lines[0].contains(head), "{}", lines[0]);
    }
    for (number, line) in lines.iter().enumerate().skip(1) {
        assert_eq!(line.split_whitespace().next(), Some(number.to_string().as_str()), "{line}");
    }
    let column = lines[0].find("FIELD").unwrap();
    assert!(lines.iter().all(|line| !line.ends_with(' ') && &line[column - 1..column] == " "));
    assert!(lines[13].contains("spec.externalIPs[]"), "{}", lines[13]);
}

#[test]
fn completions_know_every_command_and_flag() {
    for (shell, mark) in [
        ("bash", "complete -F"),
        ("elvish", "edit:completion:arg-completer[ratchet]"),
        ("fish", "complete -c ratchet"),
        ("powershell", "Register-ArgumentCompleter"),
        ("zsh", "#compdef ratchet"),
    ] {
        let output = run(&["completion", shell], "");
        assert_eq!((output.code, output.stderr.as_str()), (0, ""), "{shell}");
        for expected in [mark, "explain", "completion", "against", "target-version"] {
            assert!(output.stdout.contains(expected), "{shell} misses {expected}");
        }
        // Elvish and PowerShell get no values.
        let has_values = !matches!(shell, "elvish" | "powershell");
        assert_eq!(output.stdout.contains("sarif"), has_values, "{shell}");
        // The name that the command had before.
        assert_eq!(run(&["completions", shell], "").stdout, output.stdout);
    }
    assert_eq!(run(&["completion", "tcsh"], "").code, 2);
    assert_eq!(run(&["completion"], "").code, 2);
}

#[test]
fn bash_takes_the_completions() {
    use std::process::Command;
    let script = run(&["completion", "bash"], "").stdout;
    let done = Command::new("bash").args(["-n", "-c", &script]).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn there_is_a_manual_page_for_each_command() {
    let root = run(&["man"], "");
    assert_eq!(root.code, 0);
    assert!(root.stdout.contains(".TH ratchet 1"), "{}", root.stdout);
    for command in ["audit", "check", "envtest", "explain", "fields", "fix", "completion", "man"] {
        let page = run(&["man", command], "");
        assert_eq!(page.code, 0, "{command}");
        assert!(page.stdout.contains(&format!(".TH ratchet-{command} 1")), "{}", page.stdout);
        assert!(page.stdout.contains(".SH NAME") && page.stdout.contains(".SH SYNOPSIS"));
    }
    let check = run(&["man", "check"], "").stdout;
    for expected in ["Exit status", "\\-\\-against", "\\-\\-pod\\-security", "released"] {
        assert!(check.contains(expected), "{expected}: {check}");
    }
    let unknown = run(&["man", "chek"], "");
    assert_eq!(unknown.code, 2);
    assert!(unknown.stderr.contains("\"chek\""), "{}", unknown.stderr);
}

#[test]
fn all_manual_pages_are_written_into_a_directory() {
    let folder = harness::Folder::with(&[]);
    let directory = folder.path("").to_str().unwrap().to_owned();
    let output = run(&["man", "--directory", &directory], "");
    assert_eq!((output.code, output.stdout.as_str(), output.stderr.as_str()), (0, "", ""));
    let mut names: Vec<String> = std::fs::read_dir(&directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let commands = [
        "-audit",
        "-cel",
        "-check",
        "-completion",
        "-envtest",
        "-explain",
        "-fields",
        "-fix",
        "-kubelet-certs",
        "-man",
        "-serve",
        "-store-backup",
        "-store-check",
        "-store-compact",
        "-store-copy",
        "-store-restore",
        "-store",
        "-webhook-manifests",
        "-webhook",
    ];
    let mut wanted: Vec<String> = commands.iter().map(|name| format!("ratchet{name}.1")).collect();
    wanted.push("ratchet.1".into());
    assert_eq!(names, wanted);
    let serve = std::fs::read_to_string(folder.path("ratchet-serve.1")).unwrap();
    assert_eq!(serve, run(&["man", "serve"], "").stdout);

    assert_eq!(run(&["man", "check", "--directory", &directory], "").code, 2);
    let absent = run(&["man", "--directory", &format!("{directory}/absent")], "");
    assert_eq!(absent.code, 2);
    assert!(absent.stderr.contains("cannot write into"), "{}", absent.stderr);
}

#[test]
fn help_tells_the_exit_status_and_every_flag() {
    let long = run(&["check", "--help"], "");
    assert_eq!((long.code, long.stderr.as_str()), (0, ""));
    let text = long.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for expected in [
        "Exit status: 0 nothing refused; 1 something refused",
        "2 error (bad usage, unreadable or undecodable input)",
        "--against",
        "--baseline",
        "--warnings-as-errors",
        "[default: 1.36]",
        "[default: released]",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    assert!(long.stdout.lines().all(|line| line.chars().count() <= 100), "{}", long.stdout);
    assert_eq!(run(&["check", "-h"], "").code, 0);
    let root = run(&["--help"], "");
    assert_eq!(root.code, 0);
    for command in ["check", "envtest", "explain", "fields", "fix", "completion", "man"] {
        assert!(root.stdout.contains(command), "{command}: {}", root.stdout);
    }
}

#[test]
fn the_version_is_told() {
    for flag in ["--version", "-V"] {
        let output = run(&[flag], "");
        assert_eq!(output.code, 0);
        assert_eq!(output.stdout, format!("ratchet {}\n", env!("CARGO_PKG_VERSION")));
    }
}

#[test]
fn bad_usage_ends_with_two_and_says_what_is_wrong() {
    for (args, expected) in [
        (vec!["check", "--no-such-flag", "x"], "--no-such-flag"),
        (vec!["chekc"], "chekc"),
        (vec!["check", "-o", "pdf", "x"], "pdf"),
        (vec!["check", "--behavior", "odd", "x"], "odd"),
        (vec!["check", "--color", "red", "x"], "red"),
        (vec!["check", "--jobs", "many", "x"], "many"),
        (vec!["check", "--baseline"], "--baseline"),
        (vec!["fields", "extra"], "extra"),
    ] {
        let output = run(&args, "");
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{args:?}");
        assert!(output.stderr.contains(expected), "{args:?}: {}", output.stderr);
    }
    let alone = run(&[], "");
    assert_eq!(alone.code, 2);
    assert!(alone.stderr.contains("Usage: ratchet"), "{}", alone.stderr);
}

#[test]
fn nothing_is_coloured_where_nobody_looks() {
    for args in [&["--help"][..], &["check", "--help"], &["explain"], &["fields"], &["chekc"]] {
        let output = run(args, "");
        assert!(!output.stdout.contains('\x1b') && !output.stderr.contains('\x1b'), "{args:?}");
    }
}

#[test]
fn the_readme_shows_what_is_printed() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let readme = std::fs::read_to_string(format!("{root}/README.md")).unwrap();
    let (_, rest) = readme.split_once("```text\n").unwrap();
    let (printed, _) = rest.split_once("\n```").unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_ratchet"))
        .current_dir(root)
        .args(["check", "examples/refused.yaml"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim_end(), printed);
    assert!(readme.contains("cargo run -- check examples/refused.yaml"));
}
