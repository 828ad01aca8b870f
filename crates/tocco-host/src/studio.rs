// SPDX-License-Identifier: MIT OR Apache-2.0
//! `tocco studio`: the page that plays scenes in a browser, served on loopback or written as a folder.
//!
//! The server knows the files inside this program and nothing else, so no path of the machine can be asked for. It sends
//! the headers that give the page shared memory with its audio worklet. One address is not a file: `/bridge`, a
//! WebSocket that carries gestures between the page and OSC (see [`bridge`]).

pub mod bridge;
mod server;

use crate::error::{HostError, Result, bad};
use crate::{atomic_file, console, library};
use axum::body::Bytes;
use serde_json::json;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::process::{Command, Stdio};
use tokio::net::TcpListener;

/// The page's files: name and bytes.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/studio.rs"));
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
        FILES.iter().map(|(name, bytes)| ((*name).to_owned(), Bytes::from_static(bytes))).collect();
    files.push(("scenes.json".into(), scenes(has_bridge, first)?.into()));
    files.push(("schema.json".into(), tocco::scene::schema::schema_text().into()));
    Ok(files)
}

/// The shipped scenes as the page reads them, and the text of the one it begins with.
fn scenes(has_bridge: bool, first: Option<&str>) -> Result<String> {
    let rows: Vec<_> = library::shipped()?
        .iter()
        .map(|scene| json!({ "name": scene.name, "title": scene.title(), "text": scene.text }))
        .collect();
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
        let door = server::Door::of(address);
        let link = door.link();
        let bridge = bridge::Bridge::open(&studio.bridge).await?;
        console::remark(&format!("the studio is at {link}  (Ctrl-C ends it)"));
        for line in bridge.words() {
            console::remark(&line);
        }
        if studio.open {
            open_browser(&link);
        }
        server::run(listener, files, bridge, door).await;
        Ok(())
    })
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
