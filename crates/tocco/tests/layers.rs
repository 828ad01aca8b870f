// SPDX-License-Identifier: MIT OR Apache-2.0
//! The house rules that a machine can check: who may use whom, one door to the maths, and every equation's tag resolves.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn sources() -> BTreeMap<String, String> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { walk(&path, found) } else { found.push(path) }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    walk(&root, &mut found);
    found
        .into_iter()
        .map(|p| (p.strip_prefix(&root).unwrap().display().to_string(), fs::read_to_string(&p).unwrap()))
        .collect()
}

/// Lowest first; a file uses only what stands before it or beside it.
const LAYERS: [&[&str]; 7] = [
    &["fault", "math", "units", "hash", "rng", "order", "param", "reserve"],
    &["theory", "papers", "resonator", "interactor", "texture", "output", "fluid"],
    &["signal", "process", "gait"],
    &["contact"],
    &["command"],
    &["scene", "gesture"],
    &["engine"],
];

/// The code above the tests, without comments, a statement a line: what is imported over several lines is one.
fn statements(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let mut all = String::new();
    for line in lines {
        let open = all.lines().next_back().is_some_and(|last: &str| last.contains("use ") && !last.contains(';'));
        if !open {
            all.push('\n');
        }
        all += line;
    }
    all
}

/// The modules of this crate that a line names by `crate::`, alone or in braces.
fn used_modules(line: &str) -> Vec<&str> {
    line.split("crate::")
        .skip(1)
        .flat_map(|rest| match rest.strip_prefix('{') {
            Some(list) => list.split('}').next().unwrap_or("").split(',').collect(),
            None => vec![rest],
        })
        .filter_map(|path| path.trim().split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next())
        .collect()
}

#[test]
fn every_module_uses_only_the_layers_below_it() {
    let layer = |module: &str| LAYERS.iter().position(|l| l.contains(&module));
    let sources = sources();
    // What the front page shows would hide which module it comes from.
    let shown: Vec<&str> = sources["lib.rs"]
        .lines()
        .filter(|line| line.starts_with("pub use "))
        .flat_map(|line| line.split(|c: char| !c.is_alphanumeric()).filter(|word| word.starts_with(char::is_uppercase)))
        .collect();
    assert!(shown.contains(&"Engine"));
    for (file, text) in &sources {
        if file == "lib.rs" {
            continue;
        }
        let own = file.split(['/', '.']).next().unwrap();
        let own_layer = layer(own).unwrap_or_else(|| panic!("{file}: which layer does '{own}' belong to?"));
        // A model that stands below the one kind that uses it keeps to the layers of models.
        let own_layer = if file.ends_with("/model.rs") { layer("resonator").unwrap() } else { own_layer };
        for line in statements(text).lines() {
            for module in used_modules(line) {
                let Some(used_layer) = layer(module) else {
                    assert!(!shown.contains(&module), "{file} takes {module} from the crate's front page");
                    continue;
                };
                assert!(used_layer <= own_layer, "{file} reaches up: {}", line.trim());
            }
        }
    }
}

#[test]
fn every_layer_is_made_of_modules_that_exist_and_every_module_is_public() {
    let sources = sources();
    let root = &sources["lib.rs"];
    for module in LAYERS.concat() {
        assert!(sources.contains_key(&format!("{module}.rs")), "no file {module}.rs");
        assert!(root.contains(&format!("\npub mod {module};")), "lib.rs does not show {module}");
    }
    let declared = root.lines().filter_map(|line| line.split_once("mod ")?.1.strip_suffix(';'));
    for module in declared {
        assert!(LAYERS.concat().contains(&module), "which layer does '{module}' belong to?");
    }
}

