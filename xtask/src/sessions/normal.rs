//! Normalisation of what differs between two recordings of the same session: ages, days that are left, paths, ports.

/// Replaces the ages in a table of kubectl whose last column they are.
pub(super) fn ages(text: &str) -> String {
    let mut out = String::new();
    let mut in_table = false;
    for line in text.lines() {
        let age = line.split_whitespace().next_back().filter(|_| in_table);
        match age.filter(|age| is_age(age)).and_then(|age| line.strip_suffix(age)) {
            Some(before) => out += &format!("{before}5s"),
            None => {
                in_table = line.ends_with(" AGE");
                out += line;
            }
        }
        out.push('\n');
    }
    out
}

/// `5s`, `2m10s`, `3d`.
fn is_age(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
        && text.ends_with(['s', 'm', 'h', 'd'])
        && text.chars().all(|c| c.is_ascii_digit() || matches!(c, 's' | 'm' | 'h' | 'd'))
}

/// Replaces the number of days in `(12345 days)`, with blanks behind it so that columns stay where they are.
pub(super) fn days(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('(') {
        out += before;
        out.push('(');
        rest = after;
        let Some((number, left)) = after.split_once(" days)") else { continue };
        if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) {
            out += &format!("… days){}", " ".repeat(number.len() - 1));
            rest = left;
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_replaced_in_tables_only() {
        let text = "created 3s\nNAME   STATUS   AGE\nshop   Active   0s\ndefault   Active   1m2s\n\
                    done in 3s\nno age\nafter it 3s\n";
        let wanted = "created 3s\nNAME   STATUS   AGE\nshop   Active   5s\ndefault   Active   5s\n\
                      done in 5s\nno age\nafter it 3s\n";
        assert_eq!(ages(text), wanted);
    }

    #[test]
    fn days_that_are_left_are_replaced_and_columns_stay() {
        let text = "2099-12-31 (26708 days)  csr-issued (a) (days) (x days)\n";
        let wanted = "2099-12-31 (… days)      csr-issued (a) (days) (x days)\n";
        assert_eq!(days(text), wanted);
        assert_eq!(days("no brackets"), "no brackets");
    }
}
