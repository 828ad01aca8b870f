// SPDX-License-Identifier: MIT OR Apache-2.0
//! `tocco shoes`: somebody's feet play a floor live, by sensors on a serial port or by OSC.
//!
//! The protocol of the port is a line for each reading of all four sensors: four numbers, heel left, toe left, heel right, toe right, parted by
//! blanks or commas, a thousand times a second or as often as it goes. A line that begins with # is a remark. That is all: an Arduino
//! prints it with one statement. OSC takes the same (`/shoe` with four numbers, `/shoe/heel_left` and so on with one), and feet by number,
//! place and force in N (`/foot` with id, x, y, force): 0 and 1 are the first person's, 2 and 3 the second's.

use crate::console;
use crate::error::{HostError, Result, bad};
use crate::live::play::{Front, Lines, Play, run as play};
use crate::live::{Desk, Shared, When};
use crate::osc::wire::{self, number};
use clap::Args;
use std::collections::HashSet;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::net::{ToSocketAddrs, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tocco::Gesture;
use tocco::gait::curve::{GRAVITY, WalkCurve};
use tocco_lab::atomic_file;
use tocco_lab::walk::{Speakers, Walk, Who, part_prefix, walker_name};
use tocco_live::limiter::QUICK_LOOK_S;
use tocco_live::shoes::{SENSORS, Said, Scale, Shoes};

/// Shown under the options.
pub const EXAMPLES: &str = "Examples:\n  tocco shoes snow-deep --port /dev/ttyACM0 --calibrate 12\n  \
    tocco shoes gravel --osc 9001                     then: oscsend localhost 9001 /shoe ffff 0.6 0 0 0\n  \
    tocco shoes wood --osc 9001 --people 2            floor tiles: /foot id x y force, force in N\n\n\
    You get the floor under your feet, live. The port gives a line for each reading: four numbers, heel left, toe left, heel right,\n\
    toe right, parted by blanks or commas; # begins a remark. --calibrate S takes what comes in the first S seconds for a walk: the\n\
    5th percentile of each sensor is its zero, the 95th of a foot that stands 1.2 body weights. Without it, and without --zero\n\
    and --weight, readings are body weights. How hard a step will be is told from its first 3.5 ms, again from 10 ms, learned\n\
    for each foot. A sensor that sticks or falls silent lifts its foot after half a second, and a line says so.";

/// The options of the command.
#[derive(Args, Debug)]
pub struct ShoesArgs {
    /// Floor: a scene file or shipped name with an inlet 'press'
    floor: String,
    /// Serial port of the shoes
    #[arg(long, value_name = "DEVICE", required_unless_present = "osc")]
    port: Option<PathBuf>,
    /// Speed of the port, baud
    #[arg(long, value_name = "N", default_value_t = 115_200, requires = "port")]
    baud: u32,
    /// Take sensors by OSC on this UDP port; 0: any free one
    #[arg(long, value_name = "PORT")]
    osc: Option<u16>,
    /// Address to take OSC at; 0.0.0.0: from every network
    #[arg(long, value_name = "HOST", default_value = "127.0.0.1", requires = "osc")]
    osc_host: String,
    /// How many people walk: /foot has two ids for each
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    people: usize,
    /// The first so many seconds are a walk to calibrate by
    #[arg(long, value_name = "S", allow_negative_numbers = true, conflicts_with_all = ["zero", "weight"])]
    calibrate: Option<f64>,
    /// Readings of a lifted foot: four numbers, parted by commas
    #[arg(long, value_name = "A,B,C,D", allow_hyphen_values = true)]
    zero: Option<String>,
    /// Reading above zero that is one body weight
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    weight: Option<f64>,
    /// Mass of who walks, kg
    #[arg(long, value_name = "KG", default_value_t = 70.0, allow_negative_numbers = true)]
    mass: f64,
    /// Loudspeakers with woofers on channels 2 (and 3): 2.1 or 2.2; default: two that play all
    #[arg(long, value_name = "2.1|2.2")]
    speakers: Option<String>,
    /// Where loudspeakers and woofers part, 80 to 400 Hz
    #[arg(long, value_name = "HZ", default_value_t = 200.0, allow_negative_numbers = true, requires = "speakers")]
    cross: f64,
    /// Channel of a transducer under the feet, 40 to 4000 Hz
    #[arg(long, value_name = "CHANNEL")]
    underfoot: Option<usize>,
    /// What is worn
    #[arg(long, value_name = "SOLE")]
    sole: Option<String>,
    /// Device by name, or null: keeps time without sound; default: the system's
    #[arg(long, value_name = "NAME|null")]
    device: Option<String>,
    /// Frames of a block, 1 to 8192
    #[arg(long, value_name = "N", default_value_t = 64, allow_negative_numbers = true)]
    buffer: usize,
    /// Sample rate; default: the floor's own where the device has it
    #[arg(long, value_name = "HZ", allow_negative_numbers = true)]
    rate: Option<f64>,
    /// Record a take
    #[arg(long, value_name = "FILE.jsonl")]
    record: Option<PathBuf>,
    /// Record the sound, 32-bit float
    #[arg(long, value_name = "FILE.wav")]
    wav: Option<PathBuf>,
    /// End after so many seconds; default: Ctrl-C
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    duration: Option<f64>,
}

/// Does what was typed.
pub fn run(args: &ShoesArgs) -> Result<()> {
    let who = Who::Live(args.people);
    let woofers = match args.speakers.as_deref() {
        None => 0,
        Some("2.1") => 1,
        Some("2.2") => 2,
        Some(other) => return bad(format!("--speakers {other}: give 2.1, one woofer, or 2.2, one for each foot")),
    };
    let speakers = Speakers { woofers, cross_hz: args.cross, underfoot: args.underfoot };
    let (floor, sole) = (args.floor.clone(), args.sole.clone());
    let walk = Walk { floor, who, mass_kg: args.mass, sole, seed: None, speakers };
    let scene = walk.document()?;
    let floor = tocco_lab::walk::files_of(&args.floor);
    let read: Vec<_> = floor.iter().map(|file| ("a file of the floor", file.as_path())).collect();
    let written = [("--record", args.record.as_deref()), ("--wav", args.wav.as_deref())];
    let written: Vec<_> = written.into_iter().filter_map(|(what, path)| Some((what, path?))).collect();
    atomic_file::keep_apart(&read, &written)?;
    let mut scale = Scale::PLAIN;
    if let Some(text) = &args.zero {
        let numbers: Vec<f64> =
            text.split(',').filter_map(|x| x.trim().parse().ok()).filter(|x: &f64| x.is_finite()).collect();
        match <[f64; 4]>::try_from(numbers) {
            Ok(zero) if text.split(',').count() == 4 => scale.zero = zero,
            _ => return bad(format!("--zero {text}: give four numbers parted by commas, one for each sensor")),
        }
    }
    if let Some(weight) = args.weight {
        if !(weight > 0.0 && weight.is_finite()) {
            return bad(format!("--weight {weight}: give a reading above 0"));
        }
        scale.per_unit = [1.0 / weight; 4];
    }
    if let Some(seconds) = args.calibrate.filter(|s| !(*s >= 1.0 && *s <= 600.0)) {
        return bad(format!("--calibrate {seconds}: give 1 to 600 s of walking"));
    }
    let settings = Settings {
        scale,
        scaled: args.zero.is_some() || args.weight.is_some() || args.calibrate.is_some(),
        calibrate_s: args.calibrate,
        mass_kg: args.mass,
        people: args.people,
        block: args.buffer,
    };
    let mut fronts: Vec<Box<dyn Front>> = Vec::new();
    if let Some(port) = &args.port {
        fronts.push(Box::new(Feet::new(Source::Port(port.clone(), args.baud), settings)));
    }
    if let Some(port) = args.osc {
        fronts.push(Box::new(Feet::new(Source::Osc(args.osc_host.clone(), port), settings)));
    }
    let played = Play {
        scene,
        sets: Vec::new(),
        device: args.device.clone(),
        offline: false,
        buffer: Some(args.buffer),
        rate_hz: args.rate,
        record: args.record.clone(),
        wav: args.wav.clone(),
        duration_s: args.duration,
        limiter: true,
        look_s: QUICK_LOOK_S,
        gate: true,
    };
    play(&played, &mut Lines::default(), &mut fronts)
}

/// What readings mean.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Zero and weight of the sensors.
    pub scale: Scale,
    /// True if that, or a walk to calibrate by, was given.
    pub scaled: bool,
    /// Seconds of walking to calibrate by.
    pub calibrate_s: Option<f64>,
    /// kg
    pub mass_kg: f64,
    /// How many people walk.
    pub people: usize,
    /// Frames of a block.
    pub block: usize,
}

