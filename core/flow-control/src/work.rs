//! How many seats a request takes: one, or more if it reads many objects.

/// The most seats that a request takes.
pub const MAX_SEATS: u32 = 10;

/// How many objects make one seat.
const OBJECTS_PER_SEAT: usize = 100;

/// The work of a list, or of a watch that begins with one.
#[derive(Clone, Copy, Debug)]
pub struct ListWork {
    /// The number of stored objects of the resource.
    pub objects: usize,
    /// The `limit` of the request; zero means none.
    pub limit: usize,
    /// Whether it selects by labels or fields: then every object is looked at, whatever the limit.
    pub is_selective: bool,
    /// Whether it is about one object by name.
    pub is_single: bool,
}

impl ListWork {
    /// The seats that it takes, at most `most`.
    pub fn seats(&self, most: u32) -> u32 {
        let objects = match (self.is_single, self.limit) {
            (true, _) => 1,
            (false, 1..) if !self.is_selective => self.objects.min(self.limit),
            _ => self.objects,
        };
        let seats = u32::try_from(objects.div_ceil(OBJECTS_PER_SEAT)).unwrap_or(u32::MAX);
        seats.clamp(1, most.clamp(1, MAX_SEATS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_objects_make_a_seat() {
        let work = ListWork { objects: 0, limit: 0, is_selective: false, is_single: false };
        let seats = |objects: usize| ListWork { objects, ..work }.seats(MAX_SEATS);
        assert_eq!([seats(0), seats(100), seats(101), seats(100_000)], [1, 1, 2, 10]);
        let many = ListWork { objects: 5000, ..work };
        assert_eq!(many.seats(4), 4, "the level is small");
        assert_eq!(ListWork { limit: 250, ..many }.seats(MAX_SEATS), 3);
        assert_eq!(ListWork { limit: 250, is_selective: true, ..many }.seats(MAX_SEATS), 10);
        assert_eq!(ListWork { is_single: true, ..many }.seats(MAX_SEATS), 1);
    }
}
