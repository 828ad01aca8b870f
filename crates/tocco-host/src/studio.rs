// SPDX-License-Identifier: MIT OR Apache-2.0
//! `tocco studio`: the page that plays scenes in a browser, served on loopback or to other machines, or written as a folder.
//!
//! The server knows the files inside this program and nothing else, so no path of the machine can be asked for. It sends
//! the headers that give the page shared memory with its audio worklet. One address is not a file: `/bridge`, a
//! WebSocket that carries gestures between the page and OSC (see [`bridge`]). Other machines come by HTTPS (see `certificate`),
//! with a key in the address that is also shown as a code for the camera of a phone.

pub mod bridge;
mod certificate;
mod server;

use crate::error::{HostError, Result, bad};
use crate::{atomic_file, console, library};
use axum::body::Bytes;
use qrcode::render::unicode::Dense1x2;
use serde_json::json;
use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::{Command, Stdio};
use tokio::net::TcpListener;

/// The page's files: name and bytes.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/studio.rs"));
/// The name by which a phone fetches the root that it is to trust.
const ROOT: &str = "trust.crt";
/// The page's engine, absent from a program built without `./run`.
const ENGINE: &str = "tocco.wasm";

/// The page's engine, if this program has it.
pub(crate) fn engine() -> Option<&'static [u8]> {
    FILES.iter().find(|(name, _)| *name == ENGINE).map(|(_, bytes)| *bytes)
}

/// How the studio is served.
pub struct Studio {
    /// Scene that the page begins with, a name or a file; none: one of its own choice.
    pub scene: Option<String>,
    /// Where to listen; loopback unless asked otherwise.
    pub host: IpAddr,
    /// Port; 0 takes any that is free.
    pub port: u16,
    /// Open the page in the user's browser.
    pub open: bool,
    /// OSC in and out, if asked for.
    pub bridge: bridge::Settings,
}

/// Everything the page is made of.
fn contents(has_bridge: bool, first: Option<&str>) -> Result<server::Files> {
    if engine().is_none() {
        return Err(HostError::Machine(
            "this program was built without the page's engine; build it with ./run, which makes both".into(),
        ));
    }
    let mut files: server::Files =
        FILES.iter().map(|(name, bytes)| ((*name).to_owned(), without_remarks(name, bytes))).collect();
    files.push(("scenes.json".into(), scenes(has_bridge, first)?.into()));
    // Without its line breaks it is a sixth lighter.
    files.push(("schema.json".into(), tocco::scene::schema::schema().to_string().into()));
    files.push(("files.js".into(), list(&files).into()));
    Ok(files)
}

/// A file of the page without the lines that are remarks, but for that of the licence: they are for those who read the source, and a tenth of the page.
/// What was a line stays one, so that a browser names places as they are in the source.
fn without_remarks(name: &str, bytes: &'static [u8]) -> Bytes {
    let is_ours = name.ends_with(".js") && name != "codemirror.js";
    let Some(text) = is_ours.then(|| std::str::from_utf8(bytes).ok()).flatten() else {
        return Bytes::from_static(bytes);
    };
    let (mut plain, mut is_remark) = (String::with_capacity(text.len()), false);
    for (i, line) in text.lines().enumerate() {
        let words = line.trim();
        is_remark |= words.starts_with("/**");
        if i == 0 || !(is_remark || words.starts_with("//")) {
            plain.push_str(line);
        }
        plain.push('\n');
        is_remark &= !words.ends_with("*/");
    }
    plain.into()
}

/// The files that a page keeps for when its server is away, and what tells one version of them from another.
fn list(files: &server::Files) -> String {
    let hashes: Vec<u8> = files.iter().flat_map(|(_, bytes)| atomic_file::hash(bytes).to_le_bytes()).collect();
    let version = format!("{:016x}", atomic_file::hash(&hashes));
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).filter(|name| *name != "service.js").collect();
    format!("const TOCCO = {};\n", json!({ "version": version, "files": names }))
}

/// The shipped scenes by name and title, and the text of the one that the page begins with; the engine on the page has their texts.
fn scenes(has_bridge: bool, first: Option<&str>) -> Result<String> {
    let rows: Vec<_> =
        library::shipped()?.iter().map(|scene| json!({ "name": scene.name, "title": scene.title() })).collect();
    Ok(json!({ "bridge": has_bridge, "first": first, "scenes": rows }).to_string())
}

/// Writes the page into a folder that any static web server can serve.
pub fn export(folder: &Path) -> Result<()> {
    atomic_file::create_folder(folder)?;
    for (name, bytes) in contents(false, None)? {
        atomic_file::write(&folder.join(name), &bytes)?;
    }
    Ok(())
}

