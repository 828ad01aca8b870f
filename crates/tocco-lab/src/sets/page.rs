// SPDX-License-Identifier: MIT OR Apache-2.0
//! The forced-choice test beside the sounds: `listen.html` runs it in any browser, `sheet.html` is its printed form, and
//! `set.json` tells `tocco answers` what was asked.

use super::Stimulus;
use super::design::Design;
use crate::atomic_file;
use crate::error::Result;
use crate::html::escape;
use crate::measure::Fnv;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

const PAGE: &str = include_str!("../../assets/listen.html");

/// Writes the pages, if the design asks for a test, and what `tocco answers` needs.
pub(crate) fn write(design: &Design, stimuli: &[Stimulus], blocks: &[usize], folder: &Path) -> Result<()> {
    let set = facts(design, stimuli, blocks);
    let mut text = serde_json::to_string_pretty(&set).unwrap_or_default();
    text.push('\n');
    atomic_file::write(&folder.join("set.json"), text.as_bytes())?;
    if design.listening.is_none() {
        return Ok(());
    }
    // In a script, "</" could end it.
    let data = set.to_string().replace("</", "<\\/");
    atomic_file::write(&folder.join("listen.html"), PAGE.replacen("/*SET*/", &data, 1).as_bytes())?;
    atomic_file::write(&folder.join("sheet.html"), sheet(design, stimuli.len()).as_bytes())
}

fn facts(design: &Design, stimuli: &[Stimulus], blocks: &[usize]) -> Value {
    let files: Vec<&str> = stimuli.iter().map(|stimulus| stimulus.file.as_str()).collect();
    let mut key = Fnv::default();
    let listening = design.listening.as_ref();
    // Whatever changes the sounds, the question or the answers makes it another test; another build or a comment does not.
    let asked = listening.map(|l| (&l.question, &l.answers));
    let Design { name, seed, level, encoding, .. } = design;
    key.add_bytes(format!("{name} {seed} {level:?} {encoding:?} {asked:?}").as_bytes());
    for Stimulus { file, plan, .. } in stimuli {
        let def = &plan.scene.def;
        let rest = format!("{file} {} {:?} {:?}", plan.rate_hz, plan.length, plan.sets);
        key.add_bytes(rest.as_bytes());
        key.add_bytes(def.to_toml().as_bytes());
        key.add_drives(def);
    }
    json!({
        "title": design.title,
        "key": format!("{}-{:08x}", design.name, key.0 as u32),
        "question": listening.map(|l| &l.question),
        "answers": listening.map(|l| &l.answers),
        "pause_s": listening.map(|l| l.pause_s),
        "calibration": design.calibration.map(|c| json!({ "lufs": c.lufs, "db_spl": c.db_spl })),
        "factors": design.factors.iter().map(|f| json!({ "name": f.name, "log": f.log })).collect::<Vec<_>>(),
        "derived": design.derived.iter().map(|(name, _)| name).collect::<Vec<_>>(),
        "seed": design.seed,
        "blocks": blocks,
        "files": files,
    })
}

const HEAD: &str = r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<style>
body { font: 15px/1.4 system-ui, sans-serif; color: #111; background: #fff; max-width: 54rem; margin: 1.5rem auto; padding: 0 1rem; }
h1 { font-size: 1.3rem; margin: 0 0 .4rem; } p { margin: .35rem 0; }
.who { display: flex; gap: 2rem; margin: .9rem 0; } .who span { flex: 1; border-bottom: 1px solid #111; padding-bottom: .2rem; }
ol { list-style: none; padding: 0; margin: .8rem 0 0; columns: 2; column-gap: 2.2rem; column-rule: 1px solid #bbb; }
li { display: flex; gap: .5rem; align-items: center; break-inside: avoid; padding: .22rem 0; border-bottom: 1px solid #ddd; font-size: .86rem; }
li b { width: 2.1rem; text-align: right; font-variant-numeric: tabular-nums; } li span { flex: 1; white-space: nowrap; }
li i { display: inline-block; width: .8rem; height: .8rem; border: 1.3px solid #111; border-radius: 50%; margin-right: .3rem; vertical-align: -.08rem; }
.how { margin-top: 1rem; font-size: .82rem; color: #444; }
@media print { @page { size: A4; margin: 14mm; } body { margin: 0; max-width: none; padding: 0; font-size: 12px; } li { padding: .06rem 0; font-size: 10.5px; line-height: 1.3; } li i { width: 8px; height: 8px; } .screen { display: none; } }
</style>
"#;

/// A sheet for pencil and paper: one line per trial.
fn sheet(design: &Design, trials: usize) -> String {
    let Some(listening) = &design.listening else { return String::new() };
    let mut page = String::from(HEAD);
    let (title, question) = (escape(&design.title), escape(&listening.question));
    let _ = write!(
        page,
        "<title>{title}: answer sheet</title>\n</head>\n<body>\n<p class=\"screen\"><button onclick=\"print()\">Print</button></p>\n\
         <h1>{title}</h1>\n<div class=\"who\"><span>Listener number</span><span>Date</span><span>Order (listener in order.tsv)</span></div>\n\
         <p>You will hear {trials} sounds, each once. After each, mark one circle. <b>{question}</b> If you are not sure, mark what comes closest.</p>\n<ol>\n"
    );
    let circles: String =
        listening.answers.iter().map(|word| format!("<span><i></i>{}</span>", escape(word))).collect();
    for trial in 1..=trials {
        let _ = writeln!(page, "<li><b>{trial}</b>{circles}</li>");
    }
    page.push_str(
        "</ol>\n<p class=\"how screen\">For the experimenter: play the files in the order that order.tsv gives this listener. Type the \
         marks into a table with the columns listener, trial, answer (tabs between), one line per trial, and hand it to \
         'tocco answers'.</p>\n</body>\n</html>\n",
    );
    page
}
