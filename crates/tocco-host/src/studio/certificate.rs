// SPDX-License-Identifier: MIT OR Apache-2.0
//! HTTPS for the studio where other machines reach it: browsers give worklets, motion sensors and installing to secure pages alone.
//!
//! A root and a certificate under it for the addresses of this machine, made once and kept. The root's key is thrown away when the
//! certificate is signed, so who trusts the root trusts this one certificate: nobody can ever make another under it. A machine that
//! has got another address needs another root, and says so.

use crate::error::{HostError, Result};
use crate::{atomic_file, console};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    SanType,
};
use ring::digest::{SHA256, digest};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Days for which a certificate holds: Apple's systems take no more than 825.
const LASTS_DAYS: u64 = 800;
/// A certificate with fewer days left is made anew.
const LEAST_DAYS: u64 = 14;
/// Clocks of phones may be so much behind, days.
const BEFORE_DAYS: u64 = 1;
/// Addresses that one certificate holds, at most; those that were served before are forgotten first.
const MOST_ADDRESSES: usize = 64;
/// What is kept is no longer than this, bytes.
const LONGEST_KEPT: u64 = 1 << 20;

/// What a browser is shown, and what it may be told to trust.
pub struct Certificate {
    /// What the server speaks by.
    pub config: Arc<rustls::ServerConfig>,
    /// The root, PEM.
    pub root: String,
    /// The same as a file of this machine.
    pub root_file: PathBuf,
    /// SHA-256 of the root, as browsers show it.
    pub fingerprint: String,
    /// True if it was made now, so that nobody trusts it yet.
    pub is_new: bool,
}

/// As kept in a file: PEM, the addresses that it is for, and its end in seconds since 1970.
struct Kept {
    root: String,
    leaf: String,
    key: String,
    addresses: BTreeSet<IpAddr>,
    until_s: u64,
}

impl Certificate {
    /// The one that is kept in `folder`, if it is for all of `addresses` and has not run out; else a new one, which is kept.
    pub fn of(addresses: &BTreeSet<IpAddr>, folder: &Path) -> Result<Self> {
        let now_s = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let file = folder.join("studio-certificate.json");
        let old = Kept::read(&file);
        if let Some(old) = &old
            && addresses.is_subset(&old.addresses)
            && now_s + LEAST_DAYS * 86_400 < old.until_s
            && let Ok(certificate) = old.open(folder, false)
        {
            return Ok(certificate);
        }
        let mut all = addresses.clone();
        let before = old.into_iter().flat_map(|old| old.addresses).filter(|address| !addresses.contains(address));
        all.extend(before.take(MOST_ADDRESSES.saturating_sub(addresses.len())));
        let kept = Kept::make(all, now_s).map_err(failed)?;
        let certificate = kept.open(folder, true)?;
        make_own(folder)?;
        // The key first: a root without it is of no use to anybody.
        write_own(&file, kept.text().as_bytes())?;
        atomic_file::write(&certificate.root_file, kept.root.as_bytes())?;
        Ok(certificate)
    }

    /// One line that says how to trust it, on a phone at this address, too.
    pub fn words(&self, link: &str) -> String {
        let begin = if self.is_new { "a new certificate, which no browser knows yet" } else { "its own certificate" };
        let file = console::file(&self.root_file);
        format!(
            "{begin}: at the warning choose to go on, or trust it (as an authority: {file}, or on a phone {link}), \
             SHA-256 {}",
            self.fingerprint
        )
    }
}

impl Kept {
    /// A root and a certificate for these addresses and this machine's own name for itself.
    fn make(addresses: BTreeSet<IpAddr>, now_s: u64) -> std::result::Result<Self, rcgen::Error> {
        let day = |days: u64| rcgen::date_time_ymd(1970, 1, 1) + Duration::from_secs(days * 86_400);
        let (from, until) = (now_s / 86_400 - BEFORE_DAYS.min(now_s / 86_400), now_s / 86_400 + LASTS_DAYS);
        let blank = |name: String| {
            let mut params = CertificateParams::default();
            params.distinguished_name = rcgen::DistinguishedName::new();
            params.distinguished_name.push(DnType::CommonName, name);
            (params.not_before, params.not_after) = (day(from), day(until));
            params
        };
        let mut root = blank(format!("Tocco studio, made {}", day(now_s / 86_400).date()));
        root.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        root.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let root_key = KeyPair::generate()?;
        let root_text = root.self_signed(&root_key)?.pem();
        let mut leaf = blank("Tocco studio".to_owned());
        leaf.use_authority_key_identifier_extension = true;
        leaf.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        leaf.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        leaf.subject_alt_names = addresses.iter().copied().map(SanType::IpAddress).collect();
        leaf.subject_alt_names.push(SanType::DnsName("localhost".try_into()?));
        let key = KeyPair::generate()?;
        let leaf_text = leaf.signed_by(&key, &Issuer::new(root, root_key))?.pem();
        Ok(Self { root: root_text, leaf: leaf_text, key: key.serialize_pem(), addresses, until_s: until * 86_400 })
    }

    fn text(&self) -> String {
        json!({ "addresses": self.addresses, "until_s": self.until_s, "root": self.root, "leaf": self.leaf, "key": self.key })
            .to_string()
    }

