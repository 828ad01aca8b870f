// SPDX-License-Identifier: MIT OR Apache-2.0
//! `tocco play` on a terminal: meters, controls, health, and keys that play.
//!
//! [`panel`] is what is shown and what keys do to it, without a terminal; [`draw`] turns it into cells. Here is what
//! joins them to a real terminal. A thread of its own draws, because a slow terminal must not hold up the desk; another reads the
//! keys, because nobody who has the desk may keep Ctrl-C from being heard.

pub mod draw;
pub mod panel;
pub mod seat;

use crate::error::{HostError, Result};
use crate::interrupt;
use crate::live::building::Building;
use crate::live::play::{GOODBYE, Go, View};
use crate::live::{Desk, When};
use crate::midi::{self, Learn};
use panel::{Key, Panel};
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{Clear, ClearType, disable_raw_mode};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Keys that wait while somebody else has the desk, at most.
const MOST_TYPED: usize = 256;
/// Time between two pictures.
const FRAME: Duration = Duration::from_millis(40);

/// The terminal view. It takes the screen at the first turn and gives it back when it ends, is dropped or panics.
pub struct Tui {
    panel: Panel,
    screen: Option<Screen>,
    next: Instant,
    midi: Option<midi::Shared>,
    /// The scene that is to begin anew.
    building: Option<Building>,
}

impl Tui {
    /// A view that has not yet taken the screen. With a MIDI translator, controls can be learnt.
    pub fn new(midi: Option<midi::Shared>) -> Self {
        let panel = Panel { can_learn: midi.is_some(), ..Panel::default() };
        Self { panel, screen: None, next: Instant::now(), midi, building: None }
    }

    fn act(&mut self, key: Key, desk: &mut Desk) -> Result<Go> {
        let done = match key {
            Key::Quit => return Ok(Go::Quit),
            Key::Gesture(gesture) => desk.perform(&gesture, When::Now).map(|_| ()),
            Key::Replay => {
                let scene = desk.scene().clone();
                match Building::start(desk.workshop(), || Ok(scene)) {
                    Ok(building) => self.building = Some(building),
                    Err(error) => self.panel.tell(error.to_string()),
                }
                Ok(())
            }
            Key::Learn(what) => {
                self.learn(what);
                Ok(())
            }
        };
        // A mistake of the player is answered on the panel, and the sound goes on.
        if let Err(error) = done {
            self.panel.tell(error.to_string());
        }
        Ok(Go::On)
    }

    fn learn(&mut self, what: Option<Learn>) {
        if let Some(midi) = &self.midi {
            midi::lock(midi).learn(what);
        }
    }
}

impl View for Tui {
    fn turn(&mut self, desk: &mut Desk, device: &str, gaps: u64) -> Result<Go> {
        if self.screen.is_none() {
            self.screen = Some(Screen::take()?);
        }
        let mut go = Go::On;
        while go == Go::On
            && let Some(event) = self.screen.as_ref().and_then(|screen| screen.keys.try_recv().ok())
        {
            match event.map_err(|e| HostError::Machine(format!("cannot read the keyboard: {e}")))? {
                Event::Key(key) if key.kind != KeyEventKind::Release => {
                    if let Some(meant) = self.panel.key(key) {
                        go = self.act(meant, desk)?;
                    }
                }
                Event::Resize(..) => self.next = Instant::now(),
                _ => {}
            }
        }
        if let Some(built) = self.building.as_ref().and_then(|building| building.ready(Duration::ZERO)) {
            self.building = None;
            if let Err(error) = built.and_then(|built| Ok(desk.take_over(built, false)?)) {
                self.panel.tell(error.to_string());
            }
        }
        while let Some(remark) = desk.news() {
            self.panel.tell(remark);
        }
        let now = Instant::now();
        if now >= self.next {
            self.next = now + FRAME;
            self.panel.learning = self.midi.as_ref().is_some_and(|midi| midi::lock(midi).is_learning());
            self.panel.read(desk, device, gaps, FRAME.as_secs_f64());
            if let Some(screen) = &self.screen {
                screen.show(&self.panel)?;
            }
        }
        Ok(go)
    }

    fn end(&mut self) {
        self.screen = None;
    }
}

/// Reads what is typed until the terminal is given back. What comes faster than the desk is looked at is left out, but Ctrl-C.
fn listen(typed: &SyncSender<std::io::Result<Event>>, stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        let event = match event::poll(FRAME) {
            Ok(false) => continue,
            Ok(true) => event::read(),
            Err(e) => Err(e),
        };
        if matches!(&event, Ok(Event::Key(key)) if key.kind != KeyEventKind::Release && panel::is_ctrl_c(*key)) {
            interrupt::ask();
        }
        let failed = event.is_err();
        let unread = matches!(typed.try_send(event), Err(TrySendError::Disconnected(_)));
        if failed || unread {
            return;
        }
    }
}

/// The terminal while it is ours.
struct Screen {
    keys: Receiver<std::io::Result<Event>>,
    listener: Option<JoinHandle<()>>,
    stop: Arc<AtomicBool>,
    frames: Option<SyncSender<Box<Panel>>>,
    painter: Option<JoinHandle<std::io::Result<()>>>,
}

impl Screen {
    fn take() -> Result<Self> {
        // The hook that this sets gives the terminal back before a panic prints.
        let wrong = |e: std::io::Error| {
            HostError::Machine(format!("this terminal cannot be drawn on: {e}; --plain prints lines instead"))
        };
        let mut terminal = ratatui::try_init().map_err(|e| {
            ratatui::restore();
            wrong(e)
        })?;
        let (frames, pictures) = sync_channel::<Box<Panel>>(1);
        let paint = move || -> std::io::Result<()> {
            // Not `terminal.clear()`: that asks where the cursor is, and the answer would have to come past the keys.
            execute!(std::io::stdout(), Clear(ClearType::All))?;
            while let Ok(panel) = pictures.recv() {
                terminal.draw(|frame| {
                    let area = frame.area();
                    draw::draw(&panel, area, frame.buffer_mut());
                })?;
            }
            Ok(())
        };
        let (typed, keys) = sync_channel(MOST_TYPED);
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let begun = |name: &str| std::thread::Builder::new().name(name.into());
        let threads = begun("terminal").spawn(paint).and_then(|painter| {
            let listener = begun("keys").spawn(move || listen(&typed, &stopped))?;
            Ok((painter, listener))
        });
        match threads {
            Ok((painter, listener)) => {
                Ok(Self { keys, listener: Some(listener), stop, frames: Some(frames), painter: Some(painter) })
            }
            Err(error) => {
                ratatui::restore();
                Err(wrong(error))
            }
        }
    }

    /// Hands a picture over; one that the terminal is too slow for is left out.
    fn show(&self, panel: &Panel) -> Result<()> {
        match self.frames.as_ref().map(|frames| frames.try_send(Box::new(panel.clone()))) {
            Some(Err(TrySendError::Disconnected(_))) => {
                Err(HostError::Machine("the terminal has gone; --plain prints lines instead".into()))
            }
            _ => Ok(()),
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.frames = None;
        self.stop.store(true, Ordering::Relaxed);
        self.listener.take().map(|listener| interrupt::wait_for(&listener, GOODBYE));
        let painted = self.painter.take().is_none_or(|painter| interrupt::wait_for(&painter, GOODBYE));
        if painted {
            ratatui::restore();
        } else {
            // Nobody reads the screen: what is written there would wait for ever.
            let _ = disable_raw_mode();
        }
    }
}
