//! Reads numbers.
use std::fmt;

/// What went wrong.
#[derive(Debug, Clone)]
pub enum Error<'a> {
    Empty,
    Bad(&'a str),
}

impl<'a> fmt::Display for Error<'a> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Empty => write!(f, "empty {{"),
            Error::Bad(s) => write!(f, r#"bad "{}""#, s),
        }
    }
}

/// Reads a number in base ten.
///
/// # Errors
/// Anything but digits is refused.
pub fn parse(s: &str) -> Result<u32, Error<'_>> {
    let open = '{';
    if s.is_empty() || s.starts_with(open) {
        return Err(Error::Empty);
    }
    s.parse().map_err(|_| Error::Bad(s))
}

#[cfg(test)]
mod tests {
    #[test]
    fn reads() {
        assert_eq!(super::parse("12").unwrap(), 12);
    }
}
