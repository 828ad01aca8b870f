// SPDX-License-Identifier: MIT OR Apache-2.0
//! `tocco gallery`: every shipped scene as sound and picture, with a page to listen to them.

use crate::atomic_file;
use crate::console::ProgressBar;
use crate::error::Result;
use crate::library;
use crate::measure::dbfs;
use crate::parallel;
use crate::render::{Manner, Plan, Report, Target, VERSION, to_wav};
use crate::spectrogram;
use crate::wav::Encoding;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use tocco::Document;
use tocco_lab::html::escape;

/// Renders everything into `folder`; gives back the page.
pub fn run(folder: &Path, threads: usize) -> Result<PathBuf> {
    let scenes = library::shipped()?;
    atomic_file::create_folder(folder)?;
    let bar = ProgressBar::new(scenes.len() as u64, "scenes");
    // 16 bit: every browser plays it.
    let manner = Manner { encoding: Encoding::Int16, ..Manner::default() };
    let reports = parallel::run(scenes.len(), threads, |index| {
        let scene = &scenes[index];
        let wav = folder.join(format!("{}.wav", scene.name));
        let report = to_wav(&Plan::new(scene.clone()), &Target::File(wav.clone()), &manner, false)?;
        spectrogram::picture(&wav, &folder.join(format!("{}.png", scene.name)))?;
        bar.step(&scene.name);
        Ok(report)
    })?;
    let page = folder.join("index.html");
    atomic_file::write(&page, html(&scenes, &reports).as_bytes())?;
    Ok(page)
}

const HEAD: &str = r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tocco: the sound of things touching</title>
<link rel="icon" href="data:,">
<style>
:root { color-scheme: light dark; --page: #f6f5f1; --card: #fff; --ink: #1d1f26; --soft: #5c6070; --line: #dcdad2; --mark: #b4451f; }
@media (prefers-color-scheme: dark) { :root { --page: #12131a; --card: #1b1d27; --ink: #e8e9f0; --soft: #a0a5b8; --line: #2e3140; --mark: #ff9d66; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
header, main, footer { max-width: 62rem; margin: 0 auto; padding: 1.5rem 1rem; }
h1 { margin: 0; font-size: 1.9rem; } h2 { margin: 0; font-size: 1.25rem; }
header p, footer p { color: var(--soft); margin: .3rem 0; }
article { background: var(--card); border: 1px solid var(--line); border-radius: .8rem; padding: 1.1rem 1.2rem; margin-bottom: 1.4rem; }
article p { margin: .35rem 0 .7rem; max-width: 50rem; }
audio { width: 100%; display: block; margin: .5rem 0; }
img { width: 100%; height: auto; display: block; border-radius: .5rem; }
.facts { color: var(--soft); font-size: .9rem; font-variant-numeric: tabular-nums; }
.trouble { color: var(--mark); font-weight: 600; }
code, pre { font: .85rem/1.45 ui-monospace, monospace; } pre { overflow-x: auto; background: var(--page); border: 1px solid var(--line); border-radius: .5rem; padding: .8rem; }
summary { cursor: pointer; color: var(--mark); } details { margin-top: .7rem; }
nav { columns: 3 14rem; padding: 0; margin: 1rem 0 0; } nav a { display: block; color: var(--mark); }
h2::first-letter, nav a::first-letter { text-transform: uppercase; }
</style>
</head>
<body>
"#;

fn html(scenes: &[Document], reports: &[Report]) -> String {
    let mut page = String::from(HEAD);
    let _ = write!(
        page,
        "<header>\n<h1>Tocco</h1>\n<p>The sound of things touching. {} scenes, each computed from its physics by {VERSION}; nothing here is a recording.</p>\n<nav aria-label=\"Scenes\">\n",
        scenes.len()
    );
    for scene in scenes {
        let _ = writeln!(page, "<a href=\"#{}\">{}</a>", escape(&scene.name), escape(scene.title()));
    }
    page.push_str("</nav>\n</header>\n<main>\n");
    for (scene, report) in scenes.iter().zip(reports) {
        let (name, title) = (escape(&scene.name), escape(scene.title()));
        let _ = write!(
            page,
            "<article id=\"{name}\">\n<h2>{title}</h2>\n<p>{}</p>\n\
             <audio controls preload=\"metadata\" src=\"{name}.wav\" aria-label=\"{title}\"></audio>\n\
             <img src=\"{name}.png\" width=\"960\" height=\"440\" loading=\"lazy\" alt=\"Waveform and spectrogram of {title}\">\n\
             <p class=\"facts\">{}</p>\n\
             <details><summary>The scene: <code>tocco render {name} -o {name}.wav</code></summary><pre>{}</pre></details>\n</article>\n",
            escape(&scene.comment()),
            facts(report),
            escape(&scene.text)
        );
    }
    page.push_str("</main>\n<footer><p>Pictures: waveform above; below, frequency on a logarithmic axis against time, brighter is louder (dB below full scale).</p></footer>\n</body>\n</html>\n");
    page
}

fn facts(report: &Report) -> String {
    let mut words = vec![
        format!("{:.2} s", report.seconds()),
        format!("{} Hz", report.rate_hz),
        if report.channels == 1 { "mono".into() } else { format!("{} channels", report.channels) },
        format!("peak {}", dbfs(report.level.peak)),
        format!("mean level {}", dbfs(report.level.rms())),
    ];
    let health = &report.health;
    let trouble = health.unconverged + health.refused + health.reset + report.over;
    words.push(if trouble == 0 {
        "every contact solved".into()
    } else {
        format!(
            "<span class=\"trouble\">{} unconverged, {} refused, {} reset, {} clipped</span>",
            health.unconverged, health.refused, health.reset, report.over
        )
    });
    words.join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_asks_nothing_of_the_network_and_escapes_what_it_shows() {
        assert!(!HEAD.contains("http") && !HEAD.contains("//"));
        assert_eq!(escape("<a href=\"x\">&"), "&lt;a href=&quot;x&quot;&gt;&amp;");
    }
}
