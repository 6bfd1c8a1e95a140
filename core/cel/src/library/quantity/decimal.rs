//! Decimal numbers of arbitrary size, up to a limit.

use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// The most digits that are computed with.
pub(super) const MAX_DIGITS: usize = 4096;

/// Digits times a power of ten.
#[derive(Clone, Debug)]
pub(super) struct Decimal {
    pub(super) negative: bool,
    /// The most significant digit first, without leading zeros; empty for zero.
    digits: Vec<u8>,
    pub(super) exponent: i32,
}

impl Decimal {
    /// `None` if there are too many digits.
    pub(super) fn new(negative: bool, text: &[&str], exponent: i32) -> Option<Self> {
        let digits = text.iter().flat_map(|part| part.bytes());
        let digits = digits.map(|digit| digit.saturating_sub(b'0')).skip_while(|digit| *digit == 0);
        let digits: Vec<u8> = digits.take(MAX_DIGITS + 1).collect();
        (digits.len() <= MAX_DIGITS).then_some(Self { negative, digits, exponent })
    }

    pub(super) fn of(value: i64, exponent: i32) -> Self {
        let mut digits = Vec::new();
        let mut rest = value.unsigned_abs();
        while rest > 0 {
            digits.push((rest % 10) as u8);
            rest /= 10;
        }
        digits.reverse();
        Self { negative: value < 0, digits, exponent }
    }

    pub(super) fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    pub(super) fn sign(&self) -> i64 {
        match (self.is_zero(), self.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }

    /// Multiplies by an integer.
    pub(super) fn times(&mut self, factor: u64) {
        let mut carry = 0_u128;
        for digit in self.digits.iter_mut().rev() {
            carry += u128::from(*digit) * u128::from(factor);
            *digit = (carry % 10) as u8;
            carry /= 10;
        }
        let mut front = Vec::new();
        while carry > 0 {
            front.push((carry % 10) as u8);
            carry /= 10;
        }
        self.digits.splice(0..0, front.into_iter().rev());
    }

    /// Changes the exponent: lost digits are rounded away from zero. Too large a
    /// difference changes nothing.
    pub(super) fn round_up(&mut self, exponent: i32) {
        let Ok(lost) = usize::try_from(i64::from(exponent) - i64::from(self.exponent)) else {
            self.extend(exponent);
            return;
        };
        let keep = self.digits.len().saturating_sub(lost);
        let is_exact = self.digits.drain(keep..).all(|digit| digit == 0);
        // A number with fewer digits than are lost does not become zero.
        if !is_exact {
            self.increment();
        }
        self.exponent = exponent;
    }

    fn increment(&mut self) {
        for digit in self.digits.iter_mut().rev() {
            if *digit < 9 {
                *digit += 1;
                return;
            }
            *digit = 0;
        }
        self.digits.insert(0, 1);
    }

    /// Appends zeros until the exponent is `exponent`; `false` if they are too many.
    fn extend(&mut self, exponent: i32) -> bool {
        if self.is_zero() {
            self.exponent = exponent;
            return true;
        }
        let zeros = i64::from(self.exponent) - i64::from(exponent);
        match usize::try_from(zeros) {
            Ok(zeros) if self.digits.len() + zeros <= MAX_DIGITS => {
                self.digits.resize(self.digits.len() + zeros, 0);
                self.exponent = exponent;
                true
            }
            _ => false,
        }
    }

    /// The sum; `None` if it has too many digits.
    pub(super) fn plus(&self, other: &Self) -> Option<Self> {
        let exponent = self.exponent.min(other.exponent);
        let (mut a, mut b) = (self.clone(), other.clone());
        if !a.extend(exponent) || !b.extend(exponent) {
            return None;
        }
        if a.negative == b.negative {
            a.digits = sum(&a.digits, &b.digits);
        } else {
            if magnitude(&a.digits, &b.digits) == Ordering::Less {
                core::mem::swap(&mut a, &mut b);
            }
            a.digits = difference(&a.digits, &b.digits);
        }
        Some(a)
    }

    pub(super) fn compare(&self, other: &Self) -> Ordering {
        match self.sign().cmp(&other.sign()) {
            Ordering::Equal if self.negative => other.compare_size(self),
            Ordering::Equal => self.compare_size(other),
            order => order,
        }
    }

    fn compare_size(&self, other: &Self) -> Ordering {
        if self.is_zero() || other.is_zero() {
            return Ordering::Equal;
        }
        let height = |number: &Self| number.digits.len() as i64 + i64::from(number.exponent);
        let length = self.digits.len().max(other.digits.len());
        let padded = |number: &Self, at| number.digits.get(at).copied().unwrap_or(0);
        height(self).cmp(&height(other)).then_with(|| {
            (0..length)
                .map(|at| padded(self, at).cmp(&padded(other, at)))
                .find(|order| order.is_ne())
                .unwrap_or(Ordering::Equal)
        })
    }

    /// The digits alone as a floating point number.
    pub(super) fn mantissa(&self) -> f64 {
        let mut text = String::from(if self.sign() < 0 { "-" } else { "0" });
        text.extend(self.digits.iter().map(|digit| char::from(b'0' + digit)));
        text.parse().unwrap_or(0.0)
    }
}

fn magnitude(a: &[u8], b: &[u8]) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

fn sum(a: &[u8], b: &[u8]) -> Vec<u8> {
    let mut digits = Vec::with_capacity(a.len().max(b.len()) + 1);
    let (mut a, mut b) = (a.iter().rev(), b.iter().rev());
    let mut carry = 0;
    loop {
        match (a.next(), b.next()) {
            (None, None) => break,
            (x, y) => carry += x.unwrap_or(&0) + y.unwrap_or(&0),
        }
        digits.push(carry % 10);
        carry /= 10;
    }
    digits.push(carry);
    trimmed(digits)
}

/// `a` must not be smaller than `b`.
fn difference(a: &[u8], b: &[u8]) -> Vec<u8> {
    let mut b = b.iter().rev();
    let mut borrow = 0;
    let digits = a.iter().rev().map(|x| {
        let y = b.next().unwrap_or(&0) + borrow;
        borrow = u8::from(*x < y);
        x + 10 * borrow - y
    });
    trimmed(digits.collect())
}

/// Reverses digits to most significant first, without leading zeros.
fn trimmed(mut digits: Vec<u8>) -> Vec<u8> {
    while digits.last() == Some(&0) {
        digits.pop();
    }
    digits.reverse();
    digits
}
