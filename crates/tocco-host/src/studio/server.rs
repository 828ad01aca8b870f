// SPDX-License-Identifier: MIT OR Apache-2.0
//! The studio on the network: hyper reads requests, axum answers them with the page's files or joins a page to the bridge.
//!
//! One thread serves everybody. Whatever a stranger can make grow has a bound: heads, messages, connections, pages, the queue
//! to each page, and the time that any of them may take. On loopback it is HTTP; where others can reach it, HTTPS, with the same bounds.

use super::bridge::Bridge;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::http::header::{
    CACHE_CONTROL, CONNECTION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, COOKIE, HOST, HeaderValue, ORIGIN, SET_COOKIE,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use ring::rand::{SecureRandom, SystemRandom};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

/// Longest request head that is read, bytes. Browsers send this host the cookies of every other program on loopback.
const LONGEST_HEAD: usize = 65_536;
/// Longest message of a page, bytes: no packet carries more. As many pages as may come hold 32 MiB of half messages.
const LONGEST_MESSAGE: usize = 1 << 16;
/// Bytes that an idle page's socket keeps ready for reading.
const READ_AHEAD: usize = 2048;
/// Requests that are answered at a time; more wait until one is done.
const MOST_REQUESTS: usize = 256;
/// A browser that says or takes nothing for so long is let go.
const PATIENCE: Duration = Duration::from_secs(10);
/// A request that is not answered and fetched after so long is let go.
const LONGEST_ANSWER: Duration = Duration::from_secs(60);
/// Rest after a connection could not be accepted, most often because the system allows no more open files.
const REST: Duration = Duration::from_millis(100);

/// What the server gives out: name and bytes.
pub type Files = Vec<(String, Bytes)>;

#[derive(Clone)]
struct Served {
    files: Arc<Files>,
    bridge: Bridge,
    door: Arc<Door>,
}

/// First byte of what a browser says to an HTTPS server: a handshake.
const HANDSHAKE: u8 = 0x16;
/// What a browser is told that says something else there.
const NOT_SECURE: &[u8] = b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n\
    the studio speaks HTTPS here: the address begins with https://\n";

/// Who may come in. A page of another site that has our address by a name of its own (DNS rebinding) sends that name as its host;
/// no such name is taken. Where others can reach the port, whoever comes must have the key that was printed here, and nobody reads
/// it on the way: there the studio speaks HTTPS.
pub struct Door {
    address: SocketAddr,
    key: Option<String>,
}

impl Door {
    /// For where the studio is served: other machines need a key.
    pub fn of(address: SocketAddr) -> Result<Self, ring::error::Unspecified> {
        if address.ip().is_loopback() {
            return Ok(Self { address, key: None });
        }
        let mut bytes = [0; 16];
        SystemRandom::new().fill(&mut bytes)?;
        Ok(Self { address, key: Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect()) })
    }

    /// True where others can reach it.
    pub fn is_secure(&self) -> bool {
        self.key.is_some()
    }

    /// The link to a file of the page by an address of this machine.
    pub fn link(&self, ip: IpAddr, file: &str) -> String {
        let address = SocketAddr::new(ip, self.address.port());
        match &self.key {
            Some(key) => format!("https://{address}/{file}?key={key}"),
            None => format!("http://{address}/{file}"),
        }
    }

    /// How the schemes of the page and of its WebSocket end.
    fn s(&self) -> &'static str {
        if self.is_secure() { "s" } else { "" }
    }

    /// True for the names by which a browser may know us: addresses, and this machine's own name for itself.
    fn knows(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()),
            _ => (host, Some(if self.is_secure() { 443 } else { 80 })),
        };
        let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        let ip = bare.parse::<IpAddr>().ok();
        let ours = ip.is_some_and(|ip| ip.is_loopback() || !self.address.ip().is_loopback());
        port == Some(self.address.port()) && (ours || name.eq_ignore_ascii_case("localhost"))
    }

    /// The host that the browser named and, if it has just shown the key, the cookie to remember it by; or the refusal.
    fn judge(&self, uri: &Uri, headers: &HeaderMap) -> Result<Guest, Box<Response>> {
        let text = |name| headers.get(name).map(|value: &HeaderValue| value.to_str().unwrap_or("?"));
        let refused = |why: &'static str| Box::new(reply(None, StatusCode::FORBIDDEN, "text/plain", why));
        let host =
            text(HOST).filter(|host| self.knows(host)).ok_or_else(|| refused("the studio has no such name\n"))?;
        let mut guest = Guest { socket: format!("ws{}://{host}", self.s()), host: host.to_owned(), cookie: None };
        let Some(key) = &self.key else { return Ok(guest) };
        let cookie = format!("tocco-{}={key}", self.address.port());
        if headers
            .get_all(COOKIE)
            .iter()
            .filter_map(|all| all.to_str().ok())
            .any(|all| all.split(';').any(|one| is_same(one.trim(), &cookie)))
        {
            return Ok(guest);
        }
        let shown = uri.query().unwrap_or_default().split('&').any(|word| is_same(word, &format!("key={key}")));
        if !shown {
            return Err(refused("open the link that 'tocco studio' has printed: it has the key\n"));
        }
        guest.cookie = Some(format!("{cookie}; Path=/; HttpOnly; Secure; SameSite=Strict"));
        Ok(guest)
    }
}

