//! The names of the time zones of the IANA database.
//!
//! `time_zones.txt` lists them, one per line after a head in `#`; `tools/schemagen` writes it.

static NAMES: &str = include_str!("time_zones.txt");

/// Whether there is a time zone of this name; `UTC` is one.
pub(crate) fn is_known(name: &str) -> bool {
    NAMES.lines().any(|line| line == name && !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::is_known;

    #[test]
    fn zones_are_known_by_their_exact_names() {
        for known in
            ["UTC", "Etc/UTC", "Europe/Berlin", "America/Argentina/Ushuaia", "GMT+0", "CET"]
        {
            assert!(is_known(known), "{known}");
        }
        for unknown in
            ["", "utc", "Europe", "Europe/Bern", "# Generated, do not edit:", "localtime"]
        {
            assert!(!is_known(unknown), "{unknown}");
        }
    }
}
