// SPDX-License-Identifier: MIT OR Apache-2.0
//! `tocco send`: one message, or a take played into a running server.

use super::wire::{self, bundle, bytes_of, osc_args, tag_of, text};
use crate::console;
use crate::error::{HostError, Result, bad};
use rosc::{OscMessage, OscType};
use std::net::{SocketAddr, ToSocketAddrs, UdpSocket};
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};
use tocco::Gesture;
use tocco_live::take::{Entry, Take};

/// An answer comes within this time, or never, and is over after so long.
const PATIENCE: Duration = Duration::from_secs(2);
const LONGEST_ANSWER: Duration = Duration::from_secs(10);
/// Messages of an answer, at most; a server has no more of them waiting.
const MOST_ANSWERS: usize = 1 << 16;
/// Commands of a take are sent so long before their time: longer than a block and the way there.
const LEAD: Duration = Duration::from_millis(150);
/// No take is longer.
const LONGEST: Duration = Duration::from_secs(1 << 31);
/// Commands in one bundle, at most.
const MOST_TOGETHER: usize = 32;

/// What `tocco send --help` ends with.
pub const HELP: &str = "Examples:\n  tocco send /tocco/strike hammer 1.5\n  tocco send /hit/stiffness 1e7 --wait\n  \
    tocco send '/*/force_n' 0\n  tocco send /tocco/describe '/hit/*' --wait\n  \
    tocco send --replay take.jsonl --to 127.0.0.1:9000\n\n\
    You get nothing, or with --wait what the server answers, a line a message; a mistake is one line and exit code 2, no\n\
    answer exit code 3. A replay lasts as long as the take did; every command has a time tag, so it comes on its sample.";

/// What `tocco send` takes.
#[derive(clap::Args, Debug)]
pub struct SendArgs {
    /// OSC address: a path of the scene with a slash in front, a pattern, or a /tocco method
    #[arg(required_unless_present = "replay", value_name = "PATH")]
    path: Option<String>,
    /// Numbers go as f, words as s, true and false as T and F; d:0.1, i:3, h:3, s:12 say it
    #[arg(value_name = "VALUE", allow_negative_numbers = true)]
    values: Vec<String>,
    /// Where to
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:9000")]
    to: String,
    /// Wait until it is done, and print what comes back
    #[arg(long)]
    wait: bool,
    /// Play a take, each command at its time
    #[arg(long, value_name = "FILE.jsonl", conflicts_with = "path")]
    replay: Option<PathBuf>,
}

/// Sends one message or a take, and prints what comes back if that was asked for.
pub fn run(args: &SendArgs) -> Result<()> {
    let client = Client::open(&args.to)?;
    if args.wait {
        client.greet()?;
    }
    match (&args.replay, &args.path) {
        (Some(take), _) => {
            let take = crate::take::read(take)?;
            let (sent, left_out) = client.replay(&take)?;
            let also =
                if left_out > 0 { format!("; {left_out} without an OSC address left out") } else { String::new() };
            console::remark(&format!("{sent} commands to {}{also}", args.to));
        }
        (None, Some(path)) => {
            let values = args.values.iter().map(|value| argument(value)).collect::<Result<_>>()?;
            client.send(path, values)?;
        }
        (None, None) => return bad("name a path, or --replay a take"),
    }
    if !args.wait {
        return Ok(());
    }
    for answer in client.answers()? {
        match (answer.addr.as_str(), answer.args.as_slice()) {
            ("/tocco/error", [OscType::String(what)]) => return bad(what.as_str()),
            _ => console::result(&words(&answer))?,
        }
    }
    Ok(())
}

/// A value as typed.
fn argument(value: &str) -> Result<OscType> {
    let wrong = || HostError::BadInput(format!("'{value}': not a number of that type"));
    Ok(match value.split_once(':') {
        Some(("s", word)) => text(word),
        Some(("f", x)) => OscType::Float(x.parse().map_err(|_| wrong())?),
        Some(("d", x)) => OscType::Double(x.parse().map_err(|_| wrong())?),
        Some(("i", x)) => OscType::Int(x.parse().map_err(|_| wrong())?),
        Some(("h", x)) => OscType::Long(x.parse().map_err(|_| wrong())?),
        _ if value == "true" || value == "false" => OscType::Bool(value == "true"),
        _ => value.parse::<f32>().map_or_else(|_| text(value), OscType::Float),
    })
}