/// Compares without telling by its time where two texts differ.
fn is_same(one: &str, other: &str) -> bool {
    one.len() == other.len() && one.bytes().zip(other.bytes()).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

/// Somebody who may come in.
struct Guest {
    host: String,
    /// Where its page may join.
    socket: String,
    cookie: Option<String>,
}

/// Answers until the program is stopped: by HTTPS if it is told how.
pub async fn run(
    listener: TcpListener,
    files: Files,
    bridge: Bridge,
    door: Door,
    tls: Option<Arc<rustls::ServerConfig>>,
) {
    let tls = tls.map(TlsAcceptor::from);
    let served = Served { files: Arc::new(files), bridge, door: Arc::new(door) };
    let router = Router::new().route("/bridge", any(join)).fallback(file).with_state(served);
    let room = Arc::new(Semaphore::new(MOST_REQUESTS));
    while let Ok(place) = Arc::clone(&room).acquire_owned().await {
        let Ok((stream, _)) = listener.accept().await else {
            sleep(REST).await;
            continue;
        };
        let (router, tls) = (router.clone(), tls.clone());
        tokio::spawn(async move {
            // A gesture is one small packet: it does not wait for company.
            let _ = stream.set_nodelay(true);
            match tls {
                None => answer(stream, router).await,
                // Who does not greet as is due within a browser's time is let go.
                Some(tls) => {
                    if let Ok(Some(stream)) = timeout(PATIENCE, greet(stream, &tls)).await {
                        answer(stream, router).await;
                    }
                }
            }
            drop(place);
        });
    }
}

/// Shakes hands; who speaks plain HTTP is told better.
async fn greet(
    mut stream: TcpStream,
    tls: &TlsAcceptor,
) -> Option<impl AsyncRead + AsyncWrite + Send + Unpin + 'static> {
    let mut first = [0];
    if stream.peek(&mut first).await.ok()? == 1 && first != [HANDSHAKE] {
        let _ = stream.write_all(NOT_SECURE).await;
        let _ = stream.shutdown().await;
        return None;
    }
    tls.accept(stream).await.ok()
}

/// Serves one connection until its request is answered, or until it has become a WebSocket with a task of its own.
async fn answer(stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static, router: Router) {
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .max_buf_size(LONGEST_HEAD)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
        .with_upgrades();
    // What went wrong concerns the browser, which sees it too.
    let _ = timeout(LONGEST_ANSWER, connection).await;
}

