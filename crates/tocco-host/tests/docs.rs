// SPDX-License-Identifier: MIT OR Apache-2.0
//! The documents say what the program does: parameter tables, scenes, links and tags. `TOCCO_BLESS=1` writes the tables
//! anew.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use tocco::param::Kind;
use tocco::resonator::shape::FAMILIES;
use tocco::scene::kinds::MODELS;
use tocco::{Engine, Queue, Scene};
use tocco_host::describe::{spec_words, takes_words};
use tocco_host::library::{self, SHIPPED};
use tocco_testing::pictures::assert_shipped;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn pages() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(root().join("docs/models")).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.extension().is_some_and(|e| e == "md"));
    found.sort();
    found
}

fn table(kind: &Kind) -> String {
    let cell = |text: String| text.replace('|', "\\|");
    let mut text = String::from("| key | takes | meaning |\n|---|---|---|\n");
    for spec in kind.params {
        let _ = writeln!(text, "| `{}` | {} | {} |", spec.id, cell(spec_words(spec)), cell(spec.doc.into()));
    }
    for key in kind.keys {
        let must = if key.required { ", required" } else { "" };
        let _ = writeln!(text, "| `{}` | {}{must} | {} |", key.id, cell(takes_words(key)), cell(key.doc.into()));
    }
    text
}

#[test]
fn every_table_of_parameters_is_the_declared_one() {
    let mut shown = Vec::new();
    for path in pages() {
        let page = fs::read_to_string(&path).unwrap();
        let mut parts = page.split("<!-- parameters ");
        let mut right = parts.next().unwrap().to_string();
        for part in parts {
            let (name, rest) = part.split_once(" -->\n").unwrap();
            let (_, after) =
                rest.split_once("<!-- /parameters -->").unwrap_or_else(|| panic!("{path:?}: {name} has no end"));
            let own = |k: &&Kind| match name.strip_prefix("shape ") {
                Some(shape) => k.family == "shape" && k.id == shape,
                None => k.family != "shape" && (name == k.id || (k.id.is_empty() && name == k.family)),
            };
            let kind = MODELS.iter().find(own);
            let kind = kind.unwrap_or_else(|| panic!("{path:?}: no kind {name}"));
            let _ = write!(right, "<!-- parameters {name} -->\n{}<!-- /parameters -->{after}", table(kind));
            shown.push(name.to_string());
        }
        let right = with_places(&right);
        if std::env::var_os("TOCCO_BLESS").is_some() {
            fs::write(&path, &right).unwrap();
        } else {
            assert!(page == right, "{path:?}: a table has drifted; TOCCO_BLESS=1 writes it anew");
        }
    }
    for kind in MODELS {
        let name = match (kind.family, kind.id) {
            ("shape", id) => format!("shape {id}"),
            (family, "") => family.into(),
            (_, id) => id.into(),
        };
        assert_eq!(shown.iter().filter(|s| **s == name).count(), 1, "{name} is shown once");
    }
}

/// A page with its table of places, if it has one, as declared.
fn with_places(page: &str) -> String {
    let Some((before, rest)) = page.split_once("<!-- places -->\n") else { return page.into() };
    let (_, after) = rest.split_once("<!-- /places -->").unwrap();
    let mut table = String::from("| shape | fractions of | words |\n|---|---|---|\n");
    for family in FAMILIES {
        let rounded = |x: &f64| ((x * 1000.0).round() / 1000.0).to_string();
        let at = |point: &[f64; 3]| point[..family.axes.len()].iter().map(rounded).collect::<Vec<_>>().join(" ");
        let words: Vec<String> = family.places.iter().map(|(word, point)| format!("{word} ({})", at(point))).collect();
        let _ = writeln!(table, "| {} | {} | {} |", family.kind.id, family.axes.join(", "), words.join(", "));
    }
    format!("{before}<!-- places -->\n{table}<!-- /places -->{after}")
}

