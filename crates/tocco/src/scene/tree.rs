// SPDX-License-Identifier: MIT OR Apache-2.0
//! TOML and JSON as one small tree with line numbers.
//!
//! JSON is parsed here rather than by `serde_json` because a scene's errors must name the line of a value and must
//! refuse a key written twice; the tests hold it equal to `serde_json` on good and bad documents.

pub use super::error::clip;
use super::error::{SceneError, nearest};
pub use crate::units::plain;
use std::borrow::Cow;
use toml::de::{DeTable, DeValue};

/// Deepest nesting of tables and lists; a scene needs 6. Bounds the stack. (The TOML parser has its own limit, 80.)
const MAX_DEPTH: usize = 64;

/// A value and where it is written.
pub struct Value<'t> {
    /// Line, from 1.
    pub line: usize,
    /// What is written there.
    pub data: Data<'t>,
}

/// What a value is.
pub enum Data<'t> {
    /// JSON's null.
    Null,
    /// True or false.
    Flag(bool),
    /// A whole number.
    Whole(i128),
    /// Any other number.
    Number(f64),
    /// Text.
    Text(Cow<'t, str>),
    /// TOML's date or time; nothing here wants one.
    Date,
    /// A list.
    List(Vec<Value<'t>>),
    /// A table.
    Table(Vec<Entry<'t>>),
}

/// One key of a table; entries stand in the order of the text.
pub struct Entry<'t> {
    /// Its name.
    pub key: Cow<'t, str>,
    /// Line of the key, not of the value.
    pub line: usize,
    /// What it holds.
    pub value: Value<'t>,
}

impl Data<'_> {
    /// For messages: "text \"abc\"", "a list of 3".
    pub fn found(&self) -> String {
        match self {
            Self::Null => "null".into(),
            Self::Flag(flag) => flag.to_string(),
            Self::Whole(whole) => whole.to_string(),
            Self::Number(number) => plain(*number),
            Self::Text(text) => format!("the text \"{}\"", clip(text)),
            Self::Date => "a date".into(),
            Self::List(list) => format!("a list of {}", list.len()),
            Self::Table(_) => "a table".into(),
        }
    }
}

/// What [`patch`] writes.
#[derive(Clone, Debug, PartialEq)]
pub enum Patch {
    /// A number.
    Number(f64),
    /// Text, such as the name of a material.
    Text(String),
}

/// Writes a value at a place named as messages name places: `body.bar.modes[0].freq_hz`, `duration_s`. Everything on the
/// way must be there; only the last key may be new. The reader then judges it as if the file had said so.
pub fn patch(root: &mut Value<'_>, place: &str, value: &Patch) -> Result<(), SceneError> {
    let stop = |at: &str, line: usize, what: String| Err(SceneError { at: at.to_owned(), line: Some(line), what });
    let (mut here, mut rest, mut at) = (root, place, String::new());
    while !rest.is_empty() {
        let line = here.line;
        if let Some((index, tail)) = rest.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
            let Data::List(list) = &mut here.data else {
                return stop(&at, line, format!("is no list; '{place}' leads nowhere"));
            };
            let count = list.len();
            let Some(next) = index.parse().ok().and_then(|i: usize| list.get_mut(i)) else {
                return stop(&at, line, format!("has {count} entries, counted from 0; there is no [{}]", clip(index)));
            };
            (here, rest, at) = (next, tail, format!("{at}[{index}]"));
        } else {
            let rest_key = rest.strip_prefix('.').unwrap_or(rest);
            let (key, tail) = rest_key.split_at(rest_key.find(['.', '[']).unwrap_or(rest_key.len()));
            let Data::Table(table) = &mut here.data else {
                return stop(&at, line, format!("is no table; '{place}' leads nowhere"));
            };
            let found = table.iter().position(|entry| entry.key == key);
            let index = match found {
                Some(index) => index,
                None if tail.is_empty() && !key.is_empty() => {
                    table.push(Entry {
                        key: Cow::Owned(key.to_owned()),
                        line,
                        value: Value { line, data: Data::Null },
                    });
                    table.len() - 1
                }
                None => {
                    let near = nearest(key, table.iter().map(|entry| &*entry.key));
                    return stop(&at, line, format!("has no '{}'{near}", clip(key)));
                }
            };
            at = if at.is_empty() { key.to_owned() } else { format!("{at}.{key}") };
            (here, rest) = (&mut table[index].value, tail);
        }
    }
    here.data = match value {
        Patch::Number(number) if number.fract() == 0.0 && number.abs() < 1e15 => Data::Whole(*number as i128),
        Patch::Number(number) => Data::Number(*number),
        Patch::Text(text) => Data::Text(Cow::Owned(text.clone())),
    };
    Ok(())
}

