//! The programs that the container worker calls: there, or named with the package that brings them.

use super::Finding;

/// A program, and Debian's package of it.
const TOOLS: &[(&str, &str)] = &[
    ("tesseract", "tesseract-ocr"),
    ("pdftotext", "poppler-utils"),
    ("pdfinfo", "poppler-utils"),
    ("pdftoppm", "poppler-utils"),
    ("heif-convert", "libheif-examples"),
    ("clamd", "clamav-daemon"),
    ("prlimit", "util-linux"),
    ("setpriv", "util-linux"),
];

/// Looks along PATH, and where Debian keeps daemons.
pub(super) fn look() -> Finding {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<_> = std::env::split_paths(&path).collect();
    folders.extend(["/usr/sbin".into(), "/sbin".into()]);
    let is_there = |program: &str| folders.iter().any(|folder| folder.join(program).is_file());
    let missing = TOOLS.iter().filter(|(program, _)| !is_there(program));
    Finding {
        name: "programs of the container worker",
        details: missing
            .map(|(program, package)| format!("{program} is missing; Debian has it in {package}"))
            .collect(),
        mend: "Install the packages where gristmill work runs; clamd is needed only where WORKER_CLAMD is set",
    }
}