/// A message for people.
fn words(message: &OscMessage) -> String {
    let mut line = console::one_line(&message.addr);
    for arg in &message.args {
        line += &match arg {
            OscType::String(word) => format!(" \"{}\"", console::one_line(word)),
            OscType::Float(x) => format!(" {x}"),
            OscType::Double(x) => format!(" {x}"),
            OscType::Int(x) => format!(" {x}"),
            OscType::Long(x) => format!(" {x}"),
            OscType::Bool(x) => format!(" {x}"),
            _ => " ?".into(),
        };
    }
    line
}

/// A way to a server.
pub struct Client {
    socket: UdpSocket,
    to: SocketAddr,
}

impl Client {
    /// To `HOST:PORT`.
    pub fn open(to: &str) -> Result<Self> {
        let Some(address) = to.to_socket_addrs().ok().and_then(|mut all| all.next()) else {
            return bad(format!("--to {to}: give HOST:PORT, for instance 127.0.0.1:9000"));
        };
        let own = if address.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
        let wrong = |e: std::io::Error| HostError::Machine(format!("cannot send to {to}: {e}"));
        let socket = UdpSocket::bind(own).map_err(wrong)?;
        socket.connect(address).map_err(wrong)?;
        Ok(Self { socket, to: address })
    }

    /// One message.
    pub fn send(&self, path: &str, args: Vec<OscType>) -> Result<()> {
        if !path.starts_with('/') || path.contains([' ', '#', '\0']) {
            return bad(format!("'{path}': an OSC address begins with '/' and has no blanks; try '/{path}'"));
        }
        self.push(&bytes_of(path, args))
    }

    fn push(&self, bytes: &[u8]) -> Result<()> {
        self.socket.send(bytes).map(|_| ()).map_err(|e| self.deaf(&e))
    }

    fn deaf(&self, cause: &std::io::Error) -> HostError {
        use std::io::ErrorKind as K;
        let to = self.to;
        match cause.kind() {
            K::ConnectionRefused | K::WouldBlock | K::TimedOut | K::ConnectionReset => HostError::Machine(format!(
                "no answer from {to}; is 'tocco play SCENE --osc {}' running there?",
                to.port()
            )),
            _ => HostError::Machine(format!("cannot send to {to}: {cause}")),
        }
    }

    /// Shows to a server elsewhere that this is where we are: it answers nobody before.
    pub fn greet(&self) -> Result<()> {
        if self.to.ip().is_loopback() {
            return Ok(());
        }
        self.answers().map(|_| ())
    }

    /// Everything that comes back until the server has done all that was sent before.
    pub fn answers(&self) -> Result<Vec<OscMessage>> {
        self.answers_within(LONGEST_ANSWER)
    }

    fn answers_within(&self, longest: Duration) -> Result<Vec<OscMessage>> {
        let mark = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(1, |t| t.subsec_nanos() as i32);
        let ping = bytes_of("/tocco/ping", vec![text("done"), OscType::Int(mark)]);
        self.push(&ping)?;
        let mut bytes = vec![0; 65_536];
        let mut all = Vec::new();
        let until = Instant::now() + longest;
        loop {
            let left = until.saturating_duration_since(Instant::now()).min(PATIENCE);
            // Whoever sends on and on, and never what was asked for, does not keep us here.
            if left.is_zero() || all.len() > MOST_ANSWERS {
                return Err(self.deaf(&std::io::ErrorKind::TimedOut.into()));
            }
            let length = self
                .socket
                .set_read_timeout(Some(left))
                .and_then(|()| self.socket.recv(&mut bytes))
                .map_err(|e| self.deaf(&e))?;
            let Ok(leaves) = wire::unpack(&bytes[..length]) else { continue };
            for message in leaves.iter().filter_map(|leaf| wire::message(leaf.bytes).ok()) {
                if let ("/tocco/who", [OscType::Long(number)]) = (message.addr.as_str(), message.args.as_slice()) {
                    self.push(&bytes_of("/tocco/who", vec![OscType::Long(*number)]))?;
                    self.push(&ping)?;
                    continue;
                }
                if message.addr == "/tocco/pong" && message.args.get(1) == Some(&OscType::Int(mark)) {
                    return Ok(all);
                }
                all.push(message);
            }
        }
    }

