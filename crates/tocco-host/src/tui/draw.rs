// SPDX-License-Identifier: MIT OR Apache-2.0
//! A panel as cells of a terminal. Pure: the same panel and area give the same cells.

use super::panel::{FLOOR_DB, Meter, Panel, Row};
use crate::check::short;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

/// Lines below the rows: a rule, remarks, keys.
const BELOW: u16 = 6;
/// Columns of a row: its name, and its value with unit.
const NAME: u16 = 26;
const VALUE: u16 = 22;

const KEYS: &str = "space strike  h hit  arrows move  0-9 type  l learn  p panic  r replay  ? help  q quit";

const HELP: &[&str] = &[
    "up, down, PgUp, PgDn   choose a control or path",
    "left, right            move it; with shift finely, with control coarsely",
    "0-9 . -                type a value in its unit, then Enter (Esc: never mind)",
    "space, Enter           strike the mass         Tab        next mass",
    "h                      hit the place           Shift-Tab  next place",
    "< >                    softer, harder",
    "l                      MIDI learn: then move a knob (or press a key, for the mass)",
    "p                      panic: everything to rest",
    "r                      the scene from its beginning",
    "q, Ctrl-C              quit                    ?          these lines",
];

/// Draws the panel into the area; whatever does not fit is left out.
pub fn draw(panel: &Panel, area: Rect, cells: &mut Buffer) {
    let mut pen = Pen { area, cells, y: 0 };
    let (plain, bold) = (Style::new(), Style::new().add_modifier(Modifier::BOLD));
    let dim = Style::new().fg(Color::DarkGray);
    pen.at(0, &panel.title, bold);
    pen.right(&format!("{}  {} Hz  {:.1} s", panel.device, short(panel.rate_hz), panel.seconds), plain);
    pen.y += 1;
    let widest = panel.meter_names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let column = u16::try_from(widest + 1).unwrap_or(u16::MAX).clamp(5, 20);
    for (name, meter) in panel.meter_names.iter().zip(&panel.meters) {
        draw_meter(&mut pen, name, column, meter);
        pen.y += 1;
    }
    draw_load(&mut pen, panel);
    pen.y += 1;
    draw_health(&mut pen, panel);
    pen.y += 1;
    pen.rule(dim);
    pen.y += 1;
    if panel.help {
        for line in HELP {
            pen.at(0, line, plain);
            pen.y += 1;
        }
    } else {
        draw_rows(&mut pen, panel);
    }
    pen.y = pen.area.height.saturating_sub(BELOW).max(pen.y);
    draw_hands(&mut pen, panel);
    pen.y += 1;
    // The newest remark stands lowest; it is the last to go where there is no room.
    let room = usize::from(pen.area.height.saturating_sub(pen.y + 1));
    let skip = panel.news.len().saturating_sub(room);
    for line in panel.news.iter().skip(skip) {
        pen.at(0, line, Style::new().fg(Color::Yellow));
        pen.y += 1;
    }
    pen.y = pen.area.height.saturating_sub(1);
    pen.at(0, KEYS, dim);
}

fn draw_meter(pen: &mut Pen<'_>, name: &str, from: u16, meter: &Meter) {
    let level = |db: f64| if db > FLOOR_DB { format!("{db:6.1}") } else { "  -inf".to_owned() };
    let shown: String = name.chars().take(usize::from(from) - 1).collect();
    pen.at(0, &shown, Style::new());
    let width = pen.area.width.saturating_sub(from + 24);
    let fraction = |db: f64| ((db - FLOOR_DB) / -FLOOR_DB).clamp(0.0, 1.0);
    let colour = match meter.hold_db {
        db if db > -1.0 => Color::Red,
        db if db > -6.0 => Color::Yellow,
        _ => Color::Green,
    };
    pen.bar(from, width, fraction(meter.rms_db), Style::new().fg(colour));
    if meter.hold_db > FLOOR_DB && width > 0 {
        let mark = (fraction(meter.hold_db) * f64::from(width - 1)) as u16;
        pen.at(from + mark, "|", Style::new().fg(colour).add_modifier(Modifier::BOLD));
    }
    let words = format!(" {} peak {} dBFS", level(meter.rms_db), level(meter.hold_db));
    pen.at(from + width, &words, Style::new());
}

