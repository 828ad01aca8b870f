// SPDX-License-Identifier: MIT OR Apache-2.0
//! The command line: what happens when something is typed.

mod analyse;
mod args;
mod compare;
mod mesh;
mod touch;
mod walk;

use crate::error::{HostError, Result, bad};
use crate::measure::dbfs;
use crate::recording::Mended;
use crate::render::{self, AUTO_MOST_S, Plan, Report, Target};
use crate::sweep::{self, Axis};
use crate::wav::Encoding;
use crate::{
    answers, atomic_file, bench, check, console, describe, gallery, interrupt, library, live, map, osc, parallel,
    recording, reproduce, sets, shoes, spectrogram, starter, studio, take,
};
pub use args::Cli;
use args::{Command, DatasetArgs, MapArgs, PlayArgs, RenderArgs, SweepArgs};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use tocco::scene::def::Length;
use tocco_lab::bench::Section;

const WELCOME: &str = "\
Tocco makes the sound of things touching. Three commands to begin with:

  tocco scenes                      the scenes that come with the program
  tocco render bar -o bar.wav       hear one of them
  tocco new strike -o mine.toml     a commented scene of your own to change

'tocco --help' lists every command, 'tocco COMMAND --help' shows examples.
";

/// Parts of `tocco bench`: those of the lab, and what needs a device or the program itself.
fn sections() -> Vec<Section> {
    let own = [bench::live::SECTION, bench::shoes::SECTION, bench::web::SECTION, bench::program::SECTION];
    tocco_lab::bench::SECTIONS.iter().copied().chain(own).collect()
}

/// Reads the arguments and does what they say; the exit code comes back.
pub fn main(arguments: impl IntoIterator<Item = std::ffi::OsString>) -> u8 {
    interrupt::clean_up_when_interrupted();
    let done = match Cli::try_parse_from(arguments) {
        Ok(cli) => run(cli),
        Err(error) => refused(&error),
    };
    let code = match done {
        Ok(()) => 0,
        Err(error) => {
            console::error(&error);
            error.code()
        }
    };
    // Not before the last line: whoever should read it may not.
    interrupt::over();
    code
}

/// Help and version are results; anything else becomes one line.
fn refused(error: &clap::Error) -> Result<()> {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => return console::result(&error.to_string()),
        _ => {}
    }
    let text = error.to_string();
    let first = text.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ");
    if let (Some(ContextValue::String(word)), Some(ContextValue::Strings(known))) =
        (error.get(ContextKind::InvalidValue), error.get(ContextKind::ValidValue))
        && !known.is_empty()
    {
        let what = console::one_line(first.split("\n  [possible values").next().unwrap_or(first));
        let near = tocco::scene::error::nearest(word, known.iter().map(String::as_str));
        return bad(format!("{what}{near} (see --help)"));
    }
    let mut line = console::one_line(first);
    let suggested = [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue];
    let hint = suggested.iter().find_map(|kind| match error.get(*kind)? {
        ContextValue::String(word) => Some(word.clone()),
        ContextValue::Strings(words) => words.last().cloned(), // the best comes last
        _ => None,
    });
    if let Some(hint) = hint {
        let _ = write!(line, "; did you mean '{hint}'?");
    }
    line.push_str(" (see --help)");
    bad(line)
}

