// SPDX-License-Identifier: MIT OR Apache-2.0
//! The studio as a program, under packets and requests, by HTTP and by HTTPS: it goes on, and holds little. A million packets and
//! 100 000 requests with TOCCO_LONG, else 20 000 and 2000; by HTTPS a tenth of the requests, for whoever asks works as hard as the studio.
#![cfg(target_os = "linux")]

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tocco::rng::Rng;
use tocco_host::osc::wire::{bundle, bytes_of, text};
use tungstenite::client::IntoClientRequest;
use tungstenite::http::header::{COOKIE, ORIGIN};

/// Memory that the studio may ever have held, bytes, its own code among it.
const MOST_HELD: u64 = 100 << 20;
/// Part of a core that idle pages may take.
const IDLE: f64 = 0.02;
/// A browser's patience.
const PATIENCE: Duration = Duration::from_secs(20);

fn long() -> bool {
    std::env::var_os("TOCCO_LONG").is_some()
}

/// What a browser reads and writes, in the clear or not.
trait Stream: Read + Write + Send {}
impl<S: Read + Write + Send> Stream for S {}

struct Studio {
    child: Child,
    page: SocketAddr,
    osc: String,
    /// Where others can reach it: what trusts it, and the cookie of who has shown the key.
    secure: Option<(Arc<ClientConfig>, String)>,
    _home: tempfile::TempDir,
}

impl Studio {
    /// By HTTP on loopback, or by HTTPS for everybody. `None`: the program was built without the page's engine, which is said.
    fn start(secure: bool) -> Option<Self> {
        let port = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
        let home = tempfile::tempdir().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_tocco"))
            .args(["studio", "--port", "0", "--no-open", "--osc", &port])
            .args(if secure { &["--host", "0.0.0.0"][..] } else { &[] })
            .env("XDG_DATA_HOME", home.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        let Some(link) = line.split("://").nth(1).and_then(|rest| rest.split_whitespace().next()) else {
            let mut wrong = String::new();
            child.stderr.take().unwrap().read_to_string(&mut wrong).unwrap();
            child.wait().unwrap();
            assert!(wrong.contains("without the page's engine"), "{line}{wrong}");
            tocco_testing::skip("the studio under a storm", "the page's engine (TOCCO_WASM_FILE)");
            return None;
        };
        let (place, key) = link.split_once('/').unwrap();
        let key = key.strip_prefix("?key=").unwrap_or_default().to_owned();
        let page = SocketAddr::from(([127, 0, 0, 1], place.rsplit(':').next().unwrap().parse().unwrap()));
        let secure = secure.then(|| {
            // The line about the certificate comes when it is kept.
            while !line.contains("SHA-256") {
                line.clear();
                assert!(lines.read_line(&mut line).unwrap() > 0, "no certificate");
            }
            let root = fs::read(home.path().join("tocco/tocco-studio.crt")).unwrap();
            let mut store = RootCertStore::empty();
            store.add(CertificateDer::from_pem_slice(&root).unwrap()).unwrap();
            let provider = Arc::new(rustls::crypto::ring::default_provider());
            let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
            let config = builder.with_root_certificates(store).with_no_client_auth();
            (Arc::new(config), format!("tocco-{}={key}", page.port()))
        });
        Some(Self { child, page, osc: format!("127.0.0.1:{port}"), secure, _home: home })
    }

    /// Most memory that it has ever held, bytes.
    fn most_held(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.split_whitespace().next().unwrap().parse::<u64>().unwrap() * 1024
    }

    /// Seconds of a processor that it has taken.
    fn spent(&self) -> f64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        let ticks: u64 = stat
            .rsplit(')')
            .next()
            .unwrap()
            .split_whitespace()
            .skip(11)
            .take(2)
            .map(|x| x.parse::<u64>().unwrap())
            .sum();
        // SAFETY: a plain question.
        ticks as f64 / unsafe { libc::sysconf(libc::_SC_CLK_TCK) } as f64
    }

    fn connect(&self) -> Box<dyn Stream> {
        let stream = TcpStream::connect(self.page).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        match &self.secure {
            None => Box::new(stream),
            Some((config, _)) => {
                let name = self.page.ip().into();
                Box::new(StreamOwned::new(ClientConnection::new(Arc::clone(config), name).unwrap(), stream))
            }
        }
    }

