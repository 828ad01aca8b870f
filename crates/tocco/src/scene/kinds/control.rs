// SPDX-License-Identifier: MIT OR Apache-2.0
//! Macro controls.

use super::*;

/// The keys of a macro control in scene files.
pub const CONTROL: Kind = Kind {
    family: "control",
    id: "",
    doc: "A named macro control, 0 to 1 outside, a physical range inside: what a player, a plugin or a MIDI map sees.",
    params: &[],
    keys: &[
        must("name", KeyType::Name, "Unique name."),
        must(
            "path",
            KeyType::Several { of: &KeyType::Named(Thing::Path), max: MAX_NODES },
            "What it moves: body/param or contact/param, or several of them alike.",
        ),
        must("range", KeyType::List { of: &RANGE, min: 2, max: 2 }, "Physical values at 0 and at 1."),
        key("scale", KeyType::Word(Scale::WORDS), "Knob law, default linear; log needs a positive range."),
    ],
    rules: &[Rule::Narrowed {
        choice: "scale",
        word: "log",
        id: "range",
        is: Narrow::Positive,
        what: "scale = \"log\" needs both ends above 0",
    }],
};

/// The ends of a control's range.
pub const RANGE: KeyType = ANY;

/// A named macro control, `0..1` outside, a physical range inside.
#[derive(Clone, Debug, PartialEq)]
pub struct ControlDef {
    /// Unique label.
    pub name: String,
    /// What it moves.
    pub path: String,
    /// What else it moves, over the same range.
    pub also: Vec<String>,
    /// Physical range.
    pub range: [Real; 2],
    /// Knob law.
    pub scale: crate::param::Scale,
}

impl ControlDef {
    /// Every path it moves. `[control]`
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        core::iter::once(&self.path).chain(&self.also).map(String::as_str)
    }
}

impl Section for ControlDef {
    const KIND: &'static Kind = &CONTROL;

    fn check(&self, spot: &Spot) -> Check {
        self.paths().try_for_each(|path| spot.named("path", path))?;
        self.range.iter().try_for_each(|end| spot.takes("range", RANGE, *end))?;
        if self.range[0] == self.range[1] {
            let what = format!("both ends are {}; the control would move nothing", plain(self.range[0]));
            return spot.fail("range", what);
        }
        if self.scale == Scale::Log && self.range.iter().any(|end| *end <= 0.0) {
            return spot.fail("range", "scale = \"log\" needs both ends above 0");
        }
        Ok(())
    }

    fn write(&self, out: &mut Toml) {
        out.line(format_args!("\n[[control]]\nname = {}", quoted(&self.name)));
        out.texts("path", self.paths());
        out.line(format_args!("range = {:?}", self.range));
        if self.scale == Scale::Log {
            out.line(format_args!("scale = \"log\""));
        }
    }

    #[cfg(feature = "text")]
    fn read(node: &Node<'_, '_>, _lines: &mut Lines) -> Result<Self, SceneError> {
        let Some(range) = node.numbers("range", RANGE, "[value at 0, value at 1]")? else {
            return node.fail("", "needs range: [value at 0, value at 1]");
        };
        let mut paths = node.texts("path", "a path in quotes")?.into_iter();
        Ok(Self {
            // An empty name gets the message about names.
            name: node.text("name")?.unwrap_or_default().to_string(),
            path: paths.next().unwrap_or_default(),
            also: paths.collect(),
            range,
            scale: node.word("scale")?.unwrap_or(Scale::Linear),
        })
    }
}