fn run(cli: Cli) -> Result<()> {
    console::set_quiet(cli.quiet);
    match cli.command {
        None => console::result(WELCOME),
        Some(Command::Render(args)) => match &args.take {
            Some(take) => render_take(take, &args),
            None => render(&args),
        },
        Some(Command::Play(args)) => play(&args),
        Some(Command::Send(args)) => osc::client::run(&args),
        Some(Command::Check { scene, rate, json }) => check(&scene, rate, json),
        Some(Command::Describe { schema: true, .. }) => console::result(&tocco::scene::schema::schema_text()),
        Some(Command::Describe { what, json, .. }) => console::result(&describe::describe(what.as_deref(), json)?),
        Some(Command::Scenes { json: true, .. }) => scenes_json(),
        Some(Command::Scenes { name, .. }) => scenes(name.as_deref()),
        Some(Command::Completions { shell }) => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "tocco", &mut script);
            console::result(&String::from_utf8_lossy(&script))
        }
        Some(Command::Man { output }) => manual(&output),
        Some(Command::New { kind, output }) => new(&kind, output),
        Some(Command::Sweep(args)) => sweep(&args),
        Some(Command::Dataset(args)) => dataset(&args),
        Some(Command::Answers { set, files, output }) => answers(&set, &files, &output),
        Some(Command::Map(args)) => draw_map(&args),
        Some(Command::Recover { paths, list }) => recover(&paths, list),
        Some(Command::Analyse(args)) => args.run(),
        Some(Command::Mesh(args)) => {
            console::remark(&tocco_lab::mesh::run(&args.task())?);
            Ok(())
        }
        Some(Command::Compare(args)) => args.run(),
        Some(Command::Walk(args)) => args.run(),
        Some(Command::Shoes(args)) => shoes::run(&args),
        Some(Command::Haptic(args)) => {
            console::remark(&tocco_lab::haptic::run(&args.task()?)?);
            Ok(())
        }
        Some(Command::Fluid(args)) => {
            console::remark(&tocco_lab::fluid::run(&args.task())?);
            Ok(())
        }
        Some(Command::Cracks(args)) => {
            console::remark(&tocco_lab::cracks::run(&args.task()?)?);
            Ok(())
        }
        Some(Command::Reproduce { item: None, .. }) => {
            let wide = reproduce::items().iter().map(|(id, _)| id.len()).max().unwrap_or(0);
            let rows: String = reproduce::items().iter().map(|(id, title)| format!("{id:<wide$}  {title}\n")).collect();
            console::result(&rows)
        }
        Some(Command::Reproduce { item: Some(item), output }) => reproduce(&item, &output),
        Some(Command::Bench { sections, json }) => match tocco_lab::bench::run(&self::sections(), &sections, json)? {
            true => Ok(()),
            false => Err(HostError::Missed("bench: figures missed, see the table".into())),
        },
        Some(Command::Studio { export: Some(folder), .. }) => {
            studio::export(&folder)?;
            console::remark(&format!("serve {} with any static web server", console::file(&folder)));
            Ok(())
        }
        Some(Command::Studio { scene, port, host, no_open, osc, to, export: None }) => {
            let bridge = studio::bridge::Settings { from_port: osc, to };
            studio::serve(&studio::Studio { scene, host, port, open: !no_open, bridge })
        }
        Some(Command::Gallery { output, jobs }) => {
            let page = gallery::run(&output, jobs.unwrap_or_else(parallel::cores))?;
            console::remark(&format!("{} scenes; open {} in a browser", library::SHIPPED.len(), console::file(&page)));
            Ok(())
        }
    }
}

fn check(scene: &str, rate_hz: Option<f64>, json: bool) -> Result<()> {
    let report = library::load(scene).and_then(|scene| {
        let mut plan = Plan::new(scene);
        plan.rate_hz = rate_hz.unwrap_or(plan.rate_hz);
        check::report(&plan)
    });
    match report {
        Ok(report) => console::result(&if json { report.json() } else { report.text() }),
        Err(error) => {
            if json {
                let said = console::one_line(&error.to_string());
                console::result(&format!("{:#}\n", serde_json::json!({ "ok": false, "error": said })))?;
            }
            Err(error)
        }
    }
}

fn render(args: &RenderArgs) -> Result<()> {
    let (mut plan, files) = args.scene.plan_noting()?;
    if let Some(input) = &args.input {
        plan.hear(input)?;
    }
    let mut manner = args.file.manner()?;
    manner.probe = args.probe.clone().map(|path| (path, args.probe_of.clone()));
    let target = if args.output.as_os_str() == "-" { Target::Stdout } else { Target::File(args.output.clone()) };
    console::set_stdout_taken(target == Target::Stdout);
    let named = args.output.extension().map(|e| e.to_ascii_lowercase());
    if named
        .is_some_and(|e| ["mp3", "flac", "ogg", "opus", "aif", "aiff", "m4a", "aac"].iter().any(|other| e == *other))
    {
        return bad(format!("-o {}: it would be a WAV; name it so, and convert it after", args.output.display()));
    }
    let mut read = of_scene(&files);
    read.extend(args.input.as_deref().map(|input| ("--input", input)));
    atomic_file::keep_apart(&read, &written(args))?;
    if args.picture.is_some() && target == Target::Stdout {
        return bad("--picture needs a WAV file to look at; give -o a file name");
    }
    let report = render::to_wav(&plan, &target, &manner, true)?;
    if let Some(picture) = &args.picture {
        spectrogram::picture(&args.output, picture)?;
    }
    said(args, &report, manner.encoding)
}

