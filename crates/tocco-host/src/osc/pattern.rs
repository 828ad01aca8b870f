// SPDX-License-Identifier: MIT OR Apache-2.0
//! Address patterns as the OSC 1.0 text has them, part by part between the slashes: `?` one character, `*` any number,
//! `[a-z]` one of these, `[!a-z]` one that is not, `{foo,bar}` one of these words; anything else is itself.
//!
//! A part is matched by keeping the set of places that can be reached, so the time is at most the product of both
//! lengths, whatever the pattern.

use std::ops::RangeInclusive;

/// True if an address is a pattern.
pub fn is_pattern(address: &str) -> bool {
    address.contains(['?', '*', '[', '{'])
}

/// A pattern, read.
#[derive(Clone, Debug)]
pub struct Pattern(Vec<Vec<Token>>);

#[derive(Clone, Debug)]
enum Token {
    Itself(char),
    One,
    Any,
    Class { inside: bool, ranges: Vec<RangeInclusive<char>> },
    Words(Vec<Vec<char>>),
}

impl Pattern {
    /// Reads a pattern; a leading slash may be there.
    pub fn new(text: &str) -> Result<Self, String> {
        text.strip_prefix('/').unwrap_or(text).split('/').map(part).collect::<Result<_, _>>().map(Self)
    }

    /// True if the whole address is meant.
    pub fn matches(&self, address: &str) -> bool {
        let mut parts = address.strip_prefix('/').unwrap_or(address).split('/');
        self.0.iter().all(|tokens| parts.next().is_some_and(|part| fits(tokens, part))) && parts.next().is_none()
    }
}

fn part(text: &str) -> Result<Vec<Token>, String> {
    let chars: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let open = chars[at];
        at += 1;
        let close = match open {
            '?' | '*' => {
                tokens.push(if open == '?' { Token::One } else { Token::Any });
                continue;
            }
            '[' => ']',
            '{' => '}',
            other => {
                tokens.push(Token::Itself(other));
                continue;
            }
        };
        let Some(length) = chars[at..].iter().position(|c| *c == close) else {
            return Err(format!("'{open}' without '{close}' in one part of the address"));
        };
        let inner = &chars[at..at + length];
        at += length + 1;
        tokens.push(match open {
            '[' => class(inner),
            _ => Token::Words(inner.split(|c| *c == ',').map(<[char]>::to_vec).collect()),
        });
    }
    Ok(tokens)
}

/// A minus is a range between two characters only; an exclamation mark is special in front only.
fn class(inner: &[char]) -> Token {
    let (inside, mut rest) = match inner {
        ['!', rest @ ..] => (false, rest),
        all => (true, all),
    };
    let mut ranges = Vec::new();
    loop {
        rest = match rest {
            [] => return Token::Class { inside, ranges },
            [low, '-', high, rest @ ..] => {
                ranges.push(*low..=*high);
                rest
            }
            [one, rest @ ..] => {
                ranges.push(*one..=*one);
                rest
            }
        };
    }
}

fn fits(tokens: &[Token], text: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    let mut here = vec![false; text.len() + 1];
    here[0] = true;
    for token in tokens {
        let mut there = vec![false; text.len() + 1];
        for at in (0..=text.len()).filter(|at| here[*at]) {
            let next = text.get(at);
            let one = match token {
                Token::Any => {
                    there[at..].fill(true);
                    break;
                }
                Token::Words(words) => {
                    words.iter().filter(|w| text[at..].starts_with(w)).for_each(|w| there[at + w.len()] = true);
                    continue;
                }
                Token::One => next.is_some(),
                Token::Itself(c) => next == Some(c),
                Token::Class { inside, ranges } => {
                    next.is_some_and(|c| ranges.iter().any(|range| range.contains(c)) == *inside)
                }
            };
            if one {
                there[at + 1] = true;
            }
        }
        here = there;
    }
    here[text.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use tocco::rng::Rng;

    #[test]
    fn patterns_mean_what_the_text_says() {
        let yes = [
            ("/hit/stiffness", "/hit/stiffness"),
            ("/hit?/stiff*", "/hit2/stiffness"),
            ("/*/*", "/a/b"),
            ("/*", "/"),
            ("/{hit,rub}/mass", "/rub/mass"),
            ("/{hit,}x", "/x"),
            ("/h[a-i]t", "/hit"),
            ("/h[!a-h]t", "/hit"),
            ("/h[x-]t", "/h-t"),
            ("/h[a!]t", "/h!t"),
            ("/*a*b*", "/xxaxxbxx"),
        ];
        let no = [
            ("/hit", "/hit/stiffness"),
            ("/*", "/hit/stiffness"),
            ("/hit/*", "/hit"),
            ("/hit?", "/hit"),
            ("/h[!i]t", "/hit"),
            ("/h[z-a]t", "/hit"),
            ("/{hit,rub}/mass", "/hitrub/mass"),
            ("/*a*b", "/xxaxx"),
        ];
        for (pattern, address) in yes {
            assert!(Pattern::new(pattern).unwrap().matches(address), "{pattern} {address}");
        }
        for (pattern, address) in no {
            assert!(!Pattern::new(pattern).unwrap().matches(address), "{pattern} {address}");
        }
        for broken in ["/a[b", "/a{b,c", "/{a/b}", "/[a/b]"] {
            assert!(Pattern::new(broken).is_err(), "{broken}");
        }
    }

    #[test]
    fn a_pattern_made_to_explode_is_answered_at_once() {
        let pattern = Pattern::new(&"*a{,a}".repeat(60)).unwrap();
        let started = std::time::Instant::now();
        assert!(!pattern.matches(&format!("{}b", "a".repeat(250))));
        assert!(started.elapsed().as_secs_f64() < 0.5, "{:?}", started.elapsed());
    }

    #[cfg(unix)]
    mod by_the_c_library {
        use super::*;
        use std::ffi::{CString, c_char, c_int};

        unsafe extern "C" {
            fn fnmatch(pattern: *const c_char, text: *const c_char, flags: c_int) -> c_int;
        }

        /// File name patterns are the same but for braces, which are written out first.
        fn theirs(pattern: &str, text: &str) -> bool {
            if let Some((before, rest)) = pattern.split_once('{') {
                let (words, after) = rest.split_once('}').unwrap();
                return words.split(',').any(|word| theirs(&format!("{before}{word}{after}"), text));
            }
            let (pattern, text) = (CString::new(pattern).unwrap(), CString::new(text).unwrap());
            // SAFETY: both are strings that end with a zero and live through the call.
            unsafe { fnmatch(pattern.as_ptr(), text.as_ptr(), 0) == 0 }
        }

        #[test]
        fn a_hundred_thousand_random_patterns_match_what_fnmatch_matches() {
            let mut rng = Rng::new(7, "patterns");
            let pieces =
                ["a", "b", "c", "?", "*", "[ab]", "[!b]", "[a-b]", "[b-]", "[!a-b]", "{ab,c}", "{a,,bc}", "{c}"];
            let mut matched = 0;
            for _ in 0..100_000 {
                let mut draw = |most: u64, from: &[&str]| -> String {
                    let count = rng.bits() % most;
                    (0..count).map(|_| from[rng.bits() as usize % from.len()]).collect()
                };
                let (pattern, text) = (draw(6, &pieces), draw(7, &["a", "b", "c", "-"]));
                let ours = Pattern::new(&pattern).unwrap().matches(&text);
                assert_eq!(ours, theirs(&pattern, &text), "'{pattern}' '{text}'");
                matched += u32::from(ours);
            }
            assert!(matched > 5_000, "{matched}");
        }
    }
}