#[test]
fn every_scene_in_the_documents_builds_and_sounds() {
    let mut scenes = 0;
    for path in pages().into_iter().chain([root().join("README.md"), root().join("docs/choosing-a-body.md")]) {
        let page = fs::read_to_string(&path).unwrap();
        for part in page.split("```toml\n").skip(1) {
            let text = part.split("```").next().unwrap();
            let read = library::from_text("page", "page", text.to_owned(), None);
            let scene = read.unwrap_or_else(|cause| panic!("{path:?}: {cause}\n{text}"));
            let scene = Scene::build(&scene.def, 48_000.0);
            let mut engine = Engine::new(scene.unwrap_or_else(|cause| panic!("{path:?}: {cause}\n{text}")));
            let mut out = vec![0.0; 48_000 * engine.scene().channels()];
            let health = engine.render(&[], &mut Queue::new(), &mut out);
            assert_eq!((health.unconverged, health.reset, health.refused), (0, 0, 0), "{path:?}\n{text}");
            let peak = out.iter().fold(0.0, |m: f32, x| m.max(x.abs()));
            assert!((1e-3..1.0).contains(&peak), "{path:?}: peak {peak}\n{text}");
            scenes += 1;
        }
    }
    assert!(scenes >= 5, "{scenes}");
}

#[test]
fn every_page_is_listed_and_shows_its_figure_and_every_link_leads_somewhere() {
    let index = fs::read_to_string(root().join("docs/README.md")).unwrap();
    let mut documents: Vec<PathBuf> = [
        "README.md",
        "ARCHITECTURE.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "docs/README.md",
        "docs/equations.md",
        "docs/live.md",
        "docs/studio.md",
        "docs/stimulus-sets.md",
        "docs/choosing-a-body.md",
        "docs/compare.md",
        "docs/haptics.md",
        "docs/figures.md",
        "docs/trust.md",
        "docs/walking.md",
    ]
    .map(|name| root().join(name))
    .to_vec();
    documents.extend(tutorials());
    for path in pages() {
        let name = path.file_stem().unwrap().to_str().unwrap().to_string();
        let page = fs::read_to_string(&path).unwrap();
        assert!(index.contains(&format!("(models/{name}.md)")), "docs/README.md does not list {name}");
        assert!(page.contains(&format!("]({name}.png)")), "{name} shows no figure");
        documents.push(path);
    }
    for path in documents {
        let text = fs::read_to_string(&path).unwrap();
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = target.split('#').next().unwrap();
            if !file.contains("://") && !file.is_empty() {
                assert!(path.parent().unwrap().join(file).exists(), "{path:?}: no {file}");
            }
        }
    }
}

/// Whether a line names a paper by its number.
fn cites_by_number(line: &str) -> bool {
    let words: Vec<&str> = line.split([' ', '(', ')', '/', ';', ':', '\'', '"', '\\']).collect();
    words.iter().enumerate().any(|(place, word)| {
        // Alone, before the name of an item, or after that of a design.
        let word = word.trim_start_matches(['`', '*', '[']).trim_end_matches(['`', ',', '.', '*', ']']);
        let is_number = |part: &str| matches!(part, "000" | "001" | "002" | "003" | "004");
        let begins = word
            .split_once('-')
            .is_some_and(|(paper, item)| is_number(paper) && item.starts_with(|c: char| c.is_ascii_lowercase()));
        let ends = matches!(word, "materials-003" | "hardness-003");
        let is_paper = is_number(word) || begins || ends;
        // 48 000 is a number, too.
        is_paper && !(place > 0 && words[place - 1].ends_with(|c: char| c.is_ascii_digit()))
    })
}

/// Numbers of papers are for comments: who reads the documents is told authors and years.
#[test]
fn no_document_cites_a_paper_by_its_number() {
    let mut all = pages();
    all.extend(tutorials());
    all.extend(["README.md", "CHANGELOG.md"].map(|name| root().join(name)));
    all.extend(fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path()));
    for path in all.into_iter().filter(|path| path.extension().is_some_and(|end| end == "md")) {
        let page = fs::read_to_string(&path).unwrap();
        // The places that say which is which.
        let told = ["they are numbers", "in source files", "called before", "the old ones are still"];
        let lines = page.lines().filter(|line| told.iter().all(|words| !line.contains(words)));
        for line in lines {
            assert!(!cites_by_number(line), "{path:?}: {line}");
        }
    }
}