/// Says what was rendered; silence is an error unless it was asked for.
fn said(args: &RenderArgs, report: &Report, encoding: Encoding) -> Result<()> {
    let words = report_words(&args.output.display().to_string(), report, encoding);
    if report.level.peak >= encoding.faintest() || args.allow_silence {
        console::remark(&words);
        return Ok(());
    }
    Err(HostError::Missed(format!("{words} (--allow-silence if so it should be)")))
}

/// What was read of a scene.
fn of_scene(files: &[PathBuf]) -> Vec<(&str, &Path)> {
    files.iter().map(|file| ("a file of the scene", file.as_path())).collect()
}

/// What a rendering writes.
fn written(args: &RenderArgs) -> Vec<(&'static str, &Path)> {
    let sound = (args.output.as_os_str() != "-").then_some(("-o", args.output.as_path()));
    let others = [("--probe", args.probe.as_deref()), ("--picture", args.picture.as_deref())];
    sound.into_iter().chain(others.into_iter().filter_map(|(what, path)| Some((what, path?)))).collect()
}

fn render_take(path: &Path, args: &RenderArgs) -> Result<()> {
    let manner = args.file.manner()?;
    atomic_file::keep_apart(&[("the take", path)], &written(args))?;
    let report = take::to_wav(&take::read(path)?, &args.output, &manner)?;
    if let Some(picture) = &args.picture {
        spectrogram::picture(&args.output, picture)?;
    }
    said(args, &report, manner.encoding)
}

fn play(args: &PlayArgs) -> Result<()> {
    if let Some(list) = args.seat.list(args.scene.is_some())? {
        return console::result(&list);
    }
    let Some(named) = args.scene.as_deref().filter(|_| !args.list_devices) else {
        return console::result(&live::play::devices());
    };
    let (mut scene, files) = library::load_noting(named)?;
    scene.def.seed = args.seed.unwrap_or(scene.def.seed);
    let recorded = [("--record", args.record.as_deref()), ("--wav", args.wav.as_deref())];
    let recorded: Vec<_> = recorded.into_iter().filter_map(|(what, path)| Some((what, path?))).collect();
    atomic_file::keep_apart(&of_scene(&files), &recorded)?;
    let mut play = live::play::Play {
        scene,
        sets: args.set.iter().map(|text| render::parse_set(text)).collect::<Result<_>>()?,
        device: args.device.clone(),
        offline: args.offline,
        buffer: args.buffer,
        rate_hz: args.rate,
        record: args.record.clone(),
        wav: args.wav.clone(),
        duration_s: args.duration,
        limiter: !args.no_limiter,
        look_s: tocco_live::limiter::LOOK_S,
        gate: !args.no_gate,
    };
    let mut fronts: Vec<_> = args.osc.front().into_iter().collect();
    let file = args.scene.as_deref().map(std::path::Path::new).filter(|file| file.is_file() && !args.offline);
    fronts.extend(file.map(|file| Box::new(live::follow::Follow::new(file, args.seed)) as Box<dyn live::play::Front>));
    let mut view = args.seat.view(&mut play, &mut fronts)?;
    live::play::run(&play, &mut *view, &mut fronts)
}

/// Mends, or only lists, what crashes have left.
fn recover(paths: &[PathBuf], list: bool) -> Result<()> {
    let (mut found, mut failed) = (0, Ok(()));
    for path in paths {
        for left in recording::unfinished(path)? {
            found += 1;
            let line = match recording::mend(&left, list) {
                Ok(Mended::Alive) => "is being recorded".to_owned(),
                Ok(Mended::Whole) => "is whole; nothing to mend".to_owned(),
                Ok(Mended::Empty) if list => "nothing was recorded in it yet".to_owned(),
                Ok(Mended::Empty) => "nothing was recorded in it yet; removed".to_owned(),
                Ok(Mended::Kept(words, target)) if list => format!("{words}, for {}", target.display()),
                Ok(Mended::Kept(words, target)) => format!("{words}, now {}", target.display()),
                Err(error) => {
                    failed = Err(error.clone());
                    error.to_string()
                }
            };
            console::result(&console::one_line(&format!("{}: {line}", left.display())))?;
        }
    }
    if found == 0 {
        console::remark("nothing was left unfinished");
    }
    failed
}

