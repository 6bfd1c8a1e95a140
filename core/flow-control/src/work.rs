//! How many seats a request takes: one, more if it reads much, and more after it if many watch what it writes.

use core::time::Duration;

/// The most seats that a list takes, if it is measured by the bytes that it reads.
pub const MAX_LIST_SEATS: u32 = 100;

/// The most seats that a write takes, and a list that is measured by the number of objects.
pub const MAX_SEATS: u32 = 10;

/// How many objects make one seat.
const OBJECTS_PER_SEAT: u64 = 100;
/// How many bytes make one seat.
const BYTES_PER_SEAT: u64 = 100_000;
/// What a list that is written as it is read holds in memory at most.
const STREAMED_BYTES: u64 = 1_000_000;
/// What an object of unknown size is taken for: the largest that etcd takes.
const LARGEST_OBJECT: u64 = 1_500_000;
/// How many watches make one seat.
const WATCHES_PER_SEAT: u64 = 10;
/// How long a watch needs for an event.
const EVENT_TIME: Duration = Duration::from_millis(5);

/// The work of a list, or of a watch that begins with one.
#[derive(Clone, Copy, Debug)]
pub struct ListWork {
    /// The number of stored objects of the resource.
    pub objects: u64,
    /// The bytes that they have together.
    pub bytes: u64,
    /// The `limit` of the request; zero means none.
    pub limit: u64,
    /// Whether it selects by labels or fields.
    pub is_selective: bool,
    /// Whether it is about one object by name.
    pub is_single: bool,
    /// Whether it is read from the cache, as what is new is.
    pub is_cached: bool,
}

impl ListWork {
    /// The seats that it takes by the bytes that it reads, at most `most`.
    pub fn seats(&self, most: u32) -> u32 {
        let average = match self.bytes.checked_div(self.objects) {
            Some(0) => LARGEST_OBJECT,
            average => average.unwrap_or_default(),
        };
        let limited = self.limited();
        let objects = match self {
            Self { is_single: true, .. } => 1,
            Self { is_cached: false, is_selective: true, .. } => limited.max(self.objects / 2),
            _ => limited,
        };
        let bytes = objects.saturating_mul(average);
        let held = if self.is_cached { bytes.min(STREAMED_BYTES) } else { bytes };
        clamp(held.div_ceil(BYTES_PER_SEAT), most.min(MAX_LIST_SEATS))
    }

    /// The seats that it takes by the number of objects, at most `most`.
    pub fn seats_by_count(&self, most: u32) -> u32 {
        let objects = match self {
            Self { is_single: true, .. } => 1,
            Self { is_cached: true, .. } => self.objects,
            Self { is_selective: true, .. } => self.objects.saturating_add(self.limited()),
            _ => self.limited().saturating_mul(2),
        };
        clamp(objects.div_ceil(OBJECTS_PER_SEAT), most.min(MAX_SEATS))
    }

    fn limited(&self) -> u64 {
        match self.limit {
            0 => self.objects,
            limit => self.objects.min(limit),
        }
    }
}

fn clamp(seats: u64, most: u32) -> u32 {
    u32::try_from(seats).unwrap_or(u32::MAX).clamp(1, most.max(1))
}

/// The seats of a request, and how long it keeps them after it has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// The seats that it takes.
    pub seats: u32,
    /// How long others have work with what it did.
    pub lingers: Duration,
}

impl Work {
    /// One seat, until the request ends.
    pub const ONE: Self = Self::of(1);

    /// So many seats, until the request ends.
    pub const fn of(seats: u32) -> Self {
        Self { seats, lingers: Duration::ZERO }
    }

    /// The work of a write that so many watches are told of, in at most `most` seats: what does not fit into them takes
    /// longer.
    pub fn of_write(watches: usize, most: u32) -> Self {
        let watches = u64::try_from(watches).unwrap_or(u64::MAX);
        if watches < WATCHES_PER_SEAT {
            return Self::ONE;
        }
        let wanted = u32::try_from(watches.div_ceil(WATCHES_PER_SEAT)).unwrap_or(u32::MAX);
        let seats = wanted.min(most.clamp(1, MAX_SEATS));
        Self { seats, lingers: EVENT_TIME.saturating_mul(wanted) / seats }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: ListWork = ListWork {
        objects: 0,
        bytes: 0,
        limit: 0,
        is_selective: false,
        is_single: false,
        is_cached: true,
    };

    #[test]
    fn a_hundred_thousand_bytes_make_a_seat() {
        let seats = |objects, bytes| ListWork { objects, bytes, ..LIST }.seats(MAX_LIST_SEATS);
        assert_eq!([seats(0, 0), seats(100, 100_000), seats(100, 100_100)], [1, 1, 2]);
        assert_eq!(seats(1_000_000, 10_000_000_000), 10, "what is streamed is not held");
        assert_eq!(seats(7, 3), 10, "objects of unknown size are large");
        let stored = ListWork { objects: 5000, bytes: 5_000_000, is_cached: false, ..LIST };
        assert_eq!(stored.seats(MAX_LIST_SEATS), 50);
        assert_eq!(stored.seats(4), 4, "the level is small");
        assert_eq!(stored.seats(0), 1);
        assert_eq!(ListWork { limit: 500, ..stored }.seats(MAX_LIST_SEATS), 5);
        let selective = ListWork { limit: 500, is_selective: true, ..stored };
        assert_eq!(selective.seats(MAX_LIST_SEATS), 25, "half of all is looked at");
        assert_eq!(ListWork { is_cached: true, ..selective }.seats(MAX_LIST_SEATS), 5);
        assert_eq!(ListWork { is_single: true, ..stored }.seats(MAX_LIST_SEATS), 1);
        let large = ListWork { bytes: 5_000_000_000, ..stored };
        assert_eq!(large.seats(u32::MAX), MAX_LIST_SEATS);
    }

    #[test]
    fn a_hundred_objects_make_a_seat_if_nobody_looks_at_their_size() {
        let seats = |objects| ListWork { objects, ..LIST }.seats_by_count(MAX_SEATS);
        assert_eq!([seats(0), seats(100), seats(101), seats(100_000)], [1, 1, 2, 10]);
        let stored = ListWork { objects: 400, limit: 150, is_cached: false, ..LIST };
        assert_eq!(stored.seats_by_count(MAX_SEATS), 3);
        assert_eq!(ListWork { is_selective: true, ..stored }.seats_by_count(MAX_SEATS), 6);
        assert_eq!(ListWork { is_cached: true, ..stored }.seats_by_count(MAX_SEATS), 4);
        assert_eq!(ListWork { is_single: true, ..stored }.seats_by_count(MAX_SEATS), 1);
    }

    #[test]
    fn ten_watches_keep_a_seat_for_five_milliseconds() {
        assert_eq!(Work::of_write(9, MAX_SEATS), Work::ONE);
        let five = Duration::from_millis(5);
        assert_eq!(Work::of_write(10, MAX_SEATS), Work { seats: 1, lingers: five });
        assert_eq!(Work::of_write(95, MAX_SEATS), Work { seats: 10, lingers: five });
        assert_eq!(Work::of_write(400, MAX_SEATS), Work { seats: 10, lingers: five * 4 });
        assert_eq!(Work::of_write(400, 4), Work { seats: 4, lingers: five * 10 });
        assert_eq!(Work::of_write(400, 0), Work { seats: 1, lingers: five * 40 });
    }
}
