//! Certificates for encrypted connections, made afresh.

/// An authority, and a server's and a client's certificate that it signed, as files.
pub struct Certificates {
    folder: tempfile::TempDir,
}

impl Certificates {
    /// A server's for this machine.
    pub fn make() -> Self {
        Self::naming(&["localhost", "127.0.0.1"])
    }

    /// A server's for those names alone.
    pub fn naming(names: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let authority_key = rcgen::KeyPair::generate().unwrap();
        let mut authority = rcgen::CertificateParams::new(Vec::new()).unwrap();
        authority.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        authority.key_usages =
            vec![rcgen::KeyUsagePurpose::KeyCertSign, rcgen::KeyUsagePurpose::CrlSign];
        // Of the name that all have otherwise, OpenSSL takes what it signs for its own.
        authority.distinguished_name.push(rcgen::DnType::CommonName, "authority");
        let certificate = authority.self_signed(&authority_key).unwrap();
        std::fs::write(folder.path().join("ca.pem"), certificate.pem()).unwrap();
        let issuer = rcgen::Issuer::new(authority, authority_key);
        for name in ["server", "client"] {
            let key = rcgen::KeyPair::generate().unwrap();
            let mut params = rcgen::CertificateParams::new(
                names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>(),
            )
            .unwrap();
            params.use_authority_key_identifier_extension = true;
            let certificate = params.signed_by(&key, &issuer).unwrap();
            std::fs::write(folder.path().join(format!("{name}.pem")), certificate.pem()).unwrap();
            std::fs::write(folder.path().join(format!("{name}.key")), key.serialize_pem()).unwrap();
        }
        Self { folder }
    }

    pub fn file(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }
}
