// SPDX-License-Identifier: MIT OR Apache-2.0
//! The studio on the network: hyper reads requests, axum answers them with the page's files or joins a page to the bridge.
//!
//! One thread serves everybody. Whatever a stranger can make grow has a bound: heads, messages, connections, pages, the queue
//! to each page, and the time that any of them may take.

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
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio::time::{sleep, timeout};

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

/// Who may come in. A page of another site that has our address by a name of its own (DNS rebinding) sends that name as its host;
/// no such name is taken. Where others can reach the port, whoever comes must have the key that was printed here.
pub struct Door {
    address: SocketAddr,
    key: Option<String>,
}

impl Door {
    /// For where the studio is served: other machines need a key.
    pub fn of(address: SocketAddr) -> Self {
        let word = || RandomState::new().hash_one(address);
        let key = (!address.ip().is_loopback()).then(|| format!("{:016x}{:016x}", word(), word()));
        Self { address, key }
    }

    /// The link to the page.
    pub fn link(&self) -> String {
        match &self.key {
            Some(key) => format!("http://{}/?key={key}", self.address),
            None => format!("http://{}/", self.address),
        }
    }

    /// True for the names by which a browser may know us: addresses, and this machine's own name for itself.
    fn knows(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()),
            _ => (host, Some(80)),
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
        let mut guest = Guest { host: host.to_owned(), cookie: None };
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
        guest.cookie = Some(format!("{cookie}; Path=/; HttpOnly; SameSite=Strict"));
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
    cookie: Option<String>,
}

/// Answers until the program is stopped.
pub async fn run(listener: TcpListener, files: Files, bridge: Bridge, door: Door) {
    let served = Served { files: Arc::new(files), bridge, door: Arc::new(door) };
    let router = Router::new().route("/bridge", any(join)).fallback(file).with_state(served);
    let room = Arc::new(Semaphore::new(MOST_REQUESTS));
    while let Ok(place) = Arc::clone(&room).acquire_owned().await {
        let Ok((stream, _)) = listener.accept().await else {
            sleep(REST).await;
            continue;
        };
        let router = router.clone();
        tokio::spawn(async move {
            answer(stream, router).await;
            drop(place);
        });
    }
}

/// Serves one connection until its request is answered, or until it has become a WebSocket with a task of its own.
async fn answer(stream: TcpStream, router: Router) {
    // A gesture is one small packet: it does not wait for company.
    let _ = stream.set_nodelay(true);
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
    if origin.is_some_and(|origin| origin != format!("http://{}", guest.host)) {
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
                if !matches!(sent, Ok(Ok(()))) {
                    return;
                }
            }
        }
    }
}