fn fail(line: usize, what: impl Into<String>) -> SceneError {
    SceneError { at: String::new(), line: Some(line), what: what.into() }
}

/// Reads TOML, or JSON if the first non-blank character is `{`.
pub fn parse(text: &str) -> Result<Value<'_>, SceneError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with('{') { Json { text, at: 0, line: 1 }.document() } else { parse_toml(text) }
}

fn parse_toml(text: &str) -> Result<Value<'_>, SceneError> {
    let starts: Vec<usize> = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let line = |at: usize| starts.partition_point(|&start| start <= at);
    match DeTable::parse(text) {
        Ok(root) => Ok(Value { line: 1, data: from_toml_table(root.into_inner(), &line) }),
        Err(error) => {
            let what = format!("not TOML: {}", error.message().replace(['\n', '\r'], " "));
            Err(SceneError { at: String::new(), line: error.span().map(|span| line(span.start)), what })
        }
    }
}

fn from_toml_table<'t>(table: DeTable<'t>, line: &impl Fn(usize) -> usize) -> Data<'t> {
    // The parser sorts keys by name; their spans give back the order of the file.
    let mut entries: Vec<_> = table.into_iter().collect();
    crate::order::sort(&mut entries, |a, b| a.0.span().start.cmp(&b.0.span().start));
    let entry = |(key, value): (toml::Spanned<Cow<'t, str>>, toml::Spanned<DeValue<'t>>)| Entry {
        line: line(key.span().start),
        key: key.into_inner(),
        value: from_toml(value, line),
    };
    Data::Table(entries.into_iter().map(entry).collect())
}

fn from_toml<'t>(value: toml::Spanned<DeValue<'t>>, line: &impl Fn(usize) -> usize) -> Value<'t> {
    let at = line(value.span().start);
    let data = match value.into_inner() {
        DeValue::String(text) => Data::Text(text),
        DeValue::Integer(whole) => match i128::from_str_radix(whole.as_str(), whole.radix()) {
            Ok(whole) => Data::Whole(whole),
            Err(_) => Data::Number(whole.as_str().parse().unwrap_or(f64::INFINITY)),
        },
        DeValue::Float(number) => Data::Number(number.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(flag) => Data::Flag(flag),
        DeValue::Datetime(_) => Data::Date,
        DeValue::Array(list) => Data::List(list.into_iter().map(|value| from_toml(value, line)).collect()),
        DeValue::Table(table) => from_toml_table(table, line),
    };
    Value { line: at, data }
}

/// A JSON parser (RFC 8259) that knows its line and refuses a key written twice.
struct Json<'t> {
    text: &'t str,
    at: usize,
    line: usize,
}

impl<'t> Json<'t> {
    fn document(mut self) -> Result<Value<'t>, SceneError> {
        let value = self.value(0)?;
        match self.peek() {
            None => Ok(value),
            Some(_) => Err(self.unexpected("the end of the file")),
        }
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The next byte that is not blank.
    fn peek(&mut self) -> Option<u8> {
        while let Some(byte @ (b' ' | b'\t' | b'\r' | b'\n')) = self.byte() {
            self.line += usize::from(byte == b'\n');
            self.at += 1;
        }
        self.byte()
    }

    fn unexpected(&self, wanted: &str) -> SceneError {
        let found = match self.text[self.at..].chars().next() {
            Some(c) => format!("found '{}'", c.escape_debug()),
            None => "the file ends".into(),
        };
        fail(self.line, format!("not JSON: {found} where {wanted} should be"))
    }