/// So is who uses the program: titles of pictures and scenes, notes of `reproduce`, sources of materials.
#[test]
fn nothing_that_the_program_says_cites_a_paper_by_its_number() {
    let mut folders: Vec<PathBuf> = ["tocco", "tocco-live", "tocco-lab", "tocco-host"]
        .iter()
        .map(|name| root().join("crates").join(name).join("src"))
        .chain(
            ["scenes", "designs", "bindings/web/studio", "crates/tocco-lab/tests"].iter().map(|name| root().join(name)),
        )
        .collect();
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let is_text =
                path.extension().is_some_and(|end| ["rs", "toml", "js", "html"].iter().any(|own| end == *own));
            if !is_text || path.ends_with("codemirror.js") {
                continue;
            }
            seen += 1;
            for line in fs::read_to_string(&path).unwrap().lines() {
                let said = line.trim_start();
                let is_comment = said.starts_with("//") || said.starts_with('*');
                // What is still understood where somebody types it, tests of that, and faults, which are in no build.
                let is_name = said.starts_with("&[\"")
                    || said.starts_with("const BEFORE")
                    || ["fault.rs", "tests/reproduce.rs"].iter().any(|own| path.ends_with(own));
                assert!(
                    is_comment || is_name || !cites_by_number(said.split(" // ").next().unwrap()),
                    "{path:?}: {line}"
                );
            }
        }
    }
    assert!(seen > 300, "{seen} files");
}