fn draw_load(pen: &mut Pen<'_>, panel: &Panel) {
    let [mean, most] = panel.load;
    pen.at(0, "load", Style::new());
    let (from, width) = (5, pen.area.width.saturating_sub(5 + 24).min(20));
    let colour = if most > 0.7 { Color::Red } else { Color::Cyan };
    pen.bar(from, width, mean.clamp(0.0, 1.0), Style::new().fg(colour));
    let limiter = |(name, db): &(String, f64)| match name.as_str() {
        "" => format!("   limiter {db:.1} dB"),
        name => format!("   {name} limited {db:.1} dB"),
    };
    let limited: String = panel.limited_db.iter().map(limiter).collect();
    pen.at(from + width, &format!(" {:.0} %, most {:.0} %{limited}", 100.0 * mean, 100.0 * most), Style::new());
}

fn draw_health(pen: &mut Pen<'_>, panel: &Panel) {
    let mut x = 0;
    for (what, count) in &panel.health {
        let style = if *count > 0 { Style::new().fg(Color::Red) } else { Style::new().fg(Color::DarkGray) };
        let words = format!("{what} {count}");
        pen.at(x, &words, style);
        x += words.chars().count() as u16 + 3;
    }
}

fn draw_rows(pen: &mut Pen<'_>, panel: &Panel) {
    let room = usize::from(pen.area.height.saturating_sub(pen.y + BELOW));
    if panel.rows.is_empty() {
        pen.at(0, "nothing here can be moved", Style::new().fg(Color::DarkGray));
    }
    // The chosen row stays in the middle where there is room for both sides.
    let most = panel.rows.len().saturating_sub(room);
    let first = panel.chosen.saturating_sub(room / 2).min(most);
    for (index, row) in panel.rows.iter().enumerate().skip(first).take(room) {
        let chosen = index == panel.chosen;
        draw_row(pen, row, chosen, if chosen { &panel.entry } else { "" }, chosen && panel.learning);
        pen.y += 1;
    }
}

fn draw_row(pen: &mut Pen<'_>, row: &Row, chosen: bool, entry: &str, learning: bool) {
    let style = if chosen { Style::new().add_modifier(Modifier::REVERSED) } else { Style::new() };
    let mark = if row.control { '*' } else { ' ' };
    pen.at(0, &fit(&format!("{mark} {}", row.path), NAME), style);
    let width = pen.area.width.saturating_sub(NAME + VALUE + 1);
    let colour = if learning { Color::Magenta } else { Color::Blue };
    pen.bar(NAME + 1, width, row.position, Style::new().fg(colour));
    let unit = if row.unit == "1" { "" } else { row.unit };
    let words = match (entry, learning) {
        ("", false) => format!(" {} {unit}", short(row.value())),
        ("", true) => " move a knob".into(),
        (typed, _) => format!(" {typed}_ {unit}"),
    };
    pen.at(NAME + 1 + width, &words, style);
}

/// What the next strike and the next hit will be.
fn draw_hands(pen: &mut Pen<'_>, panel: &Panel) {
    let of = |list: &[String], index: usize| match list.get(index) {
        Some(name) => format!("{name} ({} of {})", index + 1, list.len()),
        None => "nothing".into(),
    };
    let words = format!(
        "strike {} at {} m/s   hit {}",
        of(&panel.masses, panel.mass),
        short(panel.speed_m_s),
        of(&panel.sites, panel.site)
    );
    pen.at(0, &words, Style::new().add_modifier(Modifier::BOLD));
}

/// Exactly so many columns.
fn fit(text: &str, width: u16) -> String {
    let width = usize::from(width);
    let count = text.chars().count();
    match count > width {
        true => text.chars().take(width.saturating_sub(1)).chain(['~']).collect(),
        false => format!("{text:<width$}"),
    }
}

/// Writes within an area, never outside.
struct Pen<'a> {
    area: Rect,
    cells: &'a mut Buffer,
    y: u16,
}

