// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parts: another scene used inside this one.

use super::*;
use crate::scene::Document;

/// The keys of a part in scene files.
pub const PART: Kind = Kind {
    family: "part",
    id: "",
    doc: "Another scene, once more, under this name: its things are NAME/thing, its controls NAME/control.",
    params: &[],
    keys: &[
        must("scene", KeyType::Named(Thing::File), "A shipped scene's name, or a scene file beside this one."),
        key(
            "signal",
            KeyType::Paths { of: &KeyType::Named(Thing::Signal), max: MAX_NODES },
            "Its inlets, each with the signal of this scene that it hears.",
        ),
        key(
            "set",
            KeyType::Paths { of: &ANY, max: MAX_NODES },
            "Values of its parameters and controls, by their paths in it.",
        ),
        key("transpose", TRANSPOSE, "Factor on the pitch of everything in it, default 1."),
        key("gain", GAIN, "Factor on everything that is heard of it, default 1."),
        key("pan_01", PAN, "Where all of it is heard: 0 left, 1 right; left out: as it says itself."),
        key(
            "to",
            KeyType::Several { of: &KeyType::Named(Thing::Output), max: MAX_NODES },
            "Outputs that it is heard on, one or a list; default main.",
        ),
    ],
    rules: &[],
};

const PAN: KeyType = KeyType::Number { unit: "1", min: 0.0, max: 1.0 };
const TRANSPOSE: KeyType = KeyType::Number { unit: "1", min: 0.05, max: 20.0 };

/// Another scene inside this one.
#[derive(Clone, Debug, PartialEq)]
pub struct PartDef {
    /// Unique label: what stands before the names of everything in it.
    pub name: String,
    /// The scene as written: a shipped name or a file.
    pub scene: String,
    /// Inlets of it, with signals of this scene.
    pub signals: Vec<(String, String)>,
    /// Paths in it, with values.
    pub set: Vec<(String, Real)>,
    /// Factor on every pitch in it.
    pub transpose: Real,
    /// Factor on everything that is heard of it.
    pub gain: Real,
    /// Where all of it is heard, 0 left to 1 right.
    pub pan_01: Option<Real>,
    /// Outputs that it is heard on; none: `main`.
    pub outputs: Vec<String>,
    /// The scene itself, once somebody has fetched it.
    pub inside: Option<Box<Document>>,
}

impl Section for PartDef {
    const KIND: &'static Kind = &PART;

    fn check(&self, spot: &Spot) -> Check {
        spot.named("scene", &self.scene)?;
        for (inlet, signal) in &self.signals {
            spot.named("signal", inlet)?;
            spot.named("signal", signal)?;
        }
        for (path, value) in &self.set {
            spot.named("set", path)?;
            spot.takes("set", ANY, *value)?;
        }
        spot.number(&PART, "transpose", self.transpose)?;
        spot.number(&PART, "gain", self.gain)?;
        self.outputs.iter().try_for_each(|output| spot.named("to", output))?;
        self.pan_01.map_or(Ok(()), |pan| spot.number(&PART, "pan_01", pan))
    }

    fn write(&self, out: &mut Toml) {
        out.line(format_args!("\n[part.{}]\nscene = {}", bare(&self.name), quoted(&self.scene)));
        for (inlet, signal) in &self.signals {
            out.line(format_args!("signal.{} = {}", bare(inlet), quoted(signal)));
        }
        for (path, value) in &self.set {
            out.line(format_args!("set.{} = {value:?}", bare(path)));
        }
        out.unless("transpose", self.transpose, 1.0);
        out.unless("gain", self.gain, 1.0);
        self.pan_01.into_iter().for_each(|pan| out.number("pan_01", pan));
        out.texts("to", self.outputs.iter().map(String::as_str));
    }

    #[cfg(feature = "text")]
    fn read(node: &Node<'_, '_>, _lines: &mut Lines) -> Result<Self, SceneError> {
        let entries = |id: &str, wanted: &str| -> Result<&[crate::scene::tree::Entry<'_>], SceneError> {
            let Some(value) = node.value(id) else { return Ok(&[]) };
            let entries = table(value, &node.place(id), wanted)?;
            check_count(&node.place(id), value.line, entries.len(), MAX_NODES, "entries")?;
            Ok(entries)
        };
        let mut signals = Vec::new();
        for entry in entries("signal", "a table of inlet = \"signal\"")? {
            let at = join(&node.place("signal"), &entry.key);
            signals.push((entry.key.to_string(), text(&entry.value, &at, "a signal's name in quotes")?.to_string()));
        }
        let mut set = Vec::new();
        for entry in entries("set", "a table of \"path\" = value")? {
            let at = join(&node.place("set"), &entry.key);
            set.push((entry.key.to_string(), number(&entry.value, &at, ANY)?));
        }
        Ok(Self {
            // The name stands before the table.
            name: String::new(),
            scene: node.needed_text("scene")?,
            signals,
            set,
            transpose: node.number_or("transpose", 1.0)?,
            gain: node.number_or("gain", 1.0)?,
            pan_01: node.number("pan_01")?,
            outputs: node.texts("to", "an output in quotes")?,
            inside: None,
        })
    }
}