/// Every answer: not kept by the browser, in no other page's frame, with the headers that give the page shared memory with its
/// audio worklet, and with leave to talk to this host alone.
fn reply(guest: Option<&Guest>, status: StatusCode, kind: &'static str, body: impl Into<Body>) -> Response {
    let own = guest.map_or_else(String::new, |guest| format!(" ws://{}", guest.host));
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
        Some("svg") => "image/svg+xml",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::super::bridge::Settings;
    use super::*;
    use rosc::{OscMessage, OscPacket, OscType, encoder};
    use std::io::{ErrorKind, Read, Write};
    use std::net::{SocketAddr, TcpStream as Stream, UdpSocket};
    use std::thread;
    use tungstenite::client::IntoClientRequest;
    use tungstenite::stream::MaybeTlsStream;

    type Client = tungstenite::WebSocket<MaybeTlsStream<Stream>>;

    /// A studio with two files; OSC goes in at the first address and comes out at the second.
    fn studio() -> (SocketAddr, SocketAddr, UdpSocket) {
        let (page, osc, heard, _) = studio_at("127.0.0.1:0");
        (page, osc, heard)
    }

    /// The same where others might reach it, and its link.
    fn studio_at(place: &'static str) -> (SocketAddr, SocketAddr, UdpSocket, String) {
        let heard = UdpSocket::bind("127.0.0.1:0").unwrap();
        heard.set_read_timeout(Some(PATIENCE)).unwrap();
        let to = heard.local_addr().unwrap();
        let (tell, told) = std::sync::mpsc::channel();
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = TcpListener::bind(place).await.unwrap();
                let door = Door::of(listener.local_addr().unwrap());
                // A port that was free a moment ago.
                let osc = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
                let bridge = Bridge::open(&Settings { from_port: Some(osc.port()), to: Some(to) }).await.unwrap();
                tell.send((listener.local_addr().unwrap(), osc, door.link())).unwrap();
                let files = vec![
                    ("index.html".to_owned(), Bytes::from_static(b"<p>hello")),
                    ("tocco.wasm".to_owned(), Bytes::from(vec![7; 5 << 20])),
                ];
                run(listener, files, bridge, door).await;
            });
        });
        let (page, osc, link) = told.recv().unwrap();
        (page, osc, heard, link)
    }

    fn ask(at: SocketAddr, head: &str) -> (String, Vec<u8>) {
        ask_as(at, &at.to_string(), head)
    }

    /// By the name of a host.
    fn ask_as(at: SocketAddr, host: &str, head: &str) -> (String, Vec<u8>) {
        let mut stream = Stream::connect(at).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(format!("{head}\r\nHost: {host}\r\n\r\n").as_bytes()).unwrap();
        let mut all = Vec::new();
        stream.read_to_end(&mut all).unwrap();
        let end = all.windows(4).position(|w| w == b"\r\n\r\n").unwrap() + 4;
        (String::from_utf8_lossy(&all[..end]).to_lowercase(), all.split_off(end))
    }

    fn join(at: SocketAddr, origin: &str) -> Result<Client, u16> {
        let mut request = format!("ws://{at}/bridge").into_client_request().unwrap();
        request.headers_mut().insert(ORIGIN, origin.parse().unwrap());
        let stream = Stream::connect(at).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        match tungstenite::client(request, MaybeTlsStream::Plain(stream)) {
            Ok((client, _)) => Ok(client),
            Err(tungstenite::HandshakeError::Failure(tungstenite::Error::Http(answer))) => {
                Err(answer.status().as_u16())
            }
            Err(other) => panic!("{other}"),
        }
    }

    fn own_page(at: SocketAddr) -> Client {
        join(at, &format!("http://{at}")).unwrap()
    }

    fn osc(to: SocketAddr, path: &str, value: f32) {
        let message = OscMessage { addr: path.into(), args: vec![OscType::Float(value)] };
        let bytes = encoder::encode(&OscPacket::Message(message)).unwrap();
        UdpSocket::bind("127.0.0.1:0").unwrap().send_to(&bytes, to).unwrap();
    }

    #[test]
    fn files_come_whole_with_the_headers_that_isolate_the_page_and_nothing_else_comes() {
        let (at, _, _) = studio();
        for path in ["/", "/index.html", "//index.html?x", "/index.html?../../etc/passwd"] {
            let (head, body) = ask(at, &format!("GET {path} HTTP/1.1"));
            assert!(head.starts_with("http/1.1 200 ok"), "{path}: {head}");
            for line in [
                "content-type: text/html; charset=utf-8",
                "content-length: 8",
                "cache-control: no-cache",
                "cross-origin-opener-policy: same-origin",
                "cross-origin-embedder-policy: require-corp",
                "cross-origin-resource-policy: same-origin",
                "x-content-type-options: nosniff",
                "x-frame-options: deny",
                "connection: close",
            ] {
                assert_eq!(head.matches(&format!("\r\n{line}\r\n")).count(), 1, "{line} in {head}");
            }
            assert_eq!(body, b"<p>hello");
        }
        let (head, body) = ask(at, "GET /tocco.wasm HTTP/1.1");
        assert!(head.contains("content-type: application/wasm"));
        assert!(body.len() == 5 << 20 && body.iter().all(|b| *b == 7));
        let (head, body) = ask(at, "HEAD /tocco.wasm HTTP/1.1");
        assert!(head.starts_with("http/1.1 200 ok") && head.contains("content-length: 5242880") && body.is_empty());
        for path in ["/../Cargo.toml", "/etc/passwd", "/%2e%2e/secret", "/bridge", "/index.html/"] {
            let (head, body) = ask(at, &format!("GET {path} HTTP/1.1"));
            assert!(head.starts_with("http/1.1 404 not found"), "{path}: {head}");
            assert_eq!(body, b"no such file in the studio\n");
        }
        for path in ["/", "/bridge", "/nowhere"] {
            let (head, body) = ask(at, &format!("POST {path} HTTP/1.1\r\nContent-Length: 0"));
            assert!(head.starts_with("http/1.1 405 method not allowed"), "{path}: {head}");
            assert_eq!(body, b"only GET\n");
        }
    }

    #[test]
    fn heads_that_are_no_request_or_too_long_are_refused_and_the_studio_goes_on() {
        let (at, _, _) = studio();
        let long = format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(2 * LONGEST_HEAD));
        for junk in ["\r\n\r\n\r\n", "GET\r\n\r\n", "\0\u{1}\u{2}\r\n\r\n", long.as_str()] {
            let mut stream = Stream::connect(at).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
            let _ = stream.write_all(junk.as_bytes());
            let mut answer = Vec::new();
            let _ = stream.read_to_end(&mut answer);
            assert!(!answer.starts_with(b"HTTP/1.1 2"));
        }
        assert!(ask(at, "GET / HTTP/1.1").0.starts_with("http/1.1 200 ok"));
    }

    #[test]
    fn gestures_cross_from_osc_to_every_page_and_from_a_page_to_osc() {
        let (at, to, heard) = studio();
        let mut pages = [own_page(at), own_page(at)];
        osc(to, "/size", 0.25);
        for page in &mut pages {
            assert_eq!(page.read().unwrap().into_text().unwrap(), r#"{"set":"size","value":0.25}"#);
        }
        for junk in ["no gesture", r#"{"scene":"x"}"#, r#"{"set":"size","value":0.5}"#] {
            pages[0].send(tungstenite::Message::text(junk)).unwrap();
        }
        let mut bytes = [0; 64];
        let length = heard.recv(&mut bytes).unwrap();
        assert_eq!(&bytes[..length], b"/size\0\0\0,f\0\0\x3f\0\0\0");
    }

    #[test]
    fn a_site_that_gives_our_address_a_name_of_its_own_gets_nothing_and_the_page_talks_to_its_own_host_alone() {
        let (at, _, _) = studio();
        let port = at.port();
        let strange = [
            "evil.example".into(),
            format!("evil.example:{port}"),
            format!("127.0.0.1.nip.io:{port}"),
            "127.0.0.1:1".into(),
        ];
        for host in strange.iter().chain([&format!("localhost.evil.example:{port}"), &format!("10.0.0.1:{port}")]) {
            let (head, body) = ask_as(at, host, "GET / HTTP/1.1");
            assert!(head.starts_with("http/1.1 403") && body == b"the studio has no such name\n", "{host}: {head}");
        }
        for host in [format!("localhost:{port}"), format!("127.0.0.1:{port}"), format!("[::1]:{port}")] {
            let (head, _) = ask_as(at, &host, "GET / HTTP/1.1");
            assert!(head.starts_with("http/1.1 200"), "{host}: {head}");
            assert!(
                head.contains(&format!("connect-src 'self' ws://{host} blob:;"))
                    && head.contains("frame-ancestors 'none'")
            );
        }
        // The same for a WebSocket, whose origin agrees with its host.
        let mut request = format!("ws://{at}/bridge").into_client_request().unwrap();
        request.headers_mut().insert(ORIGIN, "http://evil.example".parse().unwrap());
        request.headers_mut().insert(HOST, "evil.example".parse().unwrap());
        let refused = tungstenite::client(request, MaybeTlsStream::Plain(Stream::connect(at).unwrap()));
        assert!(
            matches!(refused, Err(tungstenite::HandshakeError::Failure(tungstenite::Error::Http(a))) if a.status() == 403)
        );
    }

    #[test]
    fn where_others_can_reach_it_only_the_key_opens_and_a_cookie_remembers_it() {
        let (all, _, _, link) = studio_at("0.0.0.0:0");
        let at = SocketAddr::from(([127, 0, 0, 1], all.port()));
        let key = link.split_once("key=").unwrap().1;
        assert_eq!(key.len(), 32);
        for path in ["/", "/tocco.wasm", "/?key=", "/?key=0123456789abcdef0123456789abcdef"] {
            assert!(ask(at, &format!("GET {path} HTTP/1.1")).0.starts_with("http/1.1 403"), "{path}");
        }
        assert_eq!(join(at, &format!("http://{at}")).err(), Some(403));
        let (head, body) = ask(at, &format!("GET /?key={key} HTTP/1.1"));
        assert!(head.starts_with("http/1.1 200") && body == b"<p>hello", "{head}");
        let cookie = head.split("set-cookie: ").nth(1).unwrap().split(';').next().unwrap();
        assert!(head.contains("httponly; samesite=strict"));
        assert!(ask(at, &format!("GET /tocco.wasm HTTP/1.1\r\nCookie: a=b; {cookie}")).0.starts_with("http/1.1 200"));
        assert_ne!(key, studio_at("0.0.0.0:0").3.split_once("key=").unwrap().1);
    }

    #[test]
    fn only_our_own_page_may_join() {
        let (at, _, _) = studio();
        for origin in ["http://elsewhere.example", "null", &format!("https://{at}"), "http://127.0.0.1:1"] {
            assert_eq!(join(at, origin).err(), Some(403), "{origin}");
        }
        own_page(at);
    }

    #[test]
    fn a_page_that_takes_nothing_is_let_go_and_the_others_hear_everything() {
        let (at, to, _) = studio();
        let (mut deaf, mut keen) = (own_page(at), own_page(at));
        let MaybeTlsStream::Plain(stream) = keen.get_ref() else { panic!("no plain stream") };
        stream.set_nodelay(true).unwrap();
        // The longest names fill the sockets of the deaf page soonest: it is let go when its queue is full as well.
        let path = format!("/{}", "x".repeat(250));
        for round in 0..60_000_u16 {
            osc(to, &path, round.into());
            let line = keen.read().unwrap().into_text().unwrap();
            assert!(line.ends_with(&format!(r#""value":{round}.0}}"#)), "{line}");
        }
        let mut there = 0;
        let end = loop {
            match deaf.read() {
                Ok(_) => there += 1,
                Err(tungstenite::Error::Io(e)) if e.kind() == ErrorKind::WouldBlock => {
                    panic!("still held after {there}")
                }
                Err(end) => break end,
            }
        };
        assert!(there < 60_000, "{there}: {end}");
    }

    #[test]
    fn pages_that_left_make_room_and_idle_ones_do_not_delay_a_gesture() {
        let (at, to, _) = studio();
        for _ in 0..3 {
            let mut pages: Vec<Client> = (0..100).map(|_| own_page(at)).collect();
            osc(to, "/size", 1.0);
            for page in &mut pages {
                assert!(page.read().unwrap().is_text());
            }
        }
    }

    #[test]
    fn pages_that_send_half_messages_hold_no_more_than_a_packet_each() {
        let (at, _, _) = studio();
        let mut pages = Vec::new();
        for _ in 0..8 {
            let mut page = own_page(at);
            // The first part of a message that is longer than any packet: the studio lets go at once, and does not wait for the rest.
            let part = tungstenite::protocol::frame::Frame::message(
                vec![b'x'; 1 << 17],
                tungstenite::protocol::frame::coding::OpCode::Data(tungstenite::protocol::frame::coding::Data::Text),
                false,
            );
            let _ = page.send(tungstenite::Message::Frame(part)).and_then(|()| page.flush());
            let end = loop {
                match page.read() {
                    Ok(_) => {}
                    Err(end) => break end,
                }
            };
            let waits = matches!(&end, tungstenite::Error::Io(e) if e.kind() == ErrorKind::WouldBlock);
            assert!(!waits, "it was kept: {end}");
            pages.push(page);
        }
        own_page(at);
    }

    /// Damaged requests and frames, 5 s of each, or a minute with TOCCO_LONG: the studio goes on, and a request is answered or let go.
    #[test]
    fn damaged_requests_and_frames_are_answered_or_let_go_and_the_studio_goes_on() {
        let long = std::env::var_os("TOCCO_LONG").is_some();
        let lasting = Duration::from_secs(if long { 60 } else { 5 });
        let (at, _, _) = studio();
        let head = format!("GET /index.html?a=b HTTP/1.1\r\nHost: {at}\r\nAccept: */*\r\nCookie: a=b\r\n");
        let joining = format!(
            "GET /bridge HTTP/1.1\r\nHost: {at}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
        );
        // A masked text frame, whole and in two parts, and a ping.
        let frames = b"\x81\x85\0\0\0\0hello\x01\x82\0\0\0\0he\x80\x83\0\0\0\0llo\x89\x80\0\0\0\0".to_vec();
        // What once went wrong, or would where sizes are believed, comes first.
        let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/http");
        for entry in std::fs::read_dir(corpus).unwrap() {
            let bytes = std::fs::read(entry.unwrap().path()).unwrap();
            let name = bytes.windows(4).position(|four| four == b"{at}").unwrap();
            let mut stream = Stream::connect(at).unwrap();
            stream.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
            let _ = stream.write_all(&[&bytes[..name], at.to_string().as_bytes(), &bytes[name + 4..]].concat());
            let _ = stream.read(&mut [0; 64]);
            assert!(ask(at, "GET / HTTP/1.1").0.starts_with("http/1.1 200 ok"));
        }
        let mut rng = tocco::rng::Rng::new(1, "http");
        let began = std::time::Instant::now();
        let (mut rounds, mut answered) = ([0; 2], [0; 2]);
        while began.elapsed() < 2 * lasting {
            // Requests first, then frames of pages that have joined.
            let kind = usize::from(began.elapsed() > lasting);
            rounds[kind] += 1;
            let mut bytes = match (kind, rng.bits() % 2) {
                (0, 0) => format!("{head}\r\n").into_bytes(),
                (0, _) => format!("{joining}\r\n").into_bytes(),
                _ => [format!("{joining}\r\n").into_bytes(), frames.clone()].concat(),
            };
            let from = if kind == 0 { 0 } else { bytes.len().saturating_sub(frames.len()) };
            for _ in 0..rng.bits() % 6 {
                let spot = from + rng.bits() as usize % (bytes.len() - from).max(1);
                match rng.bits() % 4 {
                    0 if spot < bytes.len() => bytes[spot] = rng.bits() as u8,
                    1 if spot < bytes.len() => drop(bytes.remove(spot)),
                    2 => bytes.truncate(spot.max(1)),
                    _ => drop(bytes.splice(spot..spot, *b"\xff\x7f\r\n: \0")),
                }
            }
            let mut stream = Stream::connect(at).unwrap();
            stream.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
            let _ = stream.write_all(&bytes);
            let mut answer = [0; 64];
            answered[kind] += usize::from(stream.read(&mut answer).is_ok_and(|length| length > 0));
        }
        println!("{rounds:?} requests and pages, {answered:?} answered");
        assert!(ask(at, "GET / HTTP/1.1").0.starts_with("http/1.1 200 ok"));
        assert!(
            rounds.iter().all(|count| *count > 50) && answered.iter().all(|count| *count > 10),
            "{rounds:?} {answered:?}"
        );
        own_page(at);
    }
}
