// SPDX-License-Identifier: MIT OR Apache-2.0
//! What recordings of steps are like, kind by kind, in the eight numbers of [`descriptors`](crate::descriptors); no recording is here.

/// A recording in a package that is too large to fetch for a test, with its numbers as they were measured.
#[derive(Clone, Copy, Debug)]
pub struct Far {
    /// Debian's package.
    pub package: &'static str,
    /// Where it lies, below the root.
    pub file: &'static str,
    /// Which half of it: 1 or 2, where it holds two steps; 0: all of it.
    pub step: u8,
    /// [`NAMES`](crate::descriptors::NAMES).
    pub numbers: [f64; 8],
}

const fn far(package: &'static str, file: &'static str, step: u8, numbers: [f64; 8]) -> Far {
    Far { package, file, step, numbers }
}

/// A kind of ground, what recordings of steps on it are like, and the shipped floors that are compared with them.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Its name.
    pub label: &'static str,
    /// How many recordings there are.
    pub count: usize,
    /// How the names of those begin, in small letters, that the packages of [`RECORDED`] hold.
    pub files: &'static [&'static str],
    /// The others.
    pub far: &'static [Far],
    /// 25, 50 and 75 % of each number.
    pub quartiles: [[f64; 3]; 8],
    /// Names of scenes that must be like them, where there are five or more.
    pub floors: &'static [&'static str],
    /// Names of scenes of which there are no recordings: these come nearest, and they are only reported.
    pub nearest: &'static [&'static str],
}