/// Where readings come from.
#[derive(Clone, Debug)]
pub enum Source {
    /// A serial port and its speed.
    Port(PathBuf, u32),
    /// OSC at an address and UDP port.
    Osc(String, u16),
}

/// Feet as a front end.
pub struct Feet {
    source: Source,
    settings: Settings,
    address: Option<std::net::SocketAddr>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Feet {
    /// Not started yet.
    pub fn new(source: Source, settings: Settings) -> Self {
        Self { source, settings, address: None, stop: Arc::default(), thread: None }
    }

    /// Where it takes OSC.
    pub fn address(&self) -> Option<std::net::SocketAddr> {
        self.address
    }
}

impl Front for Feet {
    fn start(&mut self, desk: &Shared) -> Result<()> {
        let (mut walker, stop) = (Walker::new(desk, self.settings), self.stop.clone());
        console::remark(&walker.latency());
        let wrong = |e: std::io::Error| HostError::Machine(format!("shoes: {e}"));
        let named = std::thread::Builder::new().name("shoes".into());
        self.thread = Some(match &self.source {
            Source::Port(path, baud) => {
                let port = open(path, *baud)?;
                console::remark(&format!("shoes on {}", console::file(path)));
                named.spawn(move || read_lines(port, walker, &stop)).map_err(wrong)?
            }
            Source::Osc(host, port) => {
                let Some(address) = (host.as_str(), *port).to_socket_addrs().ok().and_then(|mut all| all.next()) else {
                    return bad(format!("--osc-host {host}: no such address; 127.0.0.1 is this machine"));
                };
                let socket = UdpSocket::bind(address).map_err(|e| {
                    HostError::BadInput(format!("OSC port {port} on {host}: {}", crate::error::plain(&e)))
                })?;
                let address = socket.local_addr().map_err(wrong)?;
                self.address = Some(address);
                console::remark(&format!("shoes by OSC on {address}"));
                named.spawn(move || read_packets(&socket, walker, &stop)).map_err(wrong)?
            }
        });
        Ok(())
    }

