// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ranges as they are typed, for whatever goes over values: `PATH=low..high[,COUNT][,log]` or `PATH=a,b,...`. No shell takes a
//! letter of it for itself.

use crate::error::{Error, Result};

/// Values along a range unless it says how many.
pub const COUNT: usize = 24;
/// How a range is written, for help and messages.
pub const FORM: &str =
    "PATH=low..high, with ,COUNT and ,log if you like, or PATH=a,b,...: rub/normal_force_n=0.1..4,32,log";

/// A path and where it goes.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// A live path, or a control's name.
    pub path: String,
    /// Its values.
    pub values: Values,
}

/// Values by their ends, or one by one.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// From `low` to `high`, at equal steps or, with `log`, at equal ratios.
    Spaced {
        /// First.
        low: f64,
        /// Last.
        high: f64,
        /// How many, at least 1.
        count: usize,
        /// Equal ratios.
        log: bool,
    },
    /// As they were written.
    Listed(Vec<f64>),
}

impl Range {
    /// Reads a range; `option` is its name in messages, `most` the count beyond which it is a mistake. The forms `log(low,high,count)`,
    /// `lin(low,high,count)` and `list(a,b,...)` of earlier versions are read, too.
    pub fn parse(option: &str, text: &str, most: usize) -> Result<Self> {
        let wrong = |what: String| Error::BadInput(format!("{option} {text}: {what}; write {FORM}"));
        let (path, range) = text.split_once('=').ok_or_else(|| wrong("no '='".into()))?;
        let path = path.trim().trim_start_matches('/').to_owned();
        let values = Values::parse(range.trim(), most).map_err(wrong)?;
        Ok(Self { path, values })
    }
}

impl Values {
    fn parse(text: &str, most: usize) -> std::result::Result<Self, String> {
        let number = |word: &str| match word.trim().parse::<f64>() {
            Ok(x) if x.is_finite() => Ok(x),
            _ => Err(format!("'{}' is not a number", word.trim())),
        };
        let whole = |word: &str| match number(word) {
            Ok(x) if x.fract() == 0.0 && (1.0..=most as f64).contains(&x) => Ok(x as usize),
            Ok(_) => Err(format!("the count must be a whole number from 1 to {most}")),
            Err(_) => Err(format!("'{}' is neither a count nor log", word.trim())),
        };
        let list = |words: &str| words.split(',').map(number).collect::<std::result::Result<Vec<f64>, _>>();
        let (low, high, count, log) = if let Some((law, rest)) = text.split_once('(') {
            let inside = rest.strip_suffix(')').ok_or("no ')' at the end")?;
            let words: Vec<&str> = inside.split(',').collect();
            match (law.trim(), words.as_slice()) {
                ("list", _) => return Ok(Self::Listed(list(inside)?)),
                ("log" | "lin", [low, high, count]) => {
                    (number(low)?, number(high)?, whole(count)?, law.trim() == "log")
                }
                ("log" | "lin", _) => return Err("three numbers are needed: low, high, count".into()),
                _ => return Err(format!("unknown range '{}'", law.trim())),
            }
        } else if let Some((low, rest)) = text.split_once("..") {
            let mut words = rest.split(',');
            let (low, high) = (number(low)?, number(words.next().unwrap_or_default())?);
            let (mut count, mut log) = (COUNT, false);
            for word in words {
                match word.trim() {
                    "log" => log = true,
                    word => count = whole(word)?,
                }
            }
            (low, high, count, log)
        } else {
            return Ok(Self::Listed(list(text)?));
        };
        if log && (low <= 0.0 || high <= 0.0) {
            return Err("log needs positive ends".into());
        }
        Ok(Self::Spaced { low, high, count, log })
    }

    /// All of them, in order.
    pub fn all(&self) -> Vec<f64> {
        match self {
            Self::Spaced { low, high, count, log } => spaced(*low, *high, *count, *log),
            Self::Listed(values) => values.clone(),
        }
    }
}

/// `count` values from `low` to `high` at equal steps, or at equal ratios. The ends are what was written, to the last digit.
pub fn spaced(low: f64, high: f64, count: usize, log: bool) -> Vec<f64> {
    use tocco::math::{exp, ln};
    let place = |i: usize| i as f64 / (count - 1) as f64;
    let at = |i: usize| match i {
        0 => low,
        i if i + 1 == count => high,
        i if log => exp(ln(low) + (ln(high) - ln(low)) * place(i)),
        i => low + (high - low) * place(i),
    };
    (0..count).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_in_one_form_and_in_those_of_earlier_versions() {
        let all = |text: &str| Range::parse("--over", text, 1000).unwrap().values.all();
        assert_eq!(all("/a/b=0..1,3"), [0.0, 0.5, 1.0]);
        assert_eq!(all("a/b=lin(0, 1, 3)"), all("a/b=0..1,3"));
        assert_eq!(all("a/b=1e5..1e9,log,5"), all("a/b=log(1e5,1e9,5)"));
        assert_eq!(all("a=3,1,2"), [3.0, 1.0, 2.0]);
        assert_eq!(all("a=list(3,1,2)"), all("a=3, 1, 2"));
        assert_eq!((all("a=-2"), all("a=2..9,1"), all("a=5..1,2")), (vec![-2.0], vec![2.0], vec![5.0, 1.0]));
        assert_eq!(all("a=-1..1").len(), COUNT);
        assert_eq!(Range::parse("--x", "/a/b=1..2", 9).unwrap().path, "a/b");
        let middle = all("a=1e5..1e9,5,log")[2];
        assert!((middle - 1e7).abs() < 1.0);
        for (text, words) in [
            ("a", "no '='"),
            ("a=", "'' is not a number"),
            ("a=log(1,2", "no ')'"),
            ("a=0..1,3,log", "positive ends"),
            ("a=log(0,1,3)", "positive ends"),
            ("a=lin(1,2)", "three numbers"),
            ("a=1..2,2.5", "whole number from 1 to 1000"),
            ("a=1..2,1001", "whole number from 1 to 1000"),
            ("a=1..nan", "'nan' is not a number"),
            ("a=1..2,often", "neither a count nor log"),
            ("a=..2", "'' is not a number"),
            ("a=list()", "'' is not a number"),
            ("a=exp(1,2,3)", "unknown range 'exp'"),
        ] {
            let error = Range::parse("--over", text, 1000).unwrap_err().to_string();
            assert!(error.contains(words) && error.contains("PATH=low..high"), "{text}: {error}");
        }
    }
}
