//! The console as a folder of files, for any host of static files.
//!
//! Cloudflare and Netlify read the headers from the file `_headers`; another host has to be told to send them.

use std::io;
use std::path::Path;

use crate::files::Files;
use crate::page::{Config, GUARDS, policy};

/// Writes the page, its configuration and its headers. What else lies in the folder stays.
pub(crate) fn write(folder: &Path, files: &Files, config: &Config) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for name in Files::names() {
        if let Some(file) = files.find(name) {
            std::fs::write(folder.join(name), &file.bytes)?;
        }
    }
    let json = serde_json::to_vec_pretty(config).map_err(io::Error::other)?;
    std::fs::write(folder.join("config.json"), json)?;
    let mut headers = format!("/*\n  content-security-policy: {}\n", policy(&config.api));
    for (name, value) in GUARDS {
        headers.push_str(&format!("  {name}: {value}\n"));
    }
    headers.push_str("  cache-control: no-cache\n");
    std::fs::write(folder.join("_headers"), headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_has_the_page_its_configuration_and_its_headers() {
        let folder = std::env::temp_dir().join(format!("gristmill-console-{}", std::process::id()));
        let config = Config::of("https://ref.supabase.co/", Some("public".to_owned()));
        write(&folder, &Files::default(), &config).unwrap();
        let read = |name| std::fs::read_to_string(folder.join(name)).unwrap();
        assert!(read("index.html").contains("<html"));
        let written: serde_json::Value = serde_json::from_str(&read("config.json")).unwrap();
        assert_eq!(written["api"], "https://ref.supabase.co");
        assert_eq!(written["apiKey"], "public");
        let headers = read("_headers");
        assert!(headers.contains("connect-src 'self' https://ref.supabase.co;"));
        assert!(headers.contains("frame-ancestors 'none'"));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