#[test]
fn every_shipped_scene_can_be_a_part_of_another() {
    for (name, _) in SHIPPED {
        let text = format!("[part.a]\nscene = \"{name}\"\n");
        let scene = library::from_text("whole", "whole", text, None).unwrap_or_else(|error| panic!("{name}: {error}"));
        Scene::build(&scene.def, scene.def.rate_hz).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

/// A reader hears a model before reading its equations.
#[test]
fn every_model_page_opens_with_an_example_and_a_sound_before_its_equations() {
    for path in pages() {
        let page = fs::read_to_string(&path).unwrap();
        let first = page.split("\n## ").nth(1).unwrap_or_default();
        let opening = if first.starts_with("Example") { first } else { page.split("\n## ").next().unwrap() };
        let heard = opening.split("`tocco render ").nth(1).or_else(|| opening.split("    tocco render ").nth(1));
        let heard = heard.unwrap_or_else(|| panic!("{path:?} opens without a sound")).split(' ').next().unwrap();
        let is_scene = SHIPPED.iter().any(|(name, _)| *name == heard);
        assert!(is_scene || heard.ends_with(".toml"), "{path:?}: no scene '{heard}'");
        assert!(!opening.contains("- ["), "{path:?}: equations come first");
        // What is heard stands there to be copied: a scene, or, where a command makes one, the command.
        let is_shown = opening.contains("```toml\n") || opening.contains("\n    tocco ");
        assert!(is_shown, "{path:?} opens without the text of a scene and without a command");
        // What is heard is what is shown: the text that the reader has saved under this name, or a file that a command before it has written.
        if opening.contains("```toml\n") {
            let (before, after) = opening.split_once("`tocco render ").unwrap();
            let [saved, written] = [format!("ave it as `{heard}`"), format!("save that as `{heard}`")];
            let first = format!("save the first of them as `{heard}`");
            assert!(
                [saved, written, first].iter().any(|said| before.contains(said)),
                "{path:?} plays {heard}, and shows another sound"
            );
            assert!(before.contains("```toml\n"), "{path:?}: what is saved comes first");
            let played = after.split("`tocco play ").nth(1).map(|rest| rest.split('`').next().unwrap());
            assert!(
                played.is_none_or(|name| name == heard || after.contains("A shipped scene: ")),
                "{path:?} plays {played:?}"
            );
        }
    }
}

#[test]
fn every_equation_has_its_page_and_every_tag_of_a_page_its_equation() {
    let table = fs::read_to_string(root().join("docs/equations.md")).unwrap();
    let table = table.split("<!-- tags -->").nth(1).unwrap();
    let tags: Vec<&str> = table.lines().filter_map(|l| l.strip_prefix("| ")?.split(' ').next()).collect();
    let all: Vec<String> = pages().iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    let is_tag = |text: &str| text.split_once('.').is_some_and(|(a, b)| !a.is_empty() && b.parse::<u32>().is_ok());
    let shown: Vec<&str> = all
        .iter()
        .flat_map(|page| page.split('[').skip(1))
        .filter_map(|rest| rest.split(']').next())
        .filter(|text| is_tag(text))
        .collect();
    for tag in tags.iter().filter(|tag| is_tag(tag)) {
        assert!(shown.contains(tag), "no page shows [{tag}]");
    }
    for tag in shown {
        assert!(tags.contains(&tag), "a page shows [{tag}], which docs/equations.md does not list");
    }
}

/// The pages of ten minutes each.
fn tutorials() -> Vec<PathBuf> {
    ["sound-designer", "musician", "researcher", "game-developer", "rust"]
        .map(|name| root().join(format!("docs/tutorials/{name}.md")))
        .to_vec()
}

/// Pieces of code of a page: what stands behind the three marks, and the text.
fn fenced(page: &str) -> Vec<(String, String)> {
    let piece = |part: &str| part.split_once('\n').map(|(head, text)| (head.trim().to_string(), text.to_string()));
    page.split("```").skip(1).step_by(2).filter_map(piece).collect()
}

/// Blocks that begin with `toml FILE` are written, those of `sh` are run line by line, in the order of the page.
#[test]
fn every_file_and_command_of_the_tutorials_does_what_it_should() {
    let program = Path::new(env!("CARGO_BIN_EXE_tocco")).parent().unwrap().to_path_buf();
    let path = std::env::join_paths(
        std::iter::once(program).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    )
    .unwrap();
    let mut commands = 0;
    for tutorial in tutorials() {
        let dir = tempfile::tempdir().unwrap();
        for (head, text) in fenced(&fs::read_to_string(&tutorial).unwrap()) {
            if let Some(file) = head.strip_prefix("toml ") {
                fs::write(dir.path().join(file), &text).unwrap();
            }
            for line in text.lines().filter(|_| head == "sh") {
                let mut shell = std::process::Command::new("sh");
                let done = shell.args(["-c", line]).env("PATH", &path).current_dir(dir.path()).output().unwrap();
                let said = String::from_utf8_lossy(&done.stderr);
                assert!(done.status.success(), "{tutorial:?}: {line}\n{said}");
                assert!(!said.contains("silen"), "{tutorial:?}: {line}\n{said}");
                commands += 1;
            }
        }
    }
    assert!(commands >= 20, "{commands}");
}

#[test]
fn the_sound_of_the_front_page_is_the_one_its_command_makes() {
    let dir = tempfile::tempdir().unwrap();
    let (sound, picture) = (dir.path().join("bar.wav"), dir.path().join("bar.png"));
    let program = Path::new(env!("CARGO_BIN_EXE_tocco"));
    let done = std::process::Command::new(program)
        .args(["render", "bar", "-o"])
        .arg(&sound)
        .arg("--picture")
        .arg(&picture)
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
    assert_shipped(&fs::read(&picture).unwrap(), &root().join("docs/bar.png"));
}

#[test]
fn the_walk_of_a_gesture_crosses_at_most_twelve_files_that_exist_and_changes_its_type_six_times() {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let walk = page.split("## From a gesture to a sample").nth(1).unwrap().split("\n## ").next().unwrap();
    let rows: Vec<&str> = walk.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| |")).collect();
    assert!((8..=12).contains(&rows.len()), "{} files", rows.len());
    for row in rows {
        let files: Vec<&str> = row.split('|').nth(2).unwrap().split('`').skip(1).step_by(2).collect();
        assert!(!files.is_empty(), "{row}");
        for file in files {
            assert!(root().join("crates").join(file).is_file(), "no {file}");
        }
    }
    let types = walk.split("Its types:").nth(1).unwrap().split('.').next().unwrap();
    assert_eq!(types.matches("->").count(), 6, "{types}");
}