    /// A take, each command at its time by a time tag; what has no time (other scenes, rest) is sent when it is due.
    /// How many were sent, and how many are the server's own affair.
    pub fn replay(&self, take: &Take) -> Result<(usize, usize)> {
        for (path, value) in &take.header.sets {
            self.push(&bytes_of(&format!("/{path}"), vec![OscType::Double(*value)]))?;
        }
        let (start, clock) = (Instant::now() + LEAD, SystemTime::now() + LEAD);
        // A tick so late that no clock has it is the end of time; nobody waits for that.
        let after = |at: u64| {
            let after = Duration::try_from_secs_f64(at as f64 / take.header.rate_hz).unwrap_or(LONGEST);
            after.min(LONGEST)
        };
        let wait = |until: Instant| std::thread::sleep(until.saturating_duration_since(Instant::now()));
        let bar = console::ProgressBar::new(take.entries.len() as u64, "commands");
        let (mut sent, mut left_out, mut rest) = (0, 0, take.entries.as_slice());
        while let Some(first) = rest.first() {
            bar.at((take.entries.len() - rest.len()) as u64);
            let (due, tag) = (start + after(first.at), tag_of(clock + after(first.at)));
            // Other scenes and rest act at once, so they are sent when they are due.
            let timed = |entry: &Entry| !matches!(entry.gesture, Gesture::Hush | Gesture::Load(_) | Gesture::Edit(_));
            let message =
                |entry: &Entry| entry.gesture.to_osc().map(|(to, args)| bytes_of(&to, osc_args(args, OscType::Double)));
            let together = rest.iter().take(MOST_TOGETHER).take_while(|entry| entry.at == first.at && timed(entry));
            let messages: Vec<Vec<u8>> = together.map_while(message).collect();
            if messages.is_empty() {
                match message(first) {
                    Some(message) => {
                        wait(due);
                        self.push(&message)?;
                        sent += 1;
                    }
                    None => left_out += 1,
                }
                rest = &rest[1..];
                continue;
            }
            wait(due - LEAD);
            self.push(&bundle(tag, &messages))?;
            sent += messages.len();
            rest = &rest[messages.len()..];
        }
        wait(start + rest.first().or(take.entries.last()).map_or(Duration::ZERO, |last| after(last.at)));
        Ok((sent, left_out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_typed_as_people_write_them() {
        let typed: Vec<OscType> =
            ["1e8", "-0.5", "hammer", "d:0.1", "i:3", "s:12", "true"].map(|v| argument(v).unwrap()).to_vec();
        let meant = [
            OscType::Float(1e8),
            OscType::Float(-0.5),
            text("hammer"),
            OscType::Double(0.1),
            OscType::Int(3),
            text("12"),
            OscType::Bool(true),
        ];
        assert_eq!(typed, meant);
        assert!(argument("i:x").is_err());
    }

    #[test]
    fn a_server_that_sends_on_and_on_keeps_nobody_waiting() {
        // Little by little without an end, and all at once.
        for (together, pause) in [(1, 10), (1000, 0)] {
            let server = UdpSocket::bind("127.0.0.1:0").unwrap();
            let client = Client::open(&server.local_addr().unwrap().to_string()).unwrap();
            let to = client.socket.local_addr().unwrap();
            let packet = bundle(tag_of(SystemTime::now()), &vec![bytes_of("/x", vec![]); together]);
            let (done, told) = std::sync::mpsc::channel::<()>();
            let talk = move || {
                while told.try_recv() != Err(std::sync::mpsc::TryRecvError::Disconnected) {
                    let _ = server.send_to(&packet, ("127.0.0.1", to.port()));
                    std::thread::sleep(Duration::from_millis(pause));
                }
            };
            let talker = std::thread::spawn(talk);
            let longest = if together == 1 { Duration::from_millis(300) } else { Duration::from_secs(60) };
            let began = Instant::now();
            let refused = client.answers_within(longest).unwrap_err().to_string();
            assert!(refused.contains("no answer"), "{refused}");
            assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
            drop(done);
            talker.join().unwrap();
        }
    }
}
