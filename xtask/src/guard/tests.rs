//! Tests of the guard with programs that end, that fail and that hang.

use std::process::Command;

/// Runs a shell script under the guard of this test binary; returns its success and output.
fn guarded(script: &str, seconds: &str) -> (bool, String) {
    let own = std::env::current_exe().unwrap();
    let output = Command::new(own)
        .args(["guard::tests::guard_a_shell", "--exact", "--ignored", "--nocapture"])
        .env("RATCHET_GUARDED", script)
        .env(super::SECONDS.0, seconds)
        .output()
        .unwrap();
    (output.status.success(), String::from_utf8(output.stdout).unwrap())
}

#[test]
#[ignore = "the process that the other tests start"]
fn guard_a_shell() {
    let script = std::env::var("RATCHET_GUARDED").unwrap();
    assert!(super::run(&["sh", "-c", &script]).unwrap());
}

#[test]
fn what_ends_ends_as_it_did() {
    assert!(guarded("echo 'test a ... ok'", "20").0);
    assert!(!guarded("exit 3", "20").0);
}

#[test]
fn what_leaves_others_behind_ends_too_and_they_do() {
    for output in ["", ">&- 2>&-"] {
        let (succeeded, text) = guarded(&format!("sleep 300 {output} & echo left $!"), "20");
        assert!(succeeded, "{text}");
        let left = text.lines().find_map(|line| line.strip_prefix("left ")).expect(&text);
        // Nobody may have waited for it yet, or it is about to end.
        let runs = || {
            let status = std::fs::read_to_string(format!("/proc/{left}/status"));
            status.is_ok_and(|status| !status.contains("\nState:\tZ"))
        };
        let begun = std::time::Instant::now();
        while runs() {
            assert!(begun.elapsed().as_secs() < 20, "{left} runs on");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }
}

#[test]
fn what_hangs_is_killed_and_named() {
    let script = "echo 'test a ... ok'; printf 'test b ... '; sleep 600 & wait";
    let (succeeded, text) = guarded(script, "1");
    assert!(!succeeded, "{text}");
    for line in ["test b ... FAILED: it hangs", "test result: FAILED. 1 passed; 1 failed;"] {
        assert!(text.contains(line), "{text}");
    }
}
