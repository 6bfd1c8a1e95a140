//! Dates and times as people write them, from seconds since 1970, without a clock.

use alloc::format;
use alloc::string::String;
use ratchet_object::calendar::{DAY, Date};

/// The last second of the year 9999: what is later has no date that people write.
const LAST: i64 = 253_402_300_799;

/// The first second of the year 0.
const FIRST: i64 = -62_167_219_200;

/// The date of a second; seconds before the year 0 and after 9999 count as the first and the last.
pub(crate) fn date_of(seconds: i64) -> Date {
    Date::of_second(seconds.clamp(FIRST, LAST))
}

/// The first day of the month that is so many months later.
pub(crate) fn months_later(date: Date, months: i64) -> Date {
    let number = date.year * 12 + date.month - 1 + months;
    Date { year: number.div_euclid(12), month: number.rem_euclid(12) + 1, day: 1 }
}

/// `2027-01-31`.
pub(crate) fn date_text(Date { year, month, day }: Date) -> String {
    format!("{year:04}-{month:02}-{day:02}")
}

/// `Jan`.
pub(crate) fn month_name(date: Date) -> &'static str {
    const NAMES: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    usize::try_from(date.month - 1).ok().and_then(|at| NAMES.get(at)).copied().unwrap_or("")
}

/// `2027-01-31 08:15 UTC`.
pub(crate) fn time_text(seconds: i64) -> String {
    let seconds = seconds.clamp(FIRST, LAST);
    let minutes = seconds.rem_euclid(DAY) / 60;
    format!("{} {:02}:{:02} UTC", date_text(date_of(seconds)), minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_days_have_their_dates() {
        for (seconds, text) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (951_782_400, "2000-02-29"),
            (1_709_164_800, "2024-02-29"),
            (4_107_542_400, "2100-03-01"),
            (i64::MAX, "9999-12-31"),
            (i64::MIN, "0000-01-01"),
        ] {
            assert_eq!(date_text(date_of(seconds)), text);
        }
        assert_eq!(time_text(1_709_196_300), "2024-02-29 08:45 UTC");
    }

    #[test]
    fn months_add_up() {
        let date = Date { year: 2026, month: 11, day: 17 };
        assert_eq!(date_text(months_later(date, 3)), "2027-02-01");
        assert_eq!(date_text(months_later(date, -11)), "2025-12-01");
        assert_eq!(month_name(date), "Nov");
    }
}
