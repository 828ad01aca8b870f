// SPDX-License-Identifier: MIT OR Apache-2.0
//! The server as its clients see it, by HTTP and by HTTPS.

use super::super::bridge::Settings;
use super::super::certificate::Certificate;
use super::*;
use rosc::{OscMessage, OscPacket, OscType, encoder};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream as Stream, UdpSocket};
use std::thread;
use tungstenite::client::IntoClientRequest;
use tungstenite::stream::MaybeTlsStream;

type Client = tungstenite::WebSocket<MaybeTlsStream<Stream>>;

/// A studio with two files; OSC goes in at the first address and comes out at the second.
fn studio() -> (SocketAddr, SocketAddr, UdpSocket) {
    let (page, osc, heard, _) = studio_at("127.0.0.1:0", None);
    (page, osc, heard)
}

/// The same where others might reach it, by HTTPS: what trusts it, where OSC goes in and comes out, and the key.
fn secure_studio() -> (Secure, SocketAddr, UdpSocket, String) {
    let home = tempfile::tempdir().unwrap();
    let own = Certificate::of(&["127.0.0.1".parse().unwrap()].into(), home.path()).unwrap();
    let (all, osc, heard, link) = studio_at("0.0.0.0:0", Some(Arc::clone(&own.config)));
    let at = SocketAddr::from(([127, 0, 0, 1], all.port()));
    let key = link.strip_prefix(&format!("https://{at}/?key=")).unwrap().to_owned();
    (Secure::trusting(at, &[&own.root]), osc, heard, key)
}

/// Somebody who asks by HTTPS and trusts what it is told to trust.
struct Secure {
    at: SocketAddr,
    config: Arc<ClientConfig>,
}

impl Secure {
    fn trusting(at: SocketAddr, roots: &[&str]) -> Self {
        let mut store = RootCertStore::empty();
        for root in roots {
            store.add(CertificateDer::from_pem_slice(root.as_bytes()).unwrap()).unwrap();
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        Self { at, config: Arc::new(builder.with_root_certificates(store).with_no_client_auth()) }
    }

    fn connect(&self) -> StreamOwned<ClientConnection, Stream> {
        let name = self.at.ip().into();
        let stream = Stream::connect(self.at).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        StreamOwned::new(ClientConnection::new(Arc::clone(&self.config), name).unwrap(), stream)
    }

    fn ask(&self, head: &str) -> (String, Vec<u8>) {
        asked(self.connect(), &self.at.to_string(), head)
    }

    fn join(&self, origin: &str, cookie: &str) -> Result<tungstenite::WebSocket<impl Read + Write + 'static>, u16> {
        let mut request = format!("wss://{}/bridge", self.at).into_client_request().unwrap();
        request.headers_mut().insert(ORIGIN, origin.parse().unwrap());
        request.headers_mut().insert(COOKIE, cookie.parse().unwrap());
        joined(request, self.connect())
    }
}

/// A studio at a place, with a certificate or without, and its link.
fn studio_at(
    place: &'static str,
    tls: Option<Arc<rustls::ServerConfig>>,
) -> (SocketAddr, SocketAddr, UdpSocket, String) {
    let heard = UdpSocket::bind("127.0.0.1:0").unwrap();
    heard.set_read_timeout(Some(PATIENCE)).unwrap();
    let to = heard.local_addr().unwrap();
    let (tell, told) = std::sync::mpsc::channel();
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = TcpListener::bind(place).await.unwrap();
            let door = Door::of(listener.local_addr().unwrap()).unwrap();
            // A port that was free a moment ago.
            let osc = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
            let bridge = Bridge::open(&Settings { from_port: Some(osc.port()), to: Some(to) }).await.unwrap();
            tell.send((listener.local_addr().unwrap(), osc, door.link([127, 0, 0, 1].into(), ""))).unwrap();
            let files = vec![
                ("index.html".to_owned(), Bytes::from_static(b"<p>hello")),
                ("tocco.wasm".to_owned(), Bytes::from(vec![7; 5 << 20])),
            ];
            run(listener, files, bridge, door, tls).await;
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
    let stream = Stream::connect(at).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    asked(stream, host, head)
}

fn asked(mut stream: impl Read + Write, host: &str, head: &str) -> (String, Vec<u8>) {
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
    joined(request, MaybeTlsStream::Plain(stream))
}