/// A name in a line: what would break the line or hide in it is shown as what it is.
fn report_words(name: &str, report: &Report, encoding: Encoding) -> String {
    let channels = if report.channels == 1 { "mono".into() } else { format!("{} channels", report.channels) };
    let name = console::one_line(name);
    let mut text = format!("{name}: {:.3} s, {channels}, {} Hz, ", report.seconds(), report.rate_hz);
    let clipped = if encoding == Encoding::Float32 { "samples above full scale" } else { "clipped samples" };
    let peak = report.level.peak;
    if peak >= encoding.faintest() {
        let _ = write!(text, "peak {}, {} {clipped}", dbfs(peak), report.over);
    } else if peak > 0.0 {
        let _ = write!(
            text,
            "SILENT: its peak, {}, is less than half a step of the file; raise the taps' gain, or use --normalise",
            dbfs(peak)
        );
    } else {
        text.push_str("SILENT: nothing reached a tap; does anything strike, and does a tap hear it?");
    }
    if report.over > 0 && peak > 0.0 {
        text.push_str("; lower the taps' gain, or use --normalise");
    }
    if report.cut && peak > 0.0 {
        let _ = write!(
            text,
            "\nstill sounding after {AUTO_MOST_S} s, where an automatic length ends; give --duration for more"
        );
    }
    if !report.omitted.is_empty() {
        let _ = write!(text, "\nleft out at this rate: {}", report.omitted.join(", "));
    }
    let health = &report.health;
    if health.omitted > 0 {
        let _ = write!(text, "\nsilent at the end: {} modes tuned past half the rate", health.omitted);
    }
    if health.capped > 0 {
        let _ = write!(text, "\nleft out: {} events beyond what a process may make in a millisecond", health.capped);
    }
    if health.unconverged + health.refused + health.reset > 0 {
        let _ = write!(
            text,
            "\nhealth: {} unconverged contact solves, {} refused commands, {} bodies reset",
            health.unconverged, health.refused, health.reset
        );
    }
    text
}

fn reproduce(item: &str, folder: &Path) -> Result<()> {
    if !reproduce::words().any(|word| word == item) {
        return bad(format!("no item '{item}'{}", reproduce::nearest(item)));
    }
    atomic_file::create_folder(folder)?;
    let mut unheard = Ok(());
    let done = reproduce::run(item, folder, &mut |text| unheard = unheard.clone().and_then(|()| console::result(text)));
    unheard?;
    match done {
        Ok(true) => Ok(()),
        Ok(false) => Err(HostError::Missed(format!("some figures were missed; see {}", folder.display()))),
        Err(cause) => Err(HostError::Machine(cause)),
    }
}

