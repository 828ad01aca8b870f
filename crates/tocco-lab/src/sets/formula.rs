// SPDX-License-Identifier: MIT OR Apache-2.0
//! Formulas of a design: `q / (pi * pitch_hz)`. Numbers, names, `+ - * / ^`, parentheses, `pi` and a few functions.
//!
//! `^` binds before a leading minus and to the right, as on paper: `-2^2` is -4, `2^3^2` is 512. Functions are the
//! engine's own, so a formula gives the same digits on every machine.

use tocco::math;
use tocco::scene::error::nearest;
use tocco::scene::tree::clip;

/// Deepest nesting; bounds the stack.
const MAX_DEPTH: usize = 64;
/// Longest formula: a sum of many terms is a deep tree too.
const MAX_TEXT: usize = 2000;
type Function = (&'static str, fn(f64) -> f64);
const FUNCTIONS: [Function; 9] = [
    ("sqrt", f64::sqrt),
    ("exp", math::exp),
    ("ln", math::ln),
    ("log10", math::log10),
    ("sin", math::sin),
    ("cos", math::cos),
    ("tan", math::tan),
    ("abs", f64::abs),
    ("round", f64::round),
];

/// A formula whose names are places in a list of values.
#[derive(Clone, Debug, PartialEq)]
pub enum Formula {
    /// A number.
    Number(f64),
    /// The value at this place.
    Name(usize),
    /// Function by place in the table.
    Call(usize, Box<Formula>),
    /// Operator between two.
    Two(char, Box<[Formula; 2]>),
}

impl Formula {
    /// Reads a formula over `names`; the error says what is wrong with it.
    pub fn parse(text: &str, names: &[&str]) -> Result<Self, String> {
        if text.len() > MAX_TEXT {
            return Err(format!("longer than {MAX_TEXT} characters; divide it among [derived]"));
        }
        let mut parser = Parser { text, at: 0, names };
        let formula = parser.sum(0)?;
        match parser.peek() {
            None => Ok(formula),
            Some(c) => Err(format!("'{c}' where an operator should be in '{}'", clip(text))),
        }
    }

    /// Its value.
    pub fn of(&self, values: &[f64]) -> f64 {
        match self {
            Self::Number(number) => *number,
            Self::Name(place) => values.get(*place).copied().unwrap_or(f64::NAN),
            Self::Call(function, inner) => FUNCTIONS[*function].1(inner.of(values)),
            Self::Two(operator, sides) => {
                let [a, b] = [sides[0].of(values), sides[1].of(values)];
                match operator {
                    '+' => a + b,
                    '-' => a - b,
                    '*' => a * b,
                    '/' => a / b,
                    '<' => a.min(b),
                    '>' => a.max(b),
                    // A square is a product, to the last digit.
                    _ if b == 2.0 => a * a,
                    _ => math::pow(a, b),
                }
            }
        }
    }

    /// True if it reads the value at this place.
    pub fn reads(&self, place: usize) -> bool {
        match self {
            Self::Number(_) => false,
            Self::Name(name) => *name == place,
            Self::Call(_, inner) => inner.reads(place),
            Self::Two(_, sides) => sides.iter().any(|side| side.reads(place)),
        }
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    names: &'t [&'t str],
}

impl Parser<'_> {
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        let blank = rest.len() - rest.trim_start().len();
        self.at += blank;
        rest.trim_start().chars().next()
    }

    fn eat(&mut self, wanted: &[char]) -> Option<char> {
        let found = self.peek().filter(|c| wanted.contains(c))?;
        self.at += found.len_utf8();
        Some(found)
    }

    fn two(operator: char, a: Formula, b: Formula) -> Formula {
        Formula::Two(operator, Box::new([a, b]))
    }

    fn sum(&mut self, depth: usize) -> Result<Formula, String> {
        let mut left = self.product(depth)?;
        while let Some(operator) = self.eat(&['+', '-']) {
            left = Self::two(operator, left, self.product(depth)?);
        }
        Ok(left)
    }

    fn product(&mut self, depth: usize) -> Result<Formula, String> {
        let mut left = self.signed(depth)?;
        while let Some(operator) = self.eat(&['*', '/']) {
            left = Self::two(operator, left, self.signed(depth)?);
        }
        Ok(left)
    }

    fn signed(&mut self, depth: usize) -> Result<Formula, String> {
        if depth > MAX_DEPTH {
            return Err(format!("nested deeper than {MAX_DEPTH}"));
        }
        if self.eat(&['-']).is_some() {
            return Ok(Self::two('-', Formula::Number(0.0), self.signed(depth + 1)?));
        }
        let base = self.atom(depth)?;
        if self.eat(&['^']).is_some() {
            return Ok(Self::two('^', base, self.signed(depth + 1)?));
        }
        Ok(base)
    }

    fn close(&mut self) -> Result<(), String> {
        self.eat(&[')']).map(|_| ()).ok_or_else(|| format!("a ')' is missing in '{}'", clip(self.text)))
    }

    fn atom(&mut self, depth: usize) -> Result<Formula, String> {
        if self.eat(&['(']).is_some() {
            let inner = self.sum(depth + 1)?;
            self.close()?;
            return Ok(inner);
        }
        let first = self.peek().ok_or_else(|| format!("'{}' ends where a value should be", clip(self.text)))?;
        let rest = &self.text[self.at..];
        if first.is_ascii_digit() || first == '.' {
            let mut end = 0;
            for (i, c) in rest.char_indices() {
                let exponent = matches!(c, '+' | '-') && rest[..i].ends_with(['e', 'E']);
                if !(c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E') || exponent) {
                    break;
                }
                end = i + c.len_utf8();
            }
            let number = rest[..end].parse().map_err(|_| format!("'{}' is not a number", clip(&rest[..end])))?;
            self.at += end;
            return Ok(Formula::Number(number));
        }
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let word = &rest[..end];
        if word.is_empty() {
            return Err(format!("'{first}' where a value should be in '{}'", clip(self.text)));
        }
        self.at += end;
        if let Some(place) = self.names.iter().position(|name| *name == word) {
            return Ok(Formula::Name(place));
        }
        let called = self.eat(&['(']).is_some();
        if let Some(operator) = [("min", '<'), ("max", '>')].iter().find(|(name, _)| called && *name == word) {
            let a = self.sum(depth + 1)?;
            if self.eat(&[',']).is_none() {
                return Err(format!("{word} takes two values: {word}(a, b)"));
            }
            let b = self.sum(depth + 1)?;
            self.close()?;
            return Ok(Self::two(operator.1, a, b));
        }
        if let Some(function) = FUNCTIONS.iter().position(|(name, _)| called && *name == word) {
            let inner = self.sum(depth + 1)?;
            self.close()?;
            return Ok(Formula::Call(function, Box::new(inner)));
        }
        if word == "pi" && !called {
            return Ok(Formula::Number(std::f64::consts::PI));
        }
        let functions = FUNCTIONS.iter().map(|(name, _)| *name).chain(["min", "max"]);
        let known: Vec<&str> =
            if called { functions.collect() } else { self.names.iter().copied().chain(["pi"]).collect() };
        Err(format!("unknown {} '{}'{}", if called { "function" } else { "name" }, clip(word), nearest(word, known)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_mean_what_they_mean_on_paper() {
        let value = |text: &str| Formula::parse(text, &["q", "f"]).unwrap().of(&[50.0, 1000.0]);
        for (text, expected) in [
            ("1 + 2 * 3", 7.0),
            ("(1+2)*3", 9.0),
            ("-2^2", -4.0),
            ("2^3^2", 512.0),
            ("2^-1", 0.5),
            ("8/2/2", 2.0),
            ("5 - 3 - 1", 1.0),
            ("1.5e3 + 1E-1", 1500.1),
            ("sqrt(16) + abs(-1)", 5.0),
            ("min(q, 3) + max(f, 2)", 1003.0),
            ("log10(f)", 3.0),
        ] {
            assert!((value(text) - expected).abs() < 1e-12 * expected.abs(), "{text} = {}", value(text));
        }
        assert!((value("q / (pi * f)") - 50.0 / (std::f64::consts::PI * 1000.0)).abs() < 1e-15);
        assert!(Formula::parse("2*q", &["q", "f"]).unwrap().reads(0));
    }

    #[test]
    fn what_is_no_formula_is_answered_in_words() {
        for (text, words) in [
            ("", "ends where"),
            ("1 +", "ends where"),
            ("(1", "')' is missing"),
            ("1 2", "where an operator should be"),
            ("1.2.3", "not a number"),
            ("picth", "did you mean 'pitch'?"),
            ("sqr(4)", "did you mean 'sqrt'?"),
            ("min(1)", "takes two"),
            ("2 $ 3", "where an operator"),
            ("é", "unknown name"),
        ] {
            let error = Formula::parse(text, &["pitch"]).unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
        assert!(Formula::parse(&"(".repeat(1000), &[]).unwrap_err().contains("nested"));
        assert!(Formula::parse(&"1+".repeat(50_000), &[]).unwrap_err().contains("longer"));
        assert!(Formula::parse(&"-".repeat(1000), &[]).unwrap_err().contains("nested"));
    }
}
