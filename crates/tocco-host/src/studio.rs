// SPDX-License-Identifier: MIT OR Apache-2.0
//! `tocco studio`: the page that plays scenes in a browser, served on loopback or written as a folder.
//!
//! The server knows the files inside this program and nothing else, so no path of the machine can be asked for. It sends
//! the headers that give the page shared memory with its audio worklet. One address is not a file: `/bridge`, a
//! WebSocket that carries gestures between the page and OSC (see [`bridge`]).

pub mod bridge;

use crate::error::{HostError, Result, bad};
use crate::{atomic_file, console, library};
use serde_json::json;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// The page's files: name and bytes.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/studio.rs"));
/// The page's engine, absent from a program built without `./run`.
const ENGINE: &str = "tocco.wasm";
/// Longest request head that is read, bytes.
const LONGEST_HEAD: u64 = 8192;
/// A browser that says nothing for so long is let go.
const PATIENCE: Duration = Duration::from_secs(10);

/// How the studio is served.
pub struct Studio {
    /// Where to listen; loopback unless asked otherwise.
    pub host: IpAddr,
    /// Port; 0 takes any that is free.
    pub port: u16,
    /// Open the page in the user's browser.
    pub open: bool,
    /// OSC in and out, if asked for.
    pub bridge: bridge::Settings,
}

/// Everything the page is made of: name and bytes.
fn contents(has_bridge: bool) -> Result<Vec<(String, Vec<u8>)>> {
    if !FILES.iter().any(|(name, _)| *name == ENGINE) {
        return Err(HostError::Machine(
            "this program was built without the page's engine; build it with ./run, which makes both".into(),
        ));
    }
    let mut files: Vec<_> = FILES.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec())).collect();
    files.push(("scenes.json".into(), scenes(has_bridge)?.into_bytes()));
    Ok(files)
}

/// The shipped scenes as the page reads them.
fn scenes(has_bridge: bool) -> Result<String> {
    let rows: Vec<_> = library::shipped()?
        .iter()
        .map(|scene| json!({ "name": scene.name, "title": scene.title(), "text": scene.text }))
        .collect();
    Ok(json!({ "bridge": has_bridge, "scenes": rows }).to_string())
}

/// Writes the page into a folder that any static web server can serve.
pub fn export(folder: &Path) -> Result<()> {
    atomic_file::create_folder(folder)?;
    for (name, bytes) in contents(false)? {
        atomic_file::write(&folder.join(name), &bytes)?;
    }
    Ok(())
}

/// Serves until the program is stopped.
pub fn serve(studio: &Studio) -> Result<()> {
    let files = Arc::new(contents(true)?);
    let address = SocketAddr::new(studio.host, studio.port);
    let listener = TcpListener::bind(address).or_else(|e| match e.kind() {
        std::io::ErrorKind::AddrInUse => bad(format!(
            "port {} is taken, perhaps by another studio; name another with --port, or --port 0 for any",
            studio.port
        )),
        std::io::ErrorKind::PermissionDenied => {
            bad(format!("port {} is not ours to take; name one above 1023", studio.port))
        }
        _ => Err(HostError::Machine(format!("cannot listen on {address}: {e}"))),
    })?;
    let address = listener.local_addr().map_err(|e| HostError::Machine(format!("cannot listen: {e}")))?;
    let link = format!("http://{address}/");
    let bridge = bridge::Bridge::open(&studio.bridge)?;
    console::remark(&format!("the studio is at {link}  (Ctrl-C ends it)"));
    for line in bridge.words() {
        console::remark(&line);
    }
    if studio.open {
        open_browser(&link);
    }
    for stream in listener.incoming().flatten() {
        let (files, bridge) = (Arc::clone(&files), bridge.clone());
        // One thread per request: a page asks for a dozen files, once.
        thread::spawn(move || answer(stream, &files, &bridge));
    }
    Ok(())
}

fn open_browser(link: &str) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let started =
        Command::new(program).arg(link).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    if started.is_err() {
        console::remark("open that address in a browser");
    }
}

/// What a request's first line and headers ask for.
struct Head {
    path: String,
    is_get: bool,
    is_head: bool,
    upgrades: bool,
    host: String,
    origin: Option<String>,
}

fn read_head(stream: &TcpStream) -> Option<(Head, Vec<u8>)> {
    // Peeked, so that a WebSocket handshake can be read again by its own reader.
    let mut seen = vec![0; LONGEST_HEAD as usize];
    let mut length = 0;
    for _ in 0..200 {
        length = stream.peek(&mut seen).ok()?;
        if length == 0 {
            return None;
        }
        if seen[..length].windows(4).any(|w| w == b"\r\n\r\n") {
            break;
        }
        thread::sleep(Duration::from_millis(5));
    }
    seen.truncate(length);
    let mut lines = BufReader::new(&seen[..]).take(LONGEST_HEAD).lines();
    let first = lines.next()?.ok()?;
    let mut words = first.split(' ');
    let (method, path) = (words.next()?, words.next()?.split(['?', '#']).next()?.to_owned());
    let mut head = Head {
        path,
        is_get: method == "GET",
        is_head: method == "HEAD",
        upgrades: false,
        host: String::new(),
        origin: None,
    };
    for line in lines.map_while(std::result::Result::ok) {
        if let Some((key, value)) = line.split_once(':') {
            match key.to_ascii_lowercase().as_str() {
                "upgrade" => head.upgrades = value.trim().eq_ignore_ascii_case("websocket"),
                "host" => head.host = value.trim().to_owned(),
                "origin" => head.origin = Some(value.trim().to_owned()),
                _ => {}
            }
        }
    }
    Some((head, seen))
}

fn answer(mut stream: TcpStream, files: &[(String, Vec<u8>)], bridge: &bridge::Bridge) {
    let _ = stream.set_read_timeout(Some(PATIENCE));
    let _ = stream.set_write_timeout(Some(PATIENCE));
    let Some((head, seen)) = read_head(&stream) else { return };
    if head.path == "/bridge" && head.upgrades {
        // Another site's page may not speak for the user: only our own page may join.
        if head.origin.as_deref().is_none_or(|origin| origin == format!("http://{}", head.host)) {
            bridge.join(stream);
        } else {
            reply(&mut stream, "403 Forbidden", "text/plain", b"only the studio's own page may join\n", false);
        }
        return;
    }
    // The body of a request is none of ours; what was peeked must be taken out before we close.
    let mut taken = vec![0; seen.len()];
    let _ = stream.read_exact(&mut taken);
    if !head.is_get && !head.is_head {
        return reply(&mut stream, "405 Method Not Allowed", "text/plain", b"only GET\n", false);
    }
    let name = match head.path.trim_start_matches('/') {
        "" => "index.html",
        name => name,
    };
    match files.iter().find(|(file, _)| file == name) {
        Some((_, bytes)) => reply(&mut stream, "200 OK", kind_of(name), bytes, head.is_head),
        None => reply(&mut stream, "404 Not Found", "text/plain", b"no such file in the studio\n", head.is_head),
    }
}

fn reply(stream: &mut TcpStream, status: &str, kind: &str, bytes: &[u8], is_head: bool) {
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-cache\r\n\
         Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Embedder-Policy: require-corp\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        bytes.len()
    );
    let _ = stream.write_all(head.as_bytes());
    if !is_head {
        let _ = stream.write_all(bytes);
    }
    let _ = stream.flush();
}

fn kind_of(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}