fn scenes(name: Option<&str>) -> Result<()> {
    if let Some(name) = name {
        let all = || library::SHIPPED.iter().chain(sets::DESIGNS);
        return match all().find(|(known, _)| *known == name).copied().or_else(|| sets::shipped(name)) {
            Some((_, text)) => console::result(text),
            None => {
                let known = all().map(|(known, _)| *known);
                bad(format!("no shipped scene or design '{name}'{}", tocco::scene::error::nearest(name, known)))
            }
        };
    }
    let scenes = library::shipped()?;
    let wide = scenes.iter().map(|scene| scene.name.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for scene in &scenes {
        let length = match scene.def.duration {
            Length::Auto => "auto".into(),
            Length::Seconds(s) => format!("{} s", check::short(s)),
        };
        let _ = writeln!(text, "{:<wide$}  {length:>6}  {}", scene.name, scene.title());
    }
    console::result(&text)
}

fn scenes_json() -> Result<()> {
    let row = |scene: &tocco::Document| {
        let seconds = match scene.def.duration {
            Length::Auto => serde_json::Value::Null,
            Length::Seconds(s) => s.into(),
        };
        serde_json::json!({ "name": scene.name, "title": scene.title(), "seconds": seconds })
    };
    let rows: Vec<_> = library::shipped()?.iter().map(row).collect();
    console::result(&format!("{:#}\n", serde_json::Value::Array(rows)))
}

/// A manual page for the program and for every command.
fn manual(folder: &Path) -> Result<()> {
    atomic_file::create_folder(folder)?;
    let page = |command: clap::Command, name: String| {
        let mut text = Vec::new();
        let written = clap_mangen::Man::new(command.name(name.clone())).render(&mut text);
        written.map_err(|error| HostError::Machine(error.to_string()))?;
        atomic_file::write(&folder.join(format!("{name}.1")), &text)
    };
    let mut program = Cli::command();
    program.build();
    let commands: Vec<clap::Command> = program.get_subcommands().filter(|c| c.get_name() != "help").cloned().collect();
    let count = commands.len() + 1;
    page(program, "tocco".into())?;
    for command in commands {
        let name = format!("tocco-{}", command.get_name());
        page(command, name)?;
    }
    console::remark(&format!("{count} pages in {}", console::file(folder)));
    Ok(())
}

fn new(kind: &str, output: Option<PathBuf>) -> Result<()> {
    let text = starter::text(kind)?;
    let Some(path) = output else { return console::result(text) };
    if path.is_file() {
        return bad(format!("{} exists already; name another file", path.display()));
    }
    atomic_file::write(&path, text.as_bytes())?;
    let path = console::file(&path);
    console::remark(&format!("{path}: now 'tocco render {path} -o {kind}.wav'"));
    console::remark("for an editor that completes: tocco describe --schema > tocco.schema.json, in the same folder");
    Ok(())
}

fn sweep(args: &SweepArgs) -> Result<()> {
    let threads = args.jobs.unwrap_or_else(parallel::cores);
    if let Some(design) = sets::load(args.scene.named())? {
        refuse_beside_a_design(args)?;
        keep_set_apart(&[("the design", Path::new(args.scene.named()))], &args.output)?;
        let summary = sets::run(&design, &args.output, threads)?;
        swept(summary, &args.output);
        if design.listening.is_some() {
            console::remark(&format!("open {} in a browser", console::file(&args.output.join("listen.html"))));
        }
        return Ok(());
    }
    if args.over.is_empty() {
        // A name that is neither scene nor design is the likelier mistake.
        library::load(args.scene.named()).map_err(|e| match e {
            HostError::BadInput(text) if text.starts_with("no file and no shipped scene") => {
                let known = sets::DESIGNS.iter().map(|(name, _)| *name);
                let known = known.chain(library::SHIPPED.iter().map(|(name, _)| *name));
                let near = tocco::scene::error::nearest(args.scene.named(), known);
                HostError::BadInput(format!("no file, shipped design or scene '{}'{near}", args.scene.named()))
            }
            other => other,
        })?;
        return bad("nothing to sweep over: give --over PATH=RANGE, or a design file (docs/stimulus-sets.md)");
    }
    let axes = args.over.iter().map(|text| Axis::parse(text)).collect::<Result<Vec<_>>>()?;
    let ((plan, files), manner) = (args.scene.plan_noting()?, args.file.manner()?);
    keep_set_apart(&of_scene(&files), &args.output)?;
    let summary = sweep::run(&plan, &axes, &manner, &args.output, threads)?;
    swept(summary, &args.output);
    Ok(())
}

fn dataset(args: &DatasetArgs) -> Result<()> {
    let Some(design) = sets::load(&args.design)? else {
        let near = tocco::scene::error::nearest(&args.design, sets::DESIGNS.iter().map(|(name, _)| *name));
        let what = "is no design; write one as docs/stimulus-sets.md says";
        return bad(format!("'{}' {what}{near}", args.design));
    };
    keep_set_apart(&[("the design", Path::new(&args.design))], &args.output)?;
    let threads = args.jobs.unwrap_or_else(parallel::cores);
    let manner = sets::dataset::Manner { shard: args.shard, truth: args.truth.clone(), threads };
    let made = sets::dataset::run(&design, &args.output, &manner)?;
    let found = if made.found > 0 { format!(", {} of them from before", made.found) } else { String::new() };
    let file = args.output.join("dataset.json");
    console::remark(&format!("{} sounds in {} shards{found}; {}", made.sounds, made.shards, console::file(&file)));
    Ok(())
}

/// Refuses a folder from which something is read that sounds, tables and pages of a set would overwrite.
fn keep_set_apart(read: &[(&str, &Path)], folder: &Path) -> Result<()> {
    let tables =
        ["manifest.tsv", "order.tsv", "calibration.wav", "set.json", "listen.html", "sheet.html", "dataset.json"];
    let numbered = |name: &str| {
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        stem.rsplit_once('-')
            .is_some_and(|(_, number)| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
    };
    atomic_file::keep_folder_apart(read, folder, |name| tables.contains(&name) || numbered(name))
}

fn swept(summary: sweep::Summary, folder: &Path) {
    let found = if summary.found > 0 { format!(", {} of them from before", summary.found) } else { String::new() };
    console::remark(&format!("{} files{found}; {}", summary.files, console::file(&folder.join("manifest.tsv"))));
}

/// A design says everything about its sounds, so that the file alone repeats them.
fn refuse_beside_a_design(args: &SweepArgs) -> Result<()> {
    let given = [
        ("--over", !args.over.is_empty(), "[[factor]]"),
        ("--set", !args.scene.set.is_empty(), "[set]"),
        ("--duration", args.scene.duration.is_some(), "duration_s"),
        ("--rate", args.scene.rate.is_some(), "rate_hz"),
        ("--seed", args.scene.seed.is_some(), "seed"),
        ("--bits", args.file.bits.is_some(), "bits"),
        ("--gain-db", args.file.gain_db != 0.0, "[level]"),
        ("--normalise", args.file.normalise.is_some(), "[level]"),
    ];
    match given.iter().find(|(_, given, _)| *given) {
        Some((option, _, key)) => bad(format!("{option} does not go with a design; write {key} in the file")),
        None => Ok(()),
    }
}

fn answers(set: &Path, files: &[PathBuf], output: &Path) -> Result<()> {
    let read: Vec<_> = files.iter().map(|file| ("an answer", file.as_path())).collect();
    let names = ["proportions.csv", "proportions.png", "ranges.csv", "ranges.png"];
    atomic_file::keep_folder_apart(&read, output, |name| names.contains(&name))?;
    let summary = answers::run(set, files, output)?;
    let missing = if summary.missing > 0 { format!(", {} sounds without any", summary.missing) } else { String::new() };
    let (listeners, answers) = (answers::picture::counted(summary.listeners), summary.answers);
    let (word, output) = (if answers == 1 { "answer" } else { "answers" }, console::file(output));
    console::remark(&format!("{listeners}, {answers} {word}{missing}; proportions and ranges in {output}"));
    Ok(())
}

fn draw_map(args: &MapArgs) -> Result<()> {
    let (x, y) = (map::Axis::parse("--x", &args.x)?, map::Axis::parse("--y", &args.y)?);
    if args.output.extension().is_none_or(|end| end != "png") {
        return bad(format!("-o {}: a map is a picture; give a name that ends in .png", args.output.display()));
    }
    let (plan, files) = args.scene.plan_noting()?;
    let table = args.output.with_extension("csv");
    atomic_file::keep_apart(&of_scene(&files), &[("-o", &args.output), ("the table", &table)])?;
    let map = map::run(&plan, &x, &y, args.of.as_deref(), args.jobs.unwrap_or_else(parallel::cores))?;
    let table = map.write(plan.scene.title(), &args.output)?;
    console::remark(&format!("{}\n{} and {}", map.summary(), console::file(&args.output), console::file(&table)));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::args::parse_length;
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed_and_every_command_shows_examples() {
        let command = Cli::command();
        command.clone().debug_assert();
        for sub in command.get_subcommands() {
            let help = sub.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.starts_with("Examples:\n  tocco ") && help.contains("You get"), "{}", sub.get_name());
        }
    }

    #[test]
    fn a_wrong_option_is_answered_in_one_line_with_the_nearest() {
        let error = Cli::try_parse_from(["tocco", "render", "bar", "--outptu", "x"]).unwrap_err();
        let HostError::BadInput(line) = refused(&error).unwrap_err() else { panic!() };
        assert!(!line.contains('\n') && line.contains("--output"), "{line}");
    }

    #[test]
    fn durations_are_seconds_above_zero_or_auto() {
        assert_eq!(parse_length("auto"), Ok(Length::Auto));
        assert_eq!(parse_length("0.5"), Ok(Length::Seconds(0.5)));
        for text in ["0", "-1", "nan", "inf", "1e999", "long"] {
            assert!(parse_length(text).is_err(), "{text}");
        }
    }
}