/// Recordings of single steps in Debian's packages minetest-data, ardentryst (its walker NYX; PYR has the same files) and lugaru-data, and, as
/// [`Far`], in flare-game, berusky2-data, redeclipse-data, cube2-data and others. Gravel: four steps and five blows of a spade; ice: three steps and
/// four blows; metal: three steps on metal, two on steel, four in boots of metal; water: wading, three of them for seconds; thud: what falls
/// on something soft, for carpet, of which there is no recording, as there is none of mud; leaves: a bush that rustles, as there is no step on
/// leaves (extremetuxracer-data has five seconds of a sled on them). A test of `tocco-lab` measures them again. Fewer than five recordings tell
/// little: they are compared, and only reported.
#[rustfmt::skip]
pub const RECORDED: [Kind; 12] = [
    Kind { label: "dirt", count: 6, files: &["default_dirt_footstep", "nyx_step_dirt"], far: &[], quartiles: [
        [0.579, 0.663, 0.770],
        [0.152, 0.320, 0.330],
        [1.041, 1.413, 2.236],
        [2096.328, 2583.785, 2945.162],
        [5028.013, 6059.559, 6862.316],
        [0.282, 0.322, 0.344],
        [8.453, 10.266, 18.162],
        [32.304, 46.355, 50.190],
    ], floors: &["floor-dirt"], nearest: &[] },
    Kind { label: "grass", count: 11, files: &["default_grass_footstep", "nyx_step_grass", "footstepgrass"], far: &[
        far("berusky2-data", "usr/share/games/berusky2/sound/sound/stepsgrass.wav", 1, [0.2594, 0.0475, 0.8471, 5091.6, 8808.2, 0.5001, 15.8459, 38.5490]),
        far("berusky2-data", "usr/share/games/berusky2/sound/sound/stepsgrass.wav", 2, [0.2594, 0.0375, 0.9066, 5119.7, 8863.1, 0.5101, 15.9921, 38.5490]),
    ], quartiles: [
        [0.327, 0.457, 0.599],
        [0.042, 0.068, 0.177],
        [0.544, 0.671, 0.816],
        [4401.585, 5091.600, 5277.989],
        [8300.892, 9012.558, 10324.604],
        [0.422, 0.466, 0.501],
        [16.524, 17.421, 20.073],
        [21.671, 26.278, 36.765],
    ], floors: &["floor-high-grass"], nearest: &[] },
    Kind { label: "gravel", count: 9, files: &["default_gravel_"], far: &[], quartiles: [
        [0.270, 0.274, 0.300],
        [0.037, 0.043, 0.048],
        [0.509, 0.687, 0.986],
        [3963.805, 6528.367, 8089.619],
        [7588.660, 11558.436, 12343.419],
        [0.326, 0.358, 0.390],
        [22.810, 24.468, 25.987],
        [69.444, 83.333, 92.593],
    ], floors: &["floor-gravel", "floor-gravel-fine"], nearest: &[] },
    Kind { label: "hard", count: 16, files: &["default_hard_footstep", "nyx_step_concrete", "footstepstone"], far: &[
        far("redeclipse-data", "usr/share/games/redeclipse/data/sounds/player/concstep.ogg", 0, [0.0998, 0.0225, 0.1063, 853.8, 1535.0, 0.0118, 13.3635, 50.1136]),
        far("redeclipse-data", "usr/share/games/redeclipse/data/sounds/player/concstep2.ogg", 0, [0.1048, 0.0475, 0.0727, 1541.4, 2422.5, 0.0553, 15.4895, 47.7273]),
        far("redeclipse-data", "usr/share/games/redeclipse/data/sounds/player/concstep3.ogg", 0, [0.1400, 0.0425, 0.1576, 1886.6, 4576.8, 0.1250, 14.2831, 49.9838]),
        far("redeclipse-data", "usr/share/games/redeclipse/data/sounds/player/concstep4.ogg", 0, [0.0700, 0.0625, 0.0200, 593.6, 844.1, 0.0036, 12.1945, 57.1244]),
        far("redeclipse-data", "usr/share/games/redeclipse/data/sounds/player/concstep5.ogg", 0, [0.0700, 0.0525, 0.0200, 667.2, 805.3, 0.0033, 12.3986, 57.1244]),
        far("berusky2-data", "usr/share/games/berusky2/sound/sound/stepsstone2.wav", 1, [0.0948, 0.0125, 0.0878, 838.3, 1037.2, 0.0414, 11.6847, 10.5502]),
        far("berusky2-data", "usr/share/games/berusky2/sound/sound/stepsstone2.wav", 2, [0.0948, 0.0125, 0.0738, 767.2, 843.4, 0.0381, 11.8040, 10.5502]),
    ], quartiles: [
        [0.099, 0.195, 0.274],
        [0.007, 0.010, 0.028],
        [0.084, 0.291, 0.580],
        [849.925, 2798.968, 4217.236],
        [1410.550, 6093.426, 7709.792],
        [0.041, 0.133, 0.362],
        [13.122, 20.894, 23.654],
        [26.508, 45.644, 57.124],
    ], floors: &["floor-concrete", "floor-tile"], nearest: &[] },
    Kind { label: "ice", count: 7, files: &["default_ice_"], far: &[], quartiles: [
        [0.218, 0.227, 0.262],
        [0.007, 0.007, 0.018],
        [0.535, 0.662, 0.932],
        [5664.868, 5896.775, 7136.480],
        [11277.593, 11925.806, 13949.220],
        [0.342, 0.404, 0.432],
        [21.154, 21.782, 21.853],
        [40.069, 41.761, 50.281],
    ], floors: &["floor-ice"], nearest: &[] },
    Kind { label: "leaves", count: 1, files: &["bushrustle"], far: &[], quartiles: [
        [0.429, 0.429, 0.429],
        [0.092, 0.092, 0.092],
        [1.113, 1.113, 1.113],
        [3099.156, 3099.156, 3099.156],
        [5349.734, 5349.734, 5349.734],
        [0.484, 0.484, 0.484],
        [16.662, 16.662, 16.662],
        [48.948, 48.948, 48.948],
    ], floors: &[], nearest: &["floor-dry-leaves", "floor-underbrush"] },
    Kind { label: "metal", count: 9, files: &["default_metal_footstep"], far: &[
        far("flare-game", "usr/share/games/flare/mods/fantasycore/soundfx/steps/step_metal1.ogg", 0, [0.2500, 0.0225, 0.4112, 5230.6, 11266.2, 0.1720, 15.1995, 16.0000]),
        far("flare-game", "usr/share/games/flare/mods/fantasycore/soundfx/steps/step_metal2.ogg", 0, [0.2594, 0.1325, 0.1516, 4392.4, 10184.2, 0.1207, 16.7748, 19.2745]),
        far("flare-game", "usr/share/games/flare/mods/fantasycore/soundfx/steps/step_metal3.ogg", 0, [0.2500, 0.0225, 0.4711, 4972.4, 10590.0, 0.1472, 15.0964, 12.0000]),
        far("flare-game", "usr/share/games/flare/mods/fantasycore/soundfx/steps/step_metal4.ogg", 0, [0.2450, 0.0225, 0.1604, 4855.5, 10784.9, 0.1151, 16.4965, 16.3258]),
        far("berusky2-data", "usr/share/games/berusky2/sound/sound/stepssteel1.wav", 1, [0.2694, 0.0075, 0.3389, 588.3, 663.2, 0.0008, 15.4486, 40.8333]),
        far("berusky2-data", "usr/share/games/berusky2/sound/sound/stepssteel1.wav", 2, [0.3154, 0.0275, 0.3452, 613.8, 709.7, 0.0009, 16.0619, 41.2209]),
    ], quartiles: [
        [0.245, 0.250, 0.259],
        [0.007, 0.022, 0.028],
        [0.339, 0.345, 0.373],
        [2259.327, 3156.360, 4855.500],
        [4578.290, 7411.011, 10590.000],
        [0.055, 0.115, 0.146],
        [15.449, 16.497, 18.551],
        [16.326, 23.395, 39.889],
    ], floors: &["floor-metal", "floor-metal-grate"], nearest: &[] },
    Kind { label: "sand", count: 6, files: &["default_sand_footstep"], far: &[
        far("cube2-data", "usr/share/games/cube2/packages/sounds/0ad/fs_sand7.ogg", 0, [0.4839, 0.1925, 1.2471, 4262.1, 8332.3, 0.4720, 20.8115, 37.1978]),
        far("berusky2-data", "usr/share/games/berusky2/sound/sound/stepsand.wav", 1, [0.2752, 0.0225, 0.3015, 4021.0, 7305.7, 0.3482, 18.8162, 47.2396]),
        far("berusky2-data", "usr/share/games/berusky2/sound/sound/stepsand.wav", 2, [0.3251, 0.0625, 1.7326, 4022.0, 6940.3, 0.3568, 24.7889, 64.5996]),
    ], quartiles: [
        [0.276, 0.280, 0.314],
        [0.066, 0.087, 0.098],
        [0.478, 1.127, 1.291],
        [2994.505, 3738.144, 4021.750],
        [5536.872, 7072.901, 7280.651],
        [0.249, 0.316, 0.355],
        [16.946, 17.884, 20.313],
        [47.909, 51.375, 61.657],
    ], floors: &["floor-sand"], nearest: &[] },
    Kind { label: "snow", count: 15, files: &["default_snow_footstep", "nyx_step_snow", "footstepsnow"], far: &[
        far("berusky2-data", "usr/share/games/berusky2/sound/sound/stepsnow2.wav", 1, [0.3254, 0.0675, 1.0328, 2040.5, 4671.0, 0.2236, 15.2215, 98.3552]),
        far("berusky2-data", "usr/share/games/berusky2/sound/sound/stepsnow2.wav", 2, [0.3254, 0.0625, 0.9275, 2011.4, 4528.6, 0.2157, 16.0784, 89.1344]),
        far("berusky2-data", "usr/share/games/berusky2/sound/sound/stepsnow3.wav", 1, [0.3254, 0.0675, 1.0091, 2002.1, 4423.4, 0.2269, 15.3605, 98.3552]),
        far("berusky2-data", "usr/share/games/berusky2/sound/sound/stepsnow3.wav", 2, [0.3254, 0.0625, 0.9277, 1966.4, 4295.9, 0.2187, 16.2176, 89.1344]),
    ], quartiles: [
        [0.292, 0.325, 0.379],
        [0.043, 0.068, 0.115],
        [0.566, 0.832, 0.987],
        [2006.750, 2890.195, 3479.200],
        [4476.000, 6523.438, 8317.489],
        [0.128, 0.216, 0.231],
        [13.530, 15.136, 15.719],
        [39.828, 56.127, 86.125],
    ], floors: &["floor-snow-low", "floor-snow-deep"], nearest: &[] },
    Kind { label: "thud", count: 9, files: &["thud"], far: &[
        far("redeclipse-data", "usr/share/games/redeclipse/data/sounds/weapons/thud.ogg", 0, [0.2101, 0.0375, 0.5507, 1358.3, 3037.4, 0.2887, 6.9853, 42.8433]),
        far("redeclipse-data", "usr/share/games/redeclipse/data/sounds/weapons/thud2.ogg", 0, [0.2045, 0.0425, 0.5436, 975.4, 2265.0, 0.2284, 6.2549, 39.1131]),
        far("redeclipse-data", "usr/share/games/redeclipse/data/sounds/weapons/thud3.ogg", 0, [0.1187, 0.0325, 0.6647, 1407.6, 3098.4, 0.2461, 6.2982, 58.9910]),
        far("scorched3d-data", "usr/share/games/scorched3d/data/globalmods/apoc/data/wav/explosions/thud.wav", 0, [0.2476, 0.0975, 0.2549, 1284.0, 3100.8, 0.2451, 10.5309, 52.5000]),
        far("supertux-data", "usr/share/games/supertux2/sounds/thud.ogg", 0, [0.1098, 0.0125, 0.0503, 4461.8, 11000.8, 0.3153, 13.9904, 36.4463]),
        far("searchandrescue-data", "usr/share/games/searchandrescue/sounds/thud_light.wav", 0, [0.4639, 0.1775, 0.8753, 1313.5, 3181.5, 0.0568, 13.4763, 62.5073]),
        far("searchandrescue-data", "usr/share/games/searchandrescue/sounds/thud_medium.wav", 0, [0.9363, 0.0425, 1.7705, 1079.4, 2621.7, 0.1057, 12.8450, 52.3322]),
        far("searchandrescue-data", "usr/share/games/searchandrescue/sounds/thud_heavy.wav", 0, [1.2023, 0.0525, 2.2861, 973.1, 2352.3, 0.1162, 11.7952, 58.2233]),
    ], quartiles: [
        [0.204, 0.248, 0.474],
        [0.037, 0.043, 0.052],
        [0.544, 0.665, 1.100],
        [1079.400, 1313.500, 1407.600],
        [2621.700, 3098.400, 3181.500],
        [0.106, 0.228, 0.246],
        [6.985, 11.795, 13.476],
        [39.113, 52.332, 58.223],
    ], floors: &[], nearest: &["floor-carpet"] },
    Kind { label: "water", count: 11, files: &["default_water_footstep"], far: &[
        far("redeclipse-data", "usr/share/games/redeclipse/data/sounds/player/swimstep.ogg", 0, [0.3492, 0.1425, 0.5008, 2021.5, 3530.0, 0.1975, 16.0809, 48.6818]),
        far("redeclipse-data", "usr/share/games/redeclipse/data/sounds/player/swimstep2.ogg", 0, [0.3492, 0.1375, 0.4743, 1721.9, 2891.4, 0.1620, 14.9772, 48.6818]),
        far("redeclipse-data", "usr/share/games/redeclipse/data/sounds/player/swimstep3.ogg", 0, [0.3592, 0.2125, 0.4146, 1640.1, 2745.9, 0.1463, 14.4078, 58.4659]),
        far("redeclipse-data", "usr/share/games/redeclipse/data/sounds/player/swimstep4.ogg", 0, [0.3592, 0.0375, 0.4763, 1184.9, 1727.9, 0.0238, 13.3161, 64.0341]),
        far("berusky2-data", "usr/share/games/berusky2/sound/sound/wstep1.wav", 0, [0.8181, 0.2975, 0.6975, 3707.8, 6585.8, 0.1582, 22.6958, 44.0022]),
        far("berusky2-data", "usr/share/games/berusky2/sound/sound/wstep2.wav", 0, [0.8281, 0.1575, 1.7870, 3597.6, 5896.0, 0.1600, 20.0177, 68.8308]),
        far("berusky2-data", "usr/share/games/berusky2/sound/sound/wstep3.wav", 0, [0.8680, 0.0275, 1.9350, 3980.8, 6852.9, 0.1662, 28.0073, 49.5376]),
        far("berusky2-data", "usr/share/games/berusky2/sound/sound/wstep4.wav", 0, [0.8780, 0.4975, 1.0260, 3821.1, 6494.5, 0.1969, 21.1797, 60.3642]),
    ], quartiles: [
        [0.359, 0.828, 1.426],
        [0.140, 0.212, 0.770],
        [0.489, 1.026, 1.682],
        [1871.700, 3707.800, 3917.941],
        [3210.700, 6494.500, 6985.932],
        [0.159, 0.166, 0.262],
        [15.529, 20.018, 20.932],
        [49.110, 55.220, 59.802],
    ], floors: &["floor-puddle"], nearest: &["floor-mud"] },
    Kind { label: "wood", count: 4, files: &["default_wood_footstep"], far: &[
        far("berusky2-data", "usr/share/games/berusky2/sound/sound/stepswood.wav", 1, [0.0549, 0.0075, 0.0874, 509.4, 366.1, 0.0002, 9.5559, 18.2231]),
        far("berusky2-data", "usr/share/games/berusky2/sound/sound/stepswood.wav", 2, [0.0599, 0.0075, 0.0828, 489.4, 366.1, 0.0002, 9.9168, 16.7045]),
    ], quartiles: [
        [0.059, 0.110, 0.160],
        [0.006, 0.007, 0.007],
        [0.086, 0.092, 0.124],
        [504.400, 845.246, 1683.406],
        [366.100, 972.601, 3212.485],
        [0.000, 0.010, 0.024],
        [9.827, 13.975, 18.877],
        [17.843, 18.508, 21.925],
    ], floors: &["floor-wood", "floor-wood-creaking"], nearest: &[] },
];
