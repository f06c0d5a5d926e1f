//! Certificates of webhooks, as an operator finds them.

use std::time::{Duration, SystemTime};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use serde_json::{Value, json};

const DAY: Duration = Duration::from_hours(24);

/// From when to when something is valid, in days from now: what is past is negative.
pub(crate) type Days = (i32, i32);

/// A Secret as operators keep their certificate in: it is for these hosts, and signed by an authority.
pub(crate) fn secret(name: &str, hosts: &[&str], authority: Days, certificate: Days) -> Value {
    let mut params = valid(CertificateParams::default(), authority);
    params.distinguished_name.push(DnType::CommonName, "old");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().expect("a key");
    let authority = CertifiedIssuer::self_signed(params, key).expect("an authority");
    let hosts: Vec<_> = hosts.iter().map(|&host| host.to_owned()).collect();
    let params = CertificateParams::new(hosts).expect("names");
    let key = KeyPair::generate().expect("a key");
    let certificate = valid(params, certificate).signed_by(&key, &authority);
    json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name},
        "stringData": {
            "ca.crt": authority.pem(),
            "ca.key": authority.key().serialize_pem(),
            "tls.crt": certificate.expect("a certificate").pem(),
            "tls.key": key.serialize_pem(),
        },
    })
}

fn valid(mut params: CertificateParams, (since, until): Days) -> CertificateParams {
    params.not_before = from_now(since).into();
    params.not_after = from_now(until).into();
    params
}

fn from_now(days: i32) -> SystemTime {
    let (now, days_off) = (SystemTime::now(), DAY * days.unsigned_abs());
    if days < 0 {
        now - days_off
    } else {
        now + days_off
    }
}