#[test]
fn elementary_functions_are_called_only_through_the_one_door() {
    let forbidden = [
        ".sin()",
        ".cos()",
        ".exp()",
        ".ln()",
        ".powf(",
        ".tan()",
        ".sinh()",
        ".cosh()",
        ".tanh()",
        ".exp_m1()",
        ".ln_1p()",
        ".log10()",
        ".log2()",
        ".cbrt()",
        ".hypot(",
        ".atan2(",
        ".mul_add(",
    ];
    for (file, text) in sources() {
        let code = text.split("#[cfg(test)]").next().unwrap();
        for (number, line) in code.lines().enumerate() {
            let line = line.split("//").next().unwrap();
            for call in forbidden {
                assert!(
                    !line.contains(call),
                    "{file}:{}: {call} differs between machines; use crate::math",
                    number + 1
                );
            }
            assert!(file == "math.rs" || !line.contains("libm::"), "{file}:{}: use crate::math", number + 1);
        }
    }
}

#[test]
fn every_equation_tag_that_code_mentions_is_stated_in_a_header() {
    let tag_in = |line: &str| -> Vec<String> {
        line.split('[')
            .skip(1)
            .filter_map(|rest| rest.split_once(']'))
            .map(|(tag, _)| tag.to_string())
            .filter(|tag| {
                tag.split_once('.').is_some_and(|(a, b)| {
                    !a.is_empty()
                        && !b.is_empty()
                        && a.chars().all(|c| c.is_ascii_lowercase() || c == '_')
                        && b.chars().all(|c| c.is_ascii_digit())
                })
            })
            .collect()
    };
    let sources = sources();
    let stated: Vec<String> = sources
        .values()
        .flat_map(|text| text.lines())
        .filter(|l| l.trim_start().starts_with("//!") || l.trim_start().starts_with("///"))
        .filter(|l| l.contains("`["))
        .flat_map(tag_in)
        .collect();
    let mut mentions = 0;
    for (file, text) in &sources {
        for line in text.lines() {
            for tag in tag_in(line) {
                mentions += 1;
                assert!(
                    stated.contains(&tag),
                    "{file} mentions [{tag}], which no header states as `[{tag}]  equation`"
                );
            }
        }
    }
    assert!(mentions > 30, "the tags have gone: {mentions}");
    // Each stated equation is used by a line of code or a test somewhere.
    let idle: Vec<&String> = stated
        .iter()
        .filter(|tag| {
            let mark = format!("[{tag}]");
            !sources.values().flat_map(|t| t.lines()).any(|l| !l.trim_start().starts_with("//!") && l.contains(&mark))
        })
        .collect();
    assert!(idle.is_empty(), "stated, and no line says that it computes them: {idle:?}");
}

#[test]
fn every_source_file_names_its_licence_and_its_purpose() {
    for (file, text) in sources() {
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("// SPDX-License-Identifier: MIT OR Apache-2.0"), "{file}");
        assert!(lines.next().is_some_and(|l| l.starts_with("//!")), "{file} does not say what it is");
    }
}

#[test]
fn the_table_of_equations_names_every_stated_tag_with_a_file_and_a_test_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("../../docs/equations.md")).unwrap();
    let table = page.split("<!-- tags -->").nth(1).and_then(|t| t.split("<!-- /tags -->").next()).unwrap();
    let sources = sources();
    let mut listed = Vec::new();
    for row in table.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| tag ")) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [tag, _, file, test, _] = cells[..] else { panic!("five cells: {row}") };
        let text = sources.get(file).unwrap_or_else(|| panic!("{tag}: no file {file}"));
        let mark = format!("[{tag}]");
        let computes = |line: &&str| !line.trim_start().starts_with("//!") && line.contains(&mark);
        assert!(text.lines().any(|line| computes(&line)), "{file}: no line computes [{tag}]");
        let [place, name, _] = test.split('`').collect::<Vec<_>>()[..] else { panic!("{tag}: no test") };
        let tested = match place.trim() {
            "" => text.clone(),
            inside if inside.contains('/') => sources[inside].clone(),
            outside => fs::read_to_string(root.join("tests").join(outside)).unwrap(),
        };
        assert!(tested.contains(&format!("fn {name}(")), "{tag}: no test {name} in {place}");
        listed.push(tag.to_string());
    }
    // A header states a tag as `[tag]  equation` or `[tag]`; an index into something has no dot and digits.
    for (file, text) in &sources {
        for line in text.lines().filter(|l| l.trim_start().starts_with("//")) {
            for tag in line.split("`[").skip(1).filter_map(|rest| rest.split_once(']')).map(|(tag, _)| tag) {
                let is_tag = tag.split_once('.').is_some_and(|(_, n)| n.chars().all(|c| c.is_ascii_digit()));
                assert!(!is_tag || listed.iter().any(|l| l == tag), "{file} states [{tag}], which the table lacks");
            }
        }
    }
    let mut once = listed.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), listed.len(), "a tag is listed twice");
}

