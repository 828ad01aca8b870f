// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tables `[look.BODY]`: how a body is drawn. The engine does not read them; pages that show a scene do.

use super::*;

/// The keys of a look in scene files.
pub const LOOK: Kind = Kind {
    family: "look",
    id: "",
    doc: "How the body of this name is drawn; nothing of it is heard. What is left out follows from the body's type, shape, material and contacts.",
    params: &[],
    keys: &[
        key("place_m", KeyType::Row(&[METRES, METRES]), "Where its middle is, [x, y], y upwards."),
        key(
            "size_m",
            KeyType::Row(&[EXTENT, EXTENT]),
            "How wide and how tall it is drawn; a long thing lies along the larger.",
        ),
        key("drawing", KeyType::Word(Drawing::WORDS), "What it is drawn as."),
        key("moves", KeyType::Word(Heading::WORDS), "Where its positive motion leads in the picture."),
        key("hangs_m", EXTENT, "It hangs on threads as long as this."),
        key("rides", KeyType::Named(Thing::Site), "The body with whose travel it moves along, as a ball over its way."),
    ],
    rules: &[],
};

const EXTENT: KeyType = KeyType::Number { unit: "m", min: 1e-6, max: 1e4 };

/// What a body is drawn as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drawing {
    /// A sphere.
    Ball,
    /// A bar, from above.
    Bar,
    /// A flat thing with corners, from above.
    Plate,
    /// A flat round thing, from above.
    Disc,
    /// A skin in its hoop, from above.
    Drum,
    /// A bell.
    Bell,
    /// A bowl, from the side.
    Bowl,
    /// A glass on its stem.
    Glass,
    /// A cup, a can, a bottle: from the side.
    Cup,
    /// A box.
    Box,
    /// A string between two ends.
    String,
    /// A pipe, from the side.
    Tube,
    /// Weights and springs.
    Net,
    /// A bow.
    Bow,
    /// A finger.
    Finger,
    /// A hand or a fist.
    Hand,
    /// A ball on a stick.
    Mallet,
    /// A hammer.
    Hammer,
    /// A thing with a point.
    Point,
    /// A door leaf on its hinges.
    Door,
    /// The pin of a hinge.
    Hinge,
    /// A table, from the side.
    Table,
    /// The ground, from the side.
    Ground,
    /// A wheel, from the side.
    Wheel,
    /// A shoe.
    Shoe,
    /// A piece of metal, stone or wood.
    Block,
    /// Not at all.
    Nothing,
}
crate::words!(Drawing {
    Ball = "ball",
    Bar = "bar",
    Plate = "plate",
    Disc = "disc",
    Drum = "drum",
    Bell = "bell",
    Bowl = "bowl",
    Glass = "glass",
    Cup = "cup",
    Box = "box",
    String = "string",
    Tube = "tube",
    Net = "net",
    Bow = "bow",
    Finger = "finger",
    Hand = "hand",
    Mallet = "mallet",
    Hammer = "hammer",
    Point = "point",
    Door = "door",
    Hinge = "hinge",
    Table = "table",
    Ground = "ground",
    Wheel = "wheel",
    Shoe = "shoe",
    Block = "block",
    Nothing = "nothing",
});

/// Where a positive motion leads in the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heading {
    /// To the right.
    Right,
    /// To the left.
    Left,
    /// Upwards.
    Up,
    /// Downwards.
    Down,
    /// Round what it touches.
    Round,
}
crate::words!(Heading { Right = "right", Left = "left", Up = "up", Down = "down", Round = "round" });

/// How a body is drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LookDef {
    /// The body.
    pub name: String,
    /// Where its middle is, m.
    pub place_m: Option<[Real; 2]>,
    /// Width and height, m.
    pub size_m: Option<[Real; 2]>,
    /// As what.
    pub drawing: Option<Drawing>,
    /// Where its motion leads.
    pub moves: Option<Heading>,
    /// Length of the threads that it hangs on, m.
    pub hangs_m: Option<Real>,
    /// The body that carries it along.
    pub rides: Option<String>,
}

impl LookDef {
    /// Everything it names is a body of the scene.
    pub(in crate::scene) fn check_names(&self, def: &SceneDef) -> Check {
        for (place, name) in [("", Some(&self.name)), (".rides", self.rides.as_ref())] {
            let Some(name) = name.filter(|name| def.bodies.iter().all(|body| body.name != **name)) else { continue };
            let near = nearest(name, def.bodies.iter().map(|body| body.name.as_str()));
            return Err(SceneError::new(
                format!("look.{}{place}", clip(&self.name)),
                format!("there is no body '{}'{near}", clip(name)),
            ));
        }
        Ok(())
    }
}

impl Section for LookDef {
    const KIND: &'static Kind = &LOOK;

    fn check(&self, spot: &Spot) -> Check {
        self.place_m.iter().flatten().try_for_each(|at| spot.takes("place_m", METRES, *at))?;
        self.size_m.iter().flatten().try_for_each(|long| spot.takes("size_m", EXTENT, *long))?;
        self.hangs_m.map_or(Ok(()), |long| spot.number(&LOOK, "hangs_m", long))?;
        self.rides.as_ref().map_or(Ok(()), |name| spot.named("rides", name))
    }

    fn write(&self, out: &mut Toml) {
        out.line(format_args!("\n[look.{}]", bare(&self.name)));
        for (id, pair) in [("place_m", self.place_m), ("size_m", self.size_m)] {
            pair.into_iter().for_each(|pair| out.line(format_args!("{id} = {pair:?}")));
        }
        self.drawing.into_iter().for_each(|drawing| out.line(format_args!("drawing = \"{}\"", drawing.word())));
        self.moves.into_iter().for_each(|moves| out.line(format_args!("moves = \"{}\"", moves.word())));
        self.hangs_m.into_iter().for_each(|long| out.number("hangs_m", long));
        out.texts("rides", self.rides.iter().map(String::as_str));
    }

    #[cfg(feature = "text")]
    fn read(node: &Node<'_, '_>, _lines: &mut Lines) -> Result<Self, SceneError> {
        let pair = |id: &str, takes: KeyType, wanted: &str| {
            node.value(id).map(|value| numbers(value, &node.place(id), [takes, takes], wanted)).transpose()
        };
        Ok(Self {
            // The name stands before the table.
            name: String::new(),
            place_m: pair("place_m", METRES, "[x, y]")?,
            size_m: pair("size_m", EXTENT, "[width, height]")?,
            drawing: node.word("drawing")?,
            moves: node.word("moves")?,
            hangs_m: node.number("hangs_m")?,
            rides: node.text("rides")?.map(str::to_owned),
        })
    }
}