/// Serves until the program is stopped, in this thread.
pub fn serve(studio: &Studio) -> Result<()> {
    let first = studio.scene.as_deref().map(library::load).transpose()?;
    let files = contents(true, first.as_ref().map(|scene| scene.text.as_str()))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|e| HostError::Machine(format!("cannot serve: {e}")))?.block_on(async {
        let listener = listen(SocketAddr::new(studio.host, studio.port)).await?;
        let address = listener.local_addr().map_err(|e| HostError::Machine(format!("cannot listen: {e}")))?;
        let mut files = files;
        let door = server::Door::of(address).map_err(|_| HostError::Machine("no random numbers for a key".into()))?;
        let reached = reached(address.ip());
        let link = door.link(reached[0], "");
        let bridge = bridge::Bridge::open(&studio.bridge).await?;
        console::remark(&format!("the studio is at {link}  (Ctrl-C ends it)"));
        let mut tls = None;
        if door.is_secure() {
            for ip in &reached[1..] {
                console::remark(&format!("also at {}", door.link(*ip, "")));
            }
            let mut named: BTreeSet<IpAddr> = reached.iter().copied().collect();
            named.insert(Ipv4Addr::LOCALHOST.into());
            let own = certificate::Certificate::of(&named, &certificate::own_folder()?)?;
            console::remark(&own.words(&door.link(reached[0], ROOT)));
            if let Some(code) = code(&link) {
                console::remark(&code);
            }
            files.push((ROOT.into(), own.root.into()));
            tls = Some(own.config);
        }
        for line in bridge.words() {
            console::remark(&line);
        }
        if studio.open {
            open_browser(&link);
        }
        server::run(listener, files, bridge, door, tls).await;
        Ok(())
    })
}

/// Addresses of this machine by which a studio at `ip` is reached, the likeliest for other machines first; never none.
fn reached(ip: IpAddr) -> Vec<IpAddr> {
    if !ip.is_unspecified() {
        return vec![ip];
    }
    let found = if_addrs::get_if_addrs().unwrap_or_default();
    // Those of version 6 change by the day: who wants one names it.
    let mut all: Vec<IpAddr> = found.iter().map(if_addrs::Interface::ip).filter(IpAddr::is_ipv4).collect();
    all.push(Ipv4Addr::LOCALHOST.into());
    all.sort_by_key(|ip| (ip.is_loopback(), !matches!(ip, IpAddr::V4(ip) if ip.is_private()), *ip));
    all.dedup();
    // The machine's own name for itself is of use to others only if there is no other.
    all.retain(|ip| !ip.is_loopback());
    if all.is_empty() { vec![Ipv4Addr::LOCALHOST.into()] } else { all }
}

/// A link as a code for cameras, in half blocks: light where a dark terminal prints, as such a code is read.
fn code(link: &str) -> Option<String> {
    let code = qrcode::QrCode::with_error_correction_level(link, qrcode::EcLevel::L).ok()?;
    Some(code.render::<Dense1x2>().dark_color(Dense1x2::Light).light_color(Dense1x2::Dark).build())
}

async fn listen(address: SocketAddr) -> Result<TcpListener> {
    let port = address.port();
    TcpListener::bind(address).await.or_else(|e| match e.kind() {
        std::io::ErrorKind::AddrInUse => bad(format!(
            "port {port} is taken, perhaps by another studio; name another with --port, or --port 0 for any"
        )),
        std::io::ErrorKind::PermissionDenied => bad(format!("port {port} is not ours to take; name one above 1023")),
        _ => Err(HostError::Machine(format!("cannot listen on {address}: {e}"))),
    })
}

fn open_browser(link: &str) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let started =
        Command::new(program).arg(link).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    if started.is_err() {
        console::remark("open that address in a browser");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_of_the_page_lose_their_remarks_and_keep_their_lines_and_everything_else_is_as_it_was() {
        let text = b"// licence\n/** One. */\nlet a = 1; // here\n  /** Two,\n   * and more. */\n  // three\nlet b = \"// four\";\n";
        let plain = "// licence\n\nlet a = 1; // here\n\n\n\nlet b = \"// four\";\n";
        assert_eq!(without_remarks("a.js", text), plain.as_bytes());
        for name in ["codemirror.js", "a.html", "a.toml"] {
            assert_eq!(without_remarks(name, text), &text[..], "{name}");
        }
        for (name, bytes) in FILES.iter().filter(|(name, _)| name.ends_with(".js")) {
            let lines = |bytes: &[u8]| bytes.split(|byte| *byte == b'\n').count();
            assert_eq!(lines(&without_remarks(name, bytes)), lines(bytes), "{name}");
        }
    }
}