    fn value(&mut self, depth: usize) -> Result<Value<'t>, SceneError> {
        if depth > MAX_DEPTH {
            return Err(fail(self.line, format!("not a scene: nested deeper than {MAX_DEPTH}")));
        }
        let first = self.peek();
        let line = self.line;
        let data = match first {
            Some(b'{') => self.table(depth)?,
            Some(b'[') => self.list(depth)?,
            Some(b'"') => Data::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => {
                let words = [("true", Data::Flag(true)), ("false", Data::Flag(false)), ("null", Data::Null)];
                let rest = &self.text[self.at..];
                let Some((word, data)) = words.into_iter().find(|(word, _)| rest.starts_with(word)) else {
                    return Err(self.unexpected("a value"));
                };
                self.at += word.len();
                data
            }
        };
        Ok(Value { line, data })
    }

    /// After an item: true if another follows, false if `close` was eaten.
    fn more(&mut self, close: u8) -> Result<bool, SceneError> {
        match self.peek() {
            Some(b',') => self.at += 1,
            Some(byte) if byte == close => {
                self.at += 1;
                return Ok(false);
            }
            _ => return Err(self.unexpected(if close == b']' { "',' or ']'" } else { "',' or '}'" })),
        }
        Ok(true)
    }

    fn list(&mut self, depth: usize) -> Result<Data<'t>, SceneError> {
        self.at += 1;
        let mut list = Vec::new();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Data::List(list));
        }
        loop {
            list.push(self.value(depth + 1)?);
            if !self.more(b']')? {
                return Ok(Data::List(list));
            }
        }
    }

    fn table(&mut self, depth: usize) -> Result<Data<'t>, SceneError> {
        self.at += 1;
        let mut table: Vec<Entry<'t>> = Vec::new();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Data::Table(table));
        }
        loop {
            if self.peek() != Some(b'"') {
                return Err(self.unexpected("a key in quotes"));
            }
            let line = self.line;
            let key = self.string()?;
            if self.peek() != Some(b':') {
                return Err(self.unexpected("':'"));
            }
            self.at += 1;
            table.push(Entry { key, line, value: self.value(depth + 1)? });
            if !self.more(b'}')? {
                break;
            }
        }
        let order = crate::order::order(table.len(), &|a, b| table[a].key.cmp(&table[b].key));
        match order.windows(2).find(|pair| table[pair[0]].key == table[pair[1]].key) {
            None => Ok(Data::Table(table)),
            Some(pair) => {
                let (first, second) = (&table[pair[0]], &table[pair[1]]);
                let what = format!("key \"{}\" is already on line {}; keep one", clip(&second.key), first.line);
                Err(fail(second.line, what))
            }
        }
    }

    fn digits(&mut self) -> Result<(), SceneError> {
        if !self.byte().is_some_and(|b| b.is_ascii_digit()) {
            return Err(self.unexpected("a digit"));
        }
        while self.byte().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<Data<'t>, SceneError> {
        let start = self.at;
        let mut whole = true;
        if self.byte() == Some(b'-') {
            self.at += 1;
        }
        if self.byte() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.byte() == Some(b'.') {
            whole = false;
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.byte() {
            whole = false;
            self.at += 1;
            if let Some(b'+' | b'-') = self.byte() {
                self.at += 1;
            }
            self.digits()?;
        }
        let digits = &self.text[start..self.at];
        Ok(match digits.parse() {
            // "-0" is a number whose sign a whole number would lose.
            Ok(value) if whole && digits != "-0" => Data::Whole(value),
            _ => Data::Number(digits.parse().unwrap_or(f64::INFINITY)),
        })
    }

    fn string(&mut self) -> Result<Cow<'t, str>, SceneError> {
        self.at += 1;
        let start = self.at;
        let mut owned: Option<String> = None;
        let mut from = start;
        loop {
            match self.byte() {
                Some(b'"') => {
                    let tail = &self.text[from..self.at];
                    self.at += 1;
                    return Ok(match owned {
                        Some(head) => Cow::Owned(head + tail),
                        None => Cow::Borrowed(tail),
                    });
                }
                Some(b'\\') => {
                    let head = owned.get_or_insert_default();
                    head.push_str(&self.text[from..self.at]);
                    self.at += 1;
                    let c = self.escape()?;
                    owned.get_or_insert_default().push(c);
                    from = self.at;
                }
                Some(0..=0x1f) | None => return Err(self.unexpected("the closing '\"' of a text")),
                Some(_) => self.at += 1,
            }
        }
    }

    fn escape(&mut self) -> Result<char, SceneError> {
        let c = match self.byte() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let high = self.four_hex()?;
                let code = if (0xd800..0xdc00).contains(&high) && self.text[self.at..].starts_with("\\u") {
                    self.at += 1;
                    let low = self.four_hex()?;
                    if !(0xdc00..0xe000).contains(&low) {
                        return Err(self.unexpected("the second half of a surrogate pair"));
                    }
                    0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00)
                } else {
                    high
                };
                return char::from_u32(code).ok_or_else(|| self.unexpected("the second half of a surrogate pair"));
            }
            _ => return Err(self.unexpected("one of \" \\ / b f n r t u after '\\'")),
        };
        self.at += 1;
        Ok(c)
    }

    /// Eats `u` and four hexadecimal digits.
    fn four_hex(&mut self) -> Result<u32, SceneError> {
        self.at += 1;
        let mut code = 0;
        for _ in 0..4 {
            match self.byte().and_then(|b| char::from(b).to_digit(16)) {
                Some(digit) => code = code * 16 + digit,
                None => return Err(self.unexpected("four hexadecimal digits")),
            }
            self.at += 1;
        }
        Ok(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// Equal to what `serde_json` reads, key by key.
    fn same(ours: &Data<'_>, theirs: &serde_json::Value) -> bool {
        use serde_json::Value as J;
        match (ours, theirs) {
            (Data::Null, J::Null) => true,
            (Data::Flag(a), J::Bool(b)) => a == b,
            (Data::Whole(a), J::Number(b)) => b.as_i128() == Some(*a) || b.as_f64() == Some(*a as f64),
            (Data::Number(a), J::Number(b)) => b.as_f64().is_some_and(|b| (a - b).abs() <= 1e-15 * a.abs()),
            (Data::Text(a), J::String(b)) => a == b,
            (Data::List(a), J::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(&a.data, b)),
            (Data::Table(a), J::Object(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, (k, b))| *a.key == **k && same(&a.value.data, b))
            }
            _ => false,
        }
    }

    const PIECES: &[u8] = b"{}[]\",:0123456789.eE+-\\untrfl \n\x01";
    const SAMPLE: &str = r#"{"version": 1, "title": "a \"b\" \\ \u00e9 \ud83d\udd14\n", "x": [1, -0, -2.5e-3, 1E+4, true, false, null, {}],
        "body": {"h": {"type": "mass", "mass_kg": 0.01}}, "tap": [[], [[0.0, 1], [2, 3]]]}"#;

    #[test]
    fn json_reads_as_serde_json_reads_it_whole_or_mutilated() {
        let mut rng = Rng::new(1, "json");
        for case in 0..20_000 {
            let mut bytes = SAMPLE.as_bytes().to_vec();
            for _ in 0..case % 4 {
                let at = rng.bits() as usize % bytes.len();
                match rng.bits() % 4 {
                    0 => bytes[at] = PIECES[rng.bits() as usize % PIECES.len()],
                    1 => drop(bytes.remove(at)),
                    2 => bytes.insert(at, bytes[rng.bits() as usize % bytes.len()]),
                    _ => bytes.truncate(at.max(4)),
                }
            }
            let Ok(text) = String::from_utf8(bytes) else { continue };
            let ours = Json { text: &text, at: 0, line: 1 }.document();
            match (&ours, serde_json::from_str::<serde_json::Value>(&text)) {
                (Ok(ours), Ok(theirs)) => assert!(same(&ours.data, &theirs), "{text}"),
                (Err(_), Err(_)) => {}
                (Err(error), Ok(_)) => assert!(error.what.contains("already on line"), "{error}: {text}"),
                // serde_json refuses numbers beyond the range of f64; ours become infinite and are refused by the reader.
                (Ok(_), Err(theirs)) => assert!(theirs.to_string().contains("out of range"), "{theirs}: {text}"),
            }
        }
    }

    #[test]
    fn lines_are_counted_alike_in_toml_and_json() {
        let toml = parse("a = 1\n\n[b.c]\nd = [1,\n 2]\n[[e]]\nf = 3\n").unwrap();
        let json = parse("\n{\"a\": 1,\n\n\"b\": {\"c\": {\n\"d\": [1,\n2]}}}").unwrap();
        let Data::Table(root) = &toml.data else { panic!() };
        assert_eq!(root.iter().map(|e| (&*e.key, e.line)).collect::<Vec<_>>(), [("a", 1), ("b", 3), ("e", 6)]);
        let Data::Table(b) = &root[1].value.data else { panic!() };
        let Data::Table(c) = &b[0].value.data else { panic!() };
        let Data::List(d) = &c[0].value.data else { panic!() };
        assert_eq!((c[0].line, d[0].line, d[1].line), (4, 4, 5));
        let Data::List(e) = &root[2].value.data else { panic!() };
        assert_eq!(e[0].line, 6);
        let Data::Table(root) = &json.data else { panic!() };
        let Data::Table(b) = &root[1].value.data else { panic!() };
        let Data::Table(c) = &b[0].value.data else { panic!() };
        let Data::List(d) = &c[0].value.data else { panic!() };
        assert_eq!((root[1].line, c[0].line, d[0].line, d[1].line), (4, 5, 5, 6));
    }
}