    fn stop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().map(JoinHandle::join);
    }
}

impl Drop for Feet {
    fn drop(&mut self) {
        self.stop();
    }
}

/// A port for reading: raw, at its speed, and never waited for long.
fn open(path: &Path, baud: u32) -> Result<File> {
    let shown = path.display();
    let file = File::open(path).map_err(|e| match e.kind() {
        ErrorKind::NotFound => HostError::BadInput(format!("--port {shown}: no such port; are the shoes plugged in?")),
        ErrorKind::PermissionDenied => {
            HostError::BadInput(format!("--port {shown}: permission denied; on Debian, join the group dialout"))
        }
        _ => HostError::BadInput(format!("--port {shown}: {}", crate::error::plain(&e))),
    })?;
    // min 0 time 1: a reading that lacks is waited for 0.1 s.
    let done = Command::new("stty")
        .arg("-F")
        .arg(path)
        .args([baud.to_string().as_str(), "raw", "-echo", "min", "0", "time", "1"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    match done {
        Ok(status) if status.success() => Ok(file),
        Ok(_) => bad(format!("--port {shown}: not a serial port, or one without a speed of {baud} baud")),
        Err(e) => Err(HostError::Machine(format!("the program 'stty' is needed for --port: {e}"))),
    }
}

fn read_lines(mut port: File, mut walker: Walker, stop: &AtomicBool) {
    let mut bytes = [0; 1024];
    let mut line = String::new();
    while !stop.load(Ordering::Relaxed) {
        match port.read(&mut bytes) {
            Ok(0) => {}
            Ok(count) => {
                for byte in &bytes[..count] {
                    match byte {
                        b'\n' | b'\r' => {
                            walker.line(line.trim());
                            line.clear();
                        }
                        // What never ends is no line.
                        _ if line.len() < 200 => line.push(char::from(*byte)),
                        _ => {}
                    }
                }
            }
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => {
                walker.remark(format!("shoes: the port is gone ({}); all feet are lifted", crate::error::plain(&e)));
                walker.lift();
                return;
            }
        }
        walker.turn();
    }
    walker.lift();
}

fn read_packets(socket: &UdpSocket, mut walker: Walker, stop: &AtomicBool) {
    let mut bytes = vec![0; 65_536];
    while !stop.load(Ordering::Relaxed) {
        match socket.set_read_timeout(Some(Duration::from_millis(5))).and_then(|()| socket.recv_from(&mut bytes)) {
            Ok((length, _)) => walker.packet(&bytes[..length]),
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(_) => std::thread::sleep(Duration::from_millis(1)),
        }
        walker.turn();
    }
    walker.lift();
}

/// A foot known by its number.
#[derive(Clone, Copy, Debug, Default)]
struct Numbered {
    /// Since when it stands, when it last told of itself, and since when it tells the same force, N.
    since: Option<Instant>,
    heard: Option<Instant>,
    same: Option<(f64, Instant)>,
    /// It tells the same for too long, and is not believed until it tells another.
    stuck: bool,
}

/// A foot that says nothing, or the same under load, is not believed after so long.
const PATIENCE: Duration = Duration::from_millis(500);

/// Readings become gestures.
pub struct Walker {
    desk: Shared,
    settings: Settings,
    began: Instant,
    shoes: Shoes,
    feet: Vec<Numbered>,
    /// Paths of `expect` under each foot of the first person.
    expect: [Vec<String>; 2],
    generation: Option<u64>,
    calibrated: bool,
    /// When zero and weight are guessed next, s, while they are not known.
    guess_s: f64,
    remarked: Option<Instant>,
    wrong: u64,
    /// How long each reading took from its coming to the desk, s; the first so many.
    handed_s: Vec<f64>,
}

/// Most readings whose time is kept.
const MOST_TIMED: usize = 1 << 16;

impl Walker {
    /// Of a desk.
    pub fn new(desk: &Shared, settings: Settings) -> Self {
        Self {
            desk: desk.clone(),
            settings,
            began: Instant::now(),
            shoes: Shoes::new(settings.scale),
            feet: vec![Numbered::default(); 2 * settings.people.max(1)],
            expect: [Vec::new(), Vec::new()],
            generation: None,
            calibrated: settings.calibrate_s.is_none(),
            guess_s: 1.0,
            remarked: None,
            wrong: 0,
            handed_s: Vec::with_capacity(MOST_TIMED),
        }
    }

    /// A line of the port.
    pub fn line(&mut self, line: &str) {
        if line.is_empty() {
            return;
        }
        if let Some(remark) = line.strip_prefix('#') {
            return self.remark(format!("shoes: {}", remark.trim()));
        }
        let numbers: Vec<f64> = line
            .split([' ', ',', '\t', ';'])
            .filter(|word| !word.is_empty())
            .map_while(|word| word.parse().ok())
            .filter(|x: &f64| x.is_finite())
            .collect();
        match <[f64; 4]>::try_from(numbers) {
            Ok(readings) => self.all(readings),
            Err(_) => self.refuse(format!("'{}' is not a reading of four sensors", console::one_line(line))),
        }
    }

    /// A packet of OSC.
    pub fn packet(&mut self, bytes: &[u8]) {
        let leaves = match wire::unpack(bytes) {
            Ok(leaves) => leaves,
            Err(what) => return self.refuse(what),
        };
        for leaf in leaves {
            let message = match wire::message(leaf.bytes) {
                Ok(message) => message,
                Err(what) => {
                    self.refuse(what);
                    continue;
                }
            };
            let numbers: Vec<f64> =
                message.args.iter().map_while(|arg| number(arg).ok()).filter(|x| x.is_finite()).collect();
            let whole = numbers.len() == message.args.len();
            match (message.addr.as_str(), numbers.as_slice()) {
                ("/shoe", [a, b, c, d]) if whole => self.all([*a, *b, *c, *d]),
                ("/foot", [id, x, y, force]) if whole => self.foot(*id, *x, *y, *force),
                (address, [value]) if whole && address.starts_with("/shoe/") => {
                    match SENSORS.iter().position(|sensor| address.strip_prefix("/shoe/") == Some(sensor)) {
                        Some(sensor) => self.one(sensor, *value),
                        None => self.refuse(format!("'{address}': sensors are {}", SENSORS.join(", "))),
                    }
                }
                (address, _) => self.refuse(format!(
                    "'{address}': /shoe takes four numbers, /shoe/SENSOR one, /foot id, x, y and force"
                )),
            }
        }
    }

    fn all(&mut self, readings: [f64; 4]) {
        for (sensor, reading) in readings.into_iter().enumerate() {
            self.one(sensor, reading);
        }
    }

    /// What lies between a reading and the device: measured from a reading's coming to the desk's taking it, the rest as it is set.
    fn latency(&mut self) -> String {
        let (rate_hz, limiter) = {
            let desk = self.desk.lock();
            (desk.rate_hz(), desk.latency())
        };
        let [block_ms, limiter_ms] = [self.settings.block, limiter].map(|frames| 1e3 * frames as f64 / rate_hz);
        let after = format!("block {block_ms:.1} ms, limiter {limiter_ms:.1} ms, then the device's own");
        if self.handed_s.is_empty() {
            return format!("latency: {after}");
        }
        self.handed_s.sort_by(f64::total_cmp);
        let [median, most] = [self.handed_s.len() / 2, self.handed_s.len() - 1].map(|k| 1e3 * self.handed_s[k]);
        format!(
            "latency: reading to block {median:.2} ms, at most {most:.1} ms, of {} readings; {after}",
            self.handed_s.len()
        )
    }

    fn timed(&mut self, since: Instant) {
        if self.handed_s.len() < MOST_TIMED {
            self.handed_s.push(since.elapsed().as_secs_f64());
        }
    }

    fn one(&mut self, sensor: usize, reading: f64) {
        let (came, mut said) = (Instant::now(), Vec::new());
        self.shoes.hear(self.began.elapsed().as_secs_f64(), sensor, reading, &mut said);
        self.obey(&said);
        if !said.is_empty() {
            self.timed(came);
        }
    }

    fn obey(&mut self, said: &[Said]) {
        if said.is_empty() {
            return;
        }
        let shared = self.desk.clone();
        let mut desk = shared.lock();
        self.learn(&desk);
        let walker = walker_name(0);
        for said in said {
            match said {
                Said::Force(region, force) => set(&mut desk, format!("{walker}/{}", SENSORS[*region]), *force),
                Said::Expect(foot, force, _) => {
                    for path in &self.expect[*foot] {
                        set(&mut desk, path.clone(), *force);
                    }
                }
                Said::Lost(sensor, why) => {
                    desk.say(format!("shoes: sensor {} {why}; the foot is lifted", SENSORS[*sensor]));
                }
                Said::Back(sensor) => desk.say(format!("shoes: sensor {} is back", SENSORS[*sensor])),
            }
        }
    }

    /// Which floors may be told how hard a step will be.
    fn learn(&mut self, desk: &Desk) {
        if self.generation == Some(desk.generation()) {
            return;
        }
        self.generation = Some(desk.generation());
        let before = part_prefix(0);
        let paths: HashSet<String> = desk.paths().into_iter().map(|(path, _, _)| path).collect();
        for (foot, side) in ["left", "right"].into_iter().enumerate() {
            let own = |path: &&String| {
                path.ends_with("/expect")
                    && [format!("{before}{side}/"), format!("{before}heel_{side}/")].iter().any(|p| path.starts_with(p))
            };
            self.expect[foot] = paths.iter().filter(own).cloned().collect();
        }
    }

    /// A foot by its number, where it stands, m, and its force, N.
    fn foot(&mut self, id: f64, x: f64, y: f64, force_n: f64) {
        if self.settings.scaled {
            return self
                .refuse("/foot gives N, and needs no scale: --zero, --weight and --calibrate are for /shoe".into());
        }
        let Some(foot) = self.feet.get_mut(id as usize).filter(|_| id >= 0.0 && id.fract() == 0.0) else {
            let people = self.settings.people;
            return self
                .refuse(format!("/foot {id}: {people} people have feet 0 to {}; give --people", 2 * people - 1));
        };
        let now = Instant::now();
        foot.heard = Some(now);
        if foot.same.is_none_or(|(before_n, _)| before_n != force_n) {
            (foot.same, foot.stuck) = (Some((force_n, now)), false);
        }
        if foot.stuck {
            return;
        }
        let force = force_n / (self.settings.mass_kg * GRAVITY);
        let force = if force > 0.02 { force.min(10.0) } else { 0.0 };
        foot.since = if force > 0.0 { foot.since.or(Some(now)) } else { None };
        let age_s = foot.since.map_or(0.0, |since| since.elapsed().as_secs_f64());
        let heel = WalkCurve::at_speed(1.3).heel_share((age_s / 0.65).min(1.0));
        let (walker, side) = (walker_name(id as usize / 2), ["left", "right"][id as usize % 2]);
        let shared = self.desk.clone();
        let mut desk = shared.lock();
        for (lane, value) in [("x", x), ("y", y), ("heel", heel * force), ("toe", (1.0 - heel) * force)] {
            set(&mut desk, format!("{walker}/{lane}_{side}"), value);
        }
        drop(desk);
        self.timed(now);
    }

    /// What is due.
    pub fn turn(&mut self) {
        let at_s = self.began.elapsed().as_secs_f64();
        if !self.calibrated && self.settings.calibrate_s.is_some_and(|end| at_s >= end) {
            self.calibrated = true;
            match self.shoes.calibrate() {
                Some(Scale { zero, per_unit }) => self.remark(format!(
                    "shoes: zero {:.1}, {:.1}, {:.1}, {:.1}; one body weight is {:.1} left, {:.1} right",
                    zero[0],
                    zero[1],
                    zero[2],
                    zero[3],
                    1.0 / per_unit[0],
                    1.0 / per_unit[2]
                )),
                None => self.remark(
                    "shoes: nobody walked, so nothing is calibrated; start again, or give --zero and --weight".into(),
                ),
            }
        }
        if !self.calibrated && at_s >= self.guess_s {
            self.guess_s += 0.5;
            self.shoes.guess_scale();
        }
        let mut said = Vec::new();
        self.shoes.turn(at_s, &mut said);
        self.obey(&said);
        for id in 0..self.feet.len() {
            let foot = &mut self.feet[id];
            let silent = foot.heard.is_some_and(|heard| heard.elapsed() > PATIENCE);
            foot.stuck |= foot.since.is_some() && foot.same.is_some_and(|(_, same)| same.elapsed() > PATIENCE);
            if foot.since.is_some() && (silent || foot.stuck) {
                foot.since = None;
                let (walker, side) = (walker_name(id / 2), ["left", "right"][id % 2]);
                let mut desk = self.desk.lock();
                for lane in ["heel", "toe"] {
                    set(&mut desk, format!("{walker}/{lane}_{side}"), 0.0);
                }
                let why = if silent { "says nothing" } else { "sticks" };
                desk.say(format!("shoes: foot {id} {why}; it is lifted"));
            }
        }
    }

    /// Nobody stands any more.
    fn lift(&mut self) {
        console::remark(&self.latency());
        let mut desk = self.desk.lock();
        for person in 0..self.settings.people.max(1) {
            for region in SENSORS {
                set(&mut desk, format!("{}/{region}", walker_name(person)), 0.0);
            }
        }
    }

    fn remark(&self, text: String) {
        self.desk.lock().say(text);
    }

    /// A reading that is none: said once a second.
    fn refuse(&mut self, what: String) {
        self.wrong += 1;
        let now = Instant::now();
        if self.remarked.is_some_and(|last| now < last + Duration::from_secs(1)) {
            return;
        }
        let more = if self.wrong > 1 { format!(" ({} so far)", self.wrong) } else { String::new() };
        self.remarked = Some(now);
        self.remark(format!("shoes: {what}{more}"));
    }
}

/// Sets what is there; a scene that has been replaced may lack it.
fn set(desk: &mut Desk, path: String, value: f64) {
    if desk.perform(&Gesture::Set { path, value }, When::Now).is_err() {
        desk.count_refused();
    }
}
