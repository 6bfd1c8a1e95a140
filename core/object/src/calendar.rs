//! `Date`: days of the proleptic Gregorian calendar, from and to days since 1970.

/// Seconds of a day.
pub const DAY: i64 = 86_400;

/// Days from 0000-03-01 to 1970-01-01. Years are counted from March, so that a leap day is their last.
const BEFORE_1970: i64 = 719_468;

/// Days of 400 years.
const ERA: i64 = 146_097;

/// Year, month and day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    /// The year; 0 is the one before 1.
    pub year: i64,
    /// The month, from 1.
    pub month: i64,
    /// The day of the month, from 1.
    pub day: i64,
}

impl Date {
    /// The date of a day, counted from 1970-01-01.
    ///
    /// ```
    /// use ratchet_object::calendar::Date;
    ///
    /// let leap_day = Date { year: 2024, month: 2, day: 29 };
    /// assert_eq!(Date::of_day(19_782), leap_day);
    /// assert_eq!(leap_day.day_number(), 19_782);
    /// ```
    #[must_use]
    pub fn of_day(days: i64) -> Self {
        let days = days.saturating_add(BEFORE_1970);
        let (era, of_era) = (days.div_euclid(ERA), days.rem_euclid(ERA));
        let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let from_march = (5 * of_year + 2) / 153;
        let day = of_year - (153 * from_march + 2) / 5 + 1;
        let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
        Self { year: year + era * 400 + i64::from(month <= 2), month, day }
    }

    /// The date of a second, counted from 1970-01-01T00:00:00Z.
    #[must_use]
    pub fn of_second(seconds: i64) -> Self {
        Self::of_day(seconds.div_euclid(DAY))
    }

    /// The days from 1970-01-01 to the date.
    #[must_use]
    pub fn day_number(self) -> i64 {
        let year = self.year - i64::from(self.month <= 2);
        let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
        let of_year = (153 * ((self.month + 9) % 12) + 2) / 5 + self.day - 1;
        era * ERA + of_era * 365 + of_era / 4 - of_era / 100 + of_year - BEFORE_1970
    }

    /// Whether there is such a month, and such a day in it.
    #[must_use]
    pub fn is_valid(self) -> bool {
        (1..=12).contains(&self.month) && (1..=days_in(self.year, self.month)).contains(&self.day)
    }
}

fn days_in(year: i64, month: i64) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_follows_the_one_before() {
        let mut date = Date { year: -400, month: 3, day: 1 };
        let mut number = date.day_number();
        while date.year < 2401 {
            assert!(date.is_valid(), "{date:?}");
            assert_eq!((Date::of_day(number), date.day_number()), (date, number));
            let next = [
                Date { day: date.day + 1, ..date },
                Date { month: date.month + 1, day: 1, ..date },
                Date { year: date.year + 1, month: 1, day: 1 },
            ];
            date = next.into_iter().find(|date| date.is_valid()).unwrap();
            number += 1;
        }
    }

    #[test]
    fn known_days_have_their_numbers() {
        for (year, month, day, number) in
            [(1970, 1, 1, 0), (1969, 12, 31, -1), (2000, 2, 29, 11_016), (9999, 12, 31, 2_932_896)]
        {
            assert_eq!(Date { year, month, day }.day_number(), number);
        }
        assert!(!Date { year: 2100, month: 2, day: 29 }.is_valid());
        assert!(!Date { year: 2000, month: 13, day: 1 }.is_valid());
    }
}