/// A file of the page, and nothing else: names are compared, no path is opened.
async fn file(State(served): State<Served>, method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let guest = match served.door.judge(&uri, &headers) {
        Ok(guest) => guest,
        Err(refusal) => return *refusal,
    };
    if method != Method::GET && method != Method::HEAD {
        return reply(Some(&guest), StatusCode::METHOD_NOT_ALLOWED, "text/plain", "only GET\n");
    }
    let name = match uri.path().trim_start_matches('/') {
        "" => "index.html",
        name => name,
    };
    match served.files.iter().find(|(file, _)| file == name) {
        Some((_, bytes)) => reply(Some(&guest), StatusCode::OK, kind_of(name), bytes.clone()),
        None => reply(Some(&guest), StatusCode::NOT_FOUND, "text/plain", "no such file in the studio\n"),
    }
}

/// A page joins the bridge.
async fn join(
    State(served): State<Served>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let Ok(upgrade) = upgrade else { return file(State(served), method, uri, headers).await };
    let guest = match served.door.judge(&uri, &headers) {
        Ok(guest) => guest,
        Err(refusal) => return *refusal,
    };
    // Another site's page may not speak for the user: only our own page may join.
    let origin = headers.get(ORIGIN).map(|value| value.to_str().unwrap_or("?"));
    if origin.is_some_and(|origin| origin != format!("http{}://{}", served.door.s(), guest.host)) {
        return reply(Some(&guest), StatusCode::FORBIDDEN, "text/plain", "only the studio's own page may join\n");
    }
    let Some(queue) = served.bridge.admit() else {
        return reply(
            Some(&guest),
            StatusCode::SERVICE_UNAVAILABLE,
            "text/plain",
            "too many pages are open; close some\n",
        );
    };
    upgrade
        .read_buffer_size(READ_AHEAD)
        .write_buffer_size(0)
        .max_message_size(LONGEST_MESSAGE)
        .max_frame_size(LONGEST_MESSAGE)
        .on_upgrade(|socket| converse(socket, queue, served.bridge))
}

/// Carries gestures both ways until the page leaves, or is let go because it does not take what it is sent.
async fn converse(mut socket: WebSocket, mut queue: mpsc::Receiver<Arc<str>>, bridge: Bridge) {
    loop {
        tokio::select! {
            heard = socket.recv() => match heard {
                Some(Ok(Message::Text(text))) => bridge.forward(&text).await,
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return,
            },
            gesture = queue.recv() => {
                let Some(gesture) = gesture else { return };
                let sent = timeout(PATIENCE, socket.send(Message::text(&*gesture))).await;
                // One that was let go is not told the rest, however slowly it would take that.
                if !matches!(sent, Ok(Ok(()))) || queue.is_closed() {
                    return;
                }
            }
        }
    }
}

/// Every answer: not kept by the browser, in no other page's frame, with the headers that give the page shared memory with its
/// audio worklet, and with leave to talk to this host alone.
fn reply(guest: Option<&Guest>, status: StatusCode, kind: &'static str, body: impl Into<Body>) -> Response {
    let own = guest.map_or_else(String::new, |guest| format!(" {}", guest.socket));
    let policy = format!(
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'{own} blob:; img-src 'self' blob: data:; \
         worker-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    let headers = [
        (CONTENT_TYPE.as_str(), kind),
        (CACHE_CONTROL.as_str(), "no-cache"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-embedder-policy", "require-corp"),
        ("cross-origin-resource-policy", "same-origin"),
        ("referrer-policy", "no-referrer"),
        (X_CONTENT_TYPE_OPTIONS.as_str(), "nosniff"),
        (X_FRAME_OPTIONS.as_str(), "DENY"),
        (CONNECTION.as_str(), "close"),
    ];
    let mut response = (status, headers, body.into()).into_response();
    let cookie = guest.and_then(|guest| guest.cookie.clone());
    for (name, value) in [(CONTENT_SECURITY_POLICY, Some(policy)), (SET_COOKIE, cookie)] {
        if let Some(value) = value.and_then(|value| HeaderValue::from_str(&value).ok()) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

fn kind_of(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json") => "application/json",
        Some("webmanifest") => "application/manifest+json",
        Some("png") => "image/png",
        Some("crt") => "application/x-x509-ca-cert",
        Some("svg") => "image/svg+xml",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests;