impl Pen<'_> {
    fn at(&mut self, x: u16, text: &str, style: Style) {
        if self.y < self.area.height && x < self.area.width {
            let width = usize::from(self.area.width - x);
            let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            self.cells.set_stringn(self.area.x + x, self.area.y + self.y, clean, width, style);
        }
    }

    fn right(&mut self, text: &str, style: Style) {
        let width = text.chars().count() as u16 + 1;
        self.at(self.area.width.saturating_sub(width), &format!(" {text}"), style);
    }

    fn rule(&mut self, style: Style) {
        self.at(0, &"-".repeat(usize::from(self.area.width)), style);
    }

    fn bar(&mut self, x: u16, width: u16, fraction: f64, style: Style) {
        let full = (fraction * f64::from(width)).round() as usize;
        let full = full.min(usize::from(width));
        self.at(x, &"\u{2588}".repeat(full), style);
        let rest = "\u{00b7}".repeat(usize::from(width) - full);
        self.at(x + full as u16, &rest, Style::new().fg(Color::DarkGray));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use tocco::param::Scale;

    fn panel() -> Panel {
        let row = |path: &str, position| Row {
            path: path.into(),
            control: path == "hard",
            unit: "N/m^exponent",
            range: [1e6, 1e10],
            scale: Scale::Log,
            position,
        };
        Panel {
            title: "a bar".into(),
            device: "null".into(),
            rate_hz: 48_000.0,
            seconds: 12.34,
            meters: vec![Meter { rms_db: -30.0, hold_db: -12.5, held_s: 0.0 }, Meter::default()],
            meter_names: vec!["L".into(), "R".into()],
            load: [0.25, 0.5],
            health: vec![("unconverged", 0), ("refused", 2), ("reset", 0), ("xruns", 0)],
            rows: vec![row("hard", 0.5), row("hit/stiffness", 0.0)],
            masses: vec!["hammer".into()],
            sites: vec!["bar".into()],
            speed_m_s: 1.0,
            news: ["load: at most 8 sub-steps".into()].into(),
            ..Panel::default()
        }
    }

    fn lines(panel: &Panel, width: u16, height: u16) -> Vec<String> {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(panel, frame.area(), frame.buffer_mut())).unwrap();
        let cells = terminal.backend().buffer();
        let row = |y| (0..width).map(|x| cells[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
        (0..height).map(row).collect()
    }

    #[test]
    fn title_device_levels_load_health_rows_remarks_and_keys_are_all_in_sight() {
        let all = lines(&panel(), 90, 20);
        assert!(all[0].starts_with("a bar") && all[0].ends_with("null  48000 Hz  12.3 s"), "{all:#?}");
        assert!(all[1].starts_with("L    ████") && all[1].contains(" -30.0 peak  -12.5 dBFS"), "{all:#?}");
        assert!(all[2].starts_with("R    ····") && all[2].contains("-inf"), "{all:#?}");
        assert!(all[3].contains("25 %, most 50 %"), "{all:#?}");
        assert!(all[4].contains("unconverged 0   refused 2   reset 0   xruns 0"), "{all:#?}");
        assert!(all[6].starts_with("* hard") && all[6].ends_with("1e8 N/m^exponent"), "{all:#?}");
        assert!(all[7].starts_with("  hit/stiffness") && all[7].ends_with("1e6 N/m^exponent"), "{all:#?}");
        assert!(all.iter().any(|line| line == "strike hammer (1 of 1) at 1 m/s   hit bar (1 of 1)"), "{all:#?}");
        assert!(all.iter().any(|line| line == "load: at most 8 sub-steps"), "{all:#?}");
        assert!(all[19].starts_with("space strike"), "{all:#?}");
    }

    #[test]
    fn a_bar_is_as_long_as_its_position_and_the_peak_mark_stands_beyond_the_level() {
        let all = lines(&panel(), 90, 20);
        let bar = all[6].chars().filter(|c| *c == '█').count();
        assert_eq!(bar, 21, "{all:#?}");
        let level = all[1].chars().position(|c| c == '·').unwrap();
        assert!(all[1].chars().position(|c| c == '|').unwrap() > level);
    }

    #[test]
    fn what_is_typed_and_what_is_learnt_show_in_the_chosen_row() {
        let mut panel = panel();
        panel.entry = "2.5e".into();
        assert!(lines(&panel, 90, 20)[6].ends_with("2.5e_ N/m^exponent"));
        panel.entry.clear();
        panel.learning = true;
        assert!(lines(&panel, 90, 20)[6].ends_with("move a knob"));
        panel.help = true;
        assert!(lines(&panel, 90, 20).iter().any(|line| line.contains("MIDI learn")));
    }

    #[test]
    fn the_chosen_row_of_a_long_list_is_in_sight_and_no_size_of_terminal_panics() {
        let mut panel = panel();
        let row = panel.rows[1].clone();
        panel.rows.extend((0..200).map(|i| Row { path: format!("row-{i}"), ..row.clone() }));
        panel.news.push_back("a\u{1b}[31m remark\nwith breaks".into());
        for chosen in [0, 1, 100, 201] {
            panel.chosen = chosen;
            let wanted = panel.rows[chosen].path.clone();
            assert!(lines(&panel, 80, 24).iter().any(|line| line.contains(&wanted)), "{chosen}");
        }
        for (width, height) in [(1, 1), (3, 40), (200, 2), (10, 10), (20, 5), (80, 24), (300, 100)] {
            for help in [false, true] {
                panel.help = help;
                lines(&panel, width, height);
            }
        }
    }
}