#[test]
fn every_planted_fault_is_in_the_table_with_a_file_that_has_it_and_a_test_that_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = sources();
    let table = sources["fault.rs"].split("    planted! {\n").nth(1).unwrap();
    let [all, manifest] = ["tests/all.rs", "Cargo.toml"].map(|file| fs::read_to_string(root.join(file)).unwrap());
    let mut listed = Vec::new();
    for row in table.lines().map(str::trim).filter(|row| row.starts_with(|c: char| c.is_ascii_uppercase())) {
        let name = row.split(',').next().unwrap();
        let quoted: Vec<&str> = row.split('"').skip(1).step_by(2).collect();
        let [file, _, place, test] = quoted[..4] else { panic!("{row}") };
        assert!(sources[file].contains(&format!("fault!({name},")), "{file} has no fault {name}");
        let text = match place {
            "lib" => sources.values().cloned().collect(),
            "scene_text" => fs::read_to_string(root.join("tests/scene_text/main.rs")).unwrap(),
            place => fs::read_to_string(root.join(format!("tests/{place}.rs"))).unwrap(),
        };
        let last = test.rsplit("::").next().unwrap();
        assert!(text.contains(&format!("fn {last}")), "{name}: {place} has no test {last}");
        // examples/faults.rs runs it as a program of its own, or as a module of tests/all.rs.
        let is_run =
            |entry: String| place == "lib" || manifest.contains(&entry) || all.contains(&format!("mod {place};\n"));
        assert!(is_run(format!("{{ name = \"{place}\"")), "{name}: '{place}' is run by nothing");
        listed.push(name);
    }
    assert!(listed.len() >= 60, "{} faults", listed.len());
    let count = format!("by {} planted faults", listed.len());
    for page in ["../../docs/figures.md", "../../README.md"] {
        assert!(fs::read_to_string(root.join(page)).unwrap().contains(&count), "{page} does not say '{count}'");
    }
    for (file, text) in sources.iter().filter(|(file, _)| *file != "fault.rs") {
        for name in text.split("fault!(").skip(1).filter_map(|rest| rest.split(',').next()) {
            assert!(listed.contains(&name.trim()), "{file}: {name} is not in the table");
        }
    }
}

#[test]
fn every_file_of_tests_is_run() {
    for folder in [".", "../tocco-lab"] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let [all, manifest] = ["tests/all.rs", "Cargo.toml"].map(|file| fs::read_to_string(root.join(file)).unwrap());
        for entry in fs::read_dir(root.join("tests")).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap();
            if path.extension().is_none_or(|kind| kind != "rs") || name == "all" {
                continue;
            }
            let is_alone = manifest.contains(&format!("{{ name = \"{name}\" }}"));
            let is_named = is_alone || manifest.contains(&format!("{{ name = \"{name}\", test = false }}"));
            assert!(is_named, "{folder}: {name} is missing among the tests of Cargo.toml");
            assert!(
                all.contains(&format!("mod {name};\n")) != is_alone,
                "{folder}: {name} is run by tests/all.rs or by itself, one of the two"
            );
        }
    }
}