    /// None if there is none, or nothing that could be one.
    fn read(file: &Path) -> Option<Self> {
        if std::fs::metadata(file).ok()?.len() > LONGEST_KEPT {
            return None;
        }
        let value: Value = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
        let text = |name: &str| value[name].as_str().map(str::to_owned);
        let addresses = value["addresses"].as_array()?.iter().map(|one| one.as_str()?.parse().ok());
        Some(Self {
            root: text("root")?,
            leaf: text("leaf")?,
            key: text("key")?,
            addresses: addresses.collect::<Option<_>>()?,
            until_s: value["until_s"].as_u64()?,
        })
    }

    /// Ready to speak by; what does not fit together is an error.
    fn open(&self, folder: &Path, is_new: bool) -> Result<Certificate> {
        let root = CertificateDer::from_pem_slice(self.root.as_bytes()).map_err(failed)?;
        let leaf = CertificateDer::from_pem_slice(self.leaf.as_bytes()).map_err(failed)?;
        let key = PrivateKeyDer::from_pem_slice(self.key.as_bytes()).map_err(failed)?;
        let hash = digest(&SHA256, &root);
        let fingerprint = hash.as_ref().iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(":");
        let mut config =
            rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
                .with_safe_default_protocol_versions()
                .map_err(failed)?
                .with_no_client_auth()
                .with_single_cert(vec![leaf, root], key)
                .map_err(failed)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let root_file = folder.join("tocco-studio.crt");
        Ok(Certificate { config: Arc::new(config), root: self.root.clone(), root_file, fingerprint, is_new })
    }
}

fn failed(cause: impl std::fmt::Display) -> HostError {
    HostError::Machine(format!("cannot make a certificate for the studio: {cause}"))
}

/// Makes a folder that only its owner may look into, so that nobody sees a file while it is written.
fn make_own(folder: &Path) -> Result<()> {
    atomic_file::create_folder(folder)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let set = std::fs::set_permissions(folder, PermissionsExt::from_mode(0o700));
        set.map_err(|cause| HostError::writing(folder, &cause))?;
    }
    Ok(())
}

/// Writes a file that only its owner may read.
fn write_own(file: &Path, bytes: &[u8]) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
        let made = std::fs::OpenOptions::new().create(true).append(true).mode(0o600).open(file);
        made.and_then(|file| file.set_permissions(PermissionsExt::from_mode(0o600)))
            .map_err(|cause| HostError::writing(file, &cause))?;
    }
    atomic_file::write(file, bytes)
}

/// Where the program keeps what it makes for itself.
pub fn own_folder() -> Result<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = if cfg!(windows) {
        set("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        set("HOME").map(|home| home.join("Library/Application Support"))
    } else {
        set("XDG_DATA_HOME")
            .filter(|path| path.is_absolute())
            .or_else(|| set("HOME").map(|home| home.join(".local/share")))
    };
    base.map(|base| base.join("tocco"))
        .ok_or_else(|| HostError::Machine("no folder to keep a certificate in: set HOME".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(list: &[&str]) -> BTreeSet<IpAddr> {
        list.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn a_certificate_is_kept_until_an_address_is_new_or_its_time_is_over_or_its_file_is_damaged() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("deep/tocco");
        let of = |list: &[&str]| Certificate::of(&addresses(list), &folder).unwrap();
        let first = of(&["127.0.0.1", "192.0.2.7"]);
        assert!(first.is_new && first.words("x").contains("a new certificate"));
        assert_eq!(std::fs::read_to_string(&first.root_file).unwrap(), first.root);
        let again = of(&["192.0.2.7"]);
        assert!(!again.is_new && again.fingerprint == first.fingerprint && again.root == first.root);
        // Another address: another root, and the old addresses stay in it.
        let moved = of(&["192.0.2.8"]);
        assert!(moved.is_new && moved.fingerprint != first.fingerprint);
        assert!(!of(&["192.0.2.7", "192.0.2.8"]).is_new);
        let file = folder.join("studio-certificate.json");
        let whole = std::fs::read_to_string(&file).unwrap();
        let kept = Kept::read(&file).unwrap();
        let soon = (SystemTime::now() + Duration::from_secs(86_400)).duration_since(UNIX_EPOCH).unwrap().as_secs();
        for damaged in [
            String::new(),
            "{}".into(),
            whole[..whole.len() / 2].to_owned(),
            whole.replacen("MIGHAgEA", "AAAAAAAA", 1),
            whole.replace(&kept.until_s.to_string(), &soon.to_string()),
        ] {
            assert_ne!(damaged, whole);
            std::fs::write(&file, damaged).unwrap();
            assert!(of(&["192.0.2.8"]).is_new);
        }
        assert!(!of(&["192.0.2.8"]).is_new);
    }

    #[cfg(unix)]
    #[test]
    fn the_key_is_its_owners_alone_and_that_of_the_root_is_nowhere() {
        use std::os::unix::fs::PermissionsExt;
        let home = tempfile::tempdir().unwrap();
        Certificate::of(&addresses(&["127.0.0.1"]), home.path()).unwrap();
        let mut keys = 0;
        for entry in std::fs::read_dir(home.path()).unwrap() {
            let path = entry.unwrap().path();
            let count = std::fs::read_to_string(&path).unwrap().matches("BEGIN PRIVATE KEY").count();
            let mode = std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
            assert!(count == 0 || mode == 0o600, "{}: {mode:o}", path.display());
            keys += count;
        }
        assert_eq!(keys, 1);
    }
}