fn joined<S: Read + Write>(
    request: tungstenite::handshake::client::Request,
    stream: S,
) -> Result<tungstenite::WebSocket<S>, u16> {
    match tungstenite::client(request, stream) {
        Ok((client, _)) => Ok(client),
        Err(tungstenite::HandshakeError::Failure(tungstenite::Error::Http(answer))) => Err(answer.status().as_u16()),
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
            head.contains(&format!("connect-src 'self' ws://{host} blob:;")) && head.contains("frame-ancestors 'none'")
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
    let (secure, to, heard, key) = secure_studio();
    let at = secure.at;
    assert_eq!(key.len(), 32);
    for path in ["/", "/tocco.wasm", "/?key=", "/?key=0123456789abcdef0123456789abcdef"] {
        assert!(secure.ask(&format!("GET {path} HTTP/1.1")).0.starts_with("http/1.1 403"), "{path}");
    }
    let (head, body) = secure.ask(&format!("GET /?key={key} HTTP/1.1"));
    assert!(head.starts_with("http/1.1 200") && body == b"<p>hello", "{head}");
    assert!(head.contains(&format!("connect-src 'self' wss://{at} blob:;")), "{head}");
    let cookie = head.split("set-cookie: ").nth(1).unwrap().split(';').next().unwrap();
    assert!(head.contains("httponly; secure; samesite=strict"));
    let (head, body) = secure.ask(&format!("GET /tocco.wasm HTTP/1.1\r\nCookie: a=b; {cookie}"));
    assert!(head.starts_with("http/1.1 200") && body.len() == 5 << 20 && body.iter().all(|b| *b == 7));
    assert_ne!(key, secure_studio().3);
    // Pages join by the same key, from their own origin alone, and gestures cross both ways.
    let own = format!("https://{at}");
    assert_eq!(secure.join(&own, "a=b").err(), Some(403));
    for origin in ["https://elsewhere.example", "null", &format!("http://{at}"), "https://127.0.0.1:1"] {
        assert_eq!(secure.join(origin, cookie).err(), Some(403), "{origin}");
    }
    let mut page = secure.join(&own, cookie).unwrap();
    osc(to, "/size", 0.25);
    assert_eq!(page.read().unwrap().into_text().unwrap(), r#"{"set":"size","value":0.25}"#);
    page.send(tungstenite::Message::text(r#"{"set":"size","value":0.5}"#)).unwrap();
    let mut bytes = [0; 64];
    let length = heard.recv(&mut bytes).unwrap();
    assert_eq!(&bytes[..length], b"/size\0\0\0,f\0\0\x3f\0\0\0");
    // A name of another site's making is none of ours, with the right key, too.
    let (head, _) = asked(secure.connect(), "evil.example", &format!("GET /?key={key} HTTP/1.1"));
    assert!(head.starts_with("http/1.1 403"), "{head}");
}

#[test]
fn who_does_not_trust_the_root_or_speaks_plain_http_or_says_nothing_gets_no_page() {
    let (secure, _, _, key) = secure_studio();
    // Who stays silent is let go in a browser's time, and holds up nobody meanwhile.
    let mut silent = Stream::connect(secure.at).unwrap();
    silent.set_read_timeout(Some(2 * PATIENCE)).unwrap();
    let began = std::time::Instant::now();
    let stranger = Secure::trusting(
        secure.at,
        &[&Certificate::of(&Default::default(), tempfile::tempdir().unwrap().path()).unwrap().root],
    );
    let refused = stranger.connect().write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap_err();
    assert!(refused.to_string().contains("invalid peer certificate"), "{refused}");
    let (head, body) = ask(secure.at, &format!("GET /?key={key} HTTP/1.1"));
    assert!(head.starts_with("http/1.1 400") && body.ends_with(b"the address begins with https://\n"), "{head}");
    // No handshake, half a one, and one that lies about its length.
    for junk in [&b"\x16\x03\x01"[..], &[0x16; 70_000], b"\x16\x03\x03\xff\xff\x01\0\0\0"] {
        let mut stream = Stream::connect(secure.at).unwrap();
        let _ = stream.write_all(junk);
        drop(stream);
    }
    assert!(secure.ask(&format!("GET /?key={key} HTTP/1.1")).0.starts_with("http/1.1 200"));
    assert!(began.elapsed() < PATIENCE, "somebody waited for the silent one");
    assert!(matches!(silent.read(&mut [0; 8]), Ok(0)) && began.elapsed() >= PATIENCE);
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
fn a_page_that_was_let_go_is_closed_after_the_line_on_its_way_however_slowly_it_reads() {
    let (tell, told) = std::sync::mpsc::channel();
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            tell.send(listener.local_addr().unwrap()).unwrap();
            let bridge = Bridge::open(&Settings::default()).await.unwrap();
            // A queue as the bridge leaves it: full, and nobody adds to it.
            let full = move |upgrade: WebSocketUpgrade| async move {
                let (page, queue) = mpsc::channel(8192);
                let line: Arc<str> = "x".repeat(300).into();
                while page.try_send(Arc::clone(&line)).is_ok() {}
                upgrade.on_upgrade(|socket| converse(socket, queue, bridge))
            };
            let (stream, _) = listener.accept().await.unwrap();
            answer(stream, Router::new().route("/bridge", any(full))).await;
            sleep(2 * PATIENCE).await;
        });
    });
    let mut page = own_page(told.recv().unwrap());
    let began = std::time::Instant::now();
    let mut lines = 0;
    while page.read().is_ok() {
        lines += 1;
        thread::sleep(Duration::from_millis(100));
        assert!(began.elapsed() < PATIENCE, "it is still told something after {lines} lines");
    }
    assert_eq!(lines, 1);
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

/// Up to five changes behind a place.
fn damage(bytes: &mut Vec<u8>, from: usize, rng: &mut tocco::rng::Rng) {
    for _ in 0..rng.bits() % 6 {
        let spot = from + rng.bits() as usize % (bytes.len() - from).max(1);
        match rng.bits() % 4 {
            0 if spot < bytes.len() => bytes[spot] = rng.bits() as u8,
            1 if spot < bytes.len() => drop(bytes.remove(spot)),
            2 => bytes.truncate(spot.max(1)),
            _ => drop(bytes.splice(spot..spot, *b"\xff\x7f\r\n: \0")),
        }
    }
}

/// How long each reader is tried with damage.
fn lasting() -> Duration {
    Duration::from_secs(if std::env::var_os("TOCCO_LONG").is_some() { 60 } else { 5 })
}

/// Damaged requests and frames, 5 s of each, or a minute with TOCCO_LONG: the studio goes on, and a request is answered or let go.
#[test]
fn damaged_requests_and_frames_are_answered_or_let_go_and_the_studio_goes_on() {
    let lasting = lasting();
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
        damage(&mut bytes, from, &mut rng);
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

/// The same by HTTPS: greetings that are damaged, then requests that are, inside a greeting that is whole.
#[test]
fn damaged_greetings_and_requests_by_https_are_let_go_and_the_studio_goes_on() {
    let lasting = lasting();
    let (secure, _, _, key) = secure_studio();
    let (at, own) = (secure.at, format!("GET /?key={key} HTTP/1.1"));
    let greeting = || {
        let mut bytes = Vec::new();
        let mut client = ClientConnection::new(Arc::clone(&secure.config), at.ip().into()).unwrap();
        client.write_tls(&mut bytes).unwrap();
        bytes
    };
    let mut rng = tocco::rng::Rng::new(1, "https");
    let (began, mut rounds, mut answered) = (std::time::Instant::now(), [0; 2], [0; 2]);
    while began.elapsed() < 2 * lasting {
        let kind = usize::from(began.elapsed() > lasting);
        rounds[kind] += 1;
        let mut bytes = if kind == 0 { greeting() } else { format!("{own}\r\nHost: {at}\r\n\r\n").into_bytes() };
        damage(&mut bytes, 0, &mut rng);
        let mut answer = [0; 64];
        let heard = if kind == 0 {
            let mut stream = Stream::connect(at).unwrap();
            stream.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
            stream.write_all(&bytes).and_then(|()| stream.read(&mut answer))
        } else {
            let mut stream = secure.connect();
            stream.sock.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
            stream.write_all(&bytes).and_then(|()| stream.read(&mut answer))
        };
        answered[kind] += usize::from(heard.is_ok_and(|length| length > 0));
    }
    println!("{rounds:?} greetings and requests, {answered:?} answered");
    assert!(
        rounds.iter().all(|count| *count > 30) && answered.iter().all(|count| *count > 5),
        "{rounds:?} {answered:?}"
    );
    assert!(secure.ask(&own).0.starts_with("http/1.1 200"));
}