    /// A request, and how its answer begins.
    fn ask(&self, head: &str) -> String {
        let mut stream = self.connect();
        let cookie = self.secure.as_ref().map_or(String::new(), |(_, cookie)| format!("\r\nCookie: {cookie}"));
        let _ = stream.write_all(format!("{head}\r\nHost: {}{cookie}\r\n\r\n", self.page).as_bytes());
        let (mut first, mut rest) = ([0; 12], [0; 65_536]);
        let _ = stream.read_exact(&mut first);
        while stream.read(&mut rest).is_ok_and(|length| length > 0) {}
        String::from_utf8_lossy(&first).into_owned()
    }

    fn join(&self) -> tungstenite::WebSocket<Box<dyn Stream>> {
        let s = if self.secure.is_some() { "s" } else { "" };
        let mut request = format!("ws{s}://{}/bridge", self.page).into_client_request().unwrap();
        request.headers_mut().insert(ORIGIN, format!("http{s}://{}", self.page).parse().unwrap());
        if let Some((_, cookie)) = &self.secure {
            request.headers_mut().insert(COOKIE, cookie.parse().unwrap());
        }
        tungstenite::client(request, self.connect()).unwrap_or_else(|wrong| panic!("{wrong}")).0
    }
}

impl Drop for Studio {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Packets that a port of this machine had no room for.
fn dropped(port: &str) -> u64 {
    let port: u16 = port.rsplit(':').next().unwrap().parse().unwrap();
    let place = format!("0100007F:{port:04X}");
    let table = fs::read_to_string("/proc/net/udp").unwrap();
    let row = table.lines().find(|row| row.split_whitespace().nth(1) == Some(&place)).expect("it listens");
    row.split_whitespace().last().unwrap().parse().unwrap()
}

/// A packet: good, broken, nested deeper than anybody needs, or as long as one can be.
fn packet(rng: &mut Rng) -> Vec<u8> {
    let value = rosc::OscType::Float(rng.unit() as f32);
    let good = bytes_of("/hit/stiffness", vec![value.clone()]);
    match rng.bits() % 1000 {
        0 => (0..3_000).fold(good, |inner, _| bundle(1, &[inner])),
        1 => [b"/a\0\0,".to_vec(), vec![b'['; 60_000], vec![0; 4]].concat(),
        2 => bundle(1, &vec![good; 2_000]),
        3..100 => {
            let mut bytes = good;
            (0..1 + rng.bits() % 4).for_each(|_| {
                let at = rng.bits() as usize % bytes.len();
                bytes[at] = rng.bits() as u8;
            });
            bytes
        }
        100..200 => (0..rng.bits() % 300).map(|_| rng.bits() as u8).collect(),
        200..400 => bytes_of("/tocco/strike", vec![text("hammer"), value]),
        _ => good,
    }
}

#[test]
fn a_million_packets_and_a_hundred_thousand_requests_leave_the_studio_as_it_was() {
    if let Some(studio) = Studio::start(false) {
        let (packets, requests) = if long() { (1_000_000, 100_000) } else { (20_000, 2_000) };
        storm(studio, packets, requests);
    }
}

#[test]
fn by_https_the_same_storm_leaves_it_as_it_was_whoever_shakes_hands_and_says_no_more() {
    let Some(studio) = Studio::start(true) else { return };
    // Who comes, begins a handshake and says no more, or begins none: let go meanwhile.
    let mut silent: Vec<TcpStream> = (0..64).map(|_| TcpStream::connect(studio.page).unwrap()).collect();
    silent.iter_mut().step_by(2).for_each(|stream| stream.write_all(b"\x16\x03\x01").unwrap());
    let (packets, requests) = if long() { (1_000_000, 10_000) } else { (20_000, 400) };
    storm(studio, packets, requests);
}

fn storm(mut studio: Studio, packets: usize, requests: usize) {
    // One page listens, one never reads: what is played for it may not pile up.
    let (mut keen, _deaf) = (studio.join(), studio.join());
    let heard = std::thread::spawn(move || {
        let mut heard = 0_u64;
        while keen.read().is_ok_and(|message| message.is_text()) {
            heard += 1;
        }
        heard
    });
    let (socket, mut rng, began) = (UdpSocket::bind("127.0.0.1:0").unwrap(), Rng::new(1, "packets"), Instant::now());
    let mut longest = 0;
    for sent in 0..packets {
        let bytes = packet(&mut rng);
        longest = longest.max(bytes.len());
        // What the socket's own buffer does not take is no test of the studio.
        while socket.send_to(&bytes, &studio.osc).is_err() {
            std::thread::sleep(Duration::from_millis(1));
        }
        if sent % 100 == 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    let (took, after_packets) = (began.elapsed(), studio.most_held());
    // Taken, too, and not only sent.
    let lost = dropped(&studio.osc);
    println!("{packets} packets of up to {longest} bytes in {took:?}, {lost} lost: at most {} MB", after_packets >> 20);
    assert!(lost < packets as u64 / 2, "{lost} of {packets} packets were lost on the way");
    assert!(studio.ask("GET / HTTP/1.1").starts_with("HTTP/1.1 200"));
    let (began, mut good) = (Instant::now(), 0);
    let heads = [
        "GET / HTTP/1.1",
        "GET /scenes.json HTTP/1.1",
        "HEAD /tocco.wasm HTTP/1.1",
        "GET /../../etc/passwd HTTP/1.1",
        "POST / HTTP/1.1\r\nContent-Length: 0",
        "GET /bridge HTTP/1.1",
        "nonsense",
    ];
    for _ in 0..requests {
        let head = heads[rng.bits() as usize % heads.len()];
        good += usize::from(studio.ask(head).starts_with("HTTP/1.1 200"));
    }
    let most = studio.most_held();
    println!("{requests} requests in {:?}, {good} with a file: at most {} MB", began.elapsed(), most >> 20);
    assert!(good > requests / 4, "{good}");
    assert!(studio.child.try_wait().unwrap().is_none(), "it has ended");
    assert!(most < MOST_HELD, "{most} bytes");
    let mut page = studio.join();
    socket.send_to(&bytes_of("/size", vec![rosc::OscType::Float(0.25)]), &studio.osc).unwrap();
    assert!(page.read().unwrap().is_text());
    drop(studio);
    let heard = heard.join().unwrap();
    println!("a page heard {heard}");
    assert!(heard > 1_000, "{heard}");
}

/// By the processor's time that the system counts for the program: a busy machine does not matter.
#[test]
fn four_hundred_idle_pages_take_next_to_nothing() {
    for secure in [false, true] {
        let Some(studio) = Studio::start(secure) else { return };
        let pages: Vec<_> = (0..400).map(|_| studio.join()).collect();
        let (before, began) = (studio.spent(), Instant::now());
        std::thread::sleep(Duration::from_secs(if long() { 30 } else { 5 }));
        let part = (studio.spent() - before) / began.elapsed().as_secs_f64();
        let (count, held) = (pages.len(), studio.most_held());
        println!("{count} idle pages, HTTPS {secure}: {:.2} % of a core, {} MB", 100.0 * part, held >> 20);
        assert!(part < IDLE && held < MOST_HELD, "{part} {held}");
    }
}

#[test]
fn where_no_more_files_may_be_opened_it_rests_and_goes_on_when_they_may() {
    let Some(studio) = Studio::start(false) else { return };
    let id = studio.child.id();
    let limit = |files: u64| {
        let most = libc::rlimit { rlim_cur: files, rlim_max: 4096 };
        // SAFETY: a limit of our own child, from memory that lives through the call.
        let said = unsafe { libc::prlimit(id as libc::pid_t, libc::RLIMIT_NOFILE, &most, std::ptr::null_mut()) };
        assert_eq!(said, 0);
    };
    let open = fs::read_dir(format!("/proc/{id}/fd")).unwrap().count() as u64;
    limit(open + 4);
    let waiting: Vec<TcpStream> = (0..40).map(|_| TcpStream::connect(studio.page).unwrap()).collect();
    let (before, began) = (studio.spent(), Instant::now());
    std::thread::sleep(Duration::from_secs(2));
    let part = (studio.spent() - before) / began.elapsed().as_secs_f64();
    println!("{} callers and room for 4: {:.2} % of a core", waiting.len(), 100.0 * part);
    assert!(part < 0.1, "{part}");
    drop(waiting);
    limit(4096);
    let answer = studio.ask("GET / HTTP/1.1\r\nConnection: close");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}
