//! What the container worker calls: its programs, there or named with the package that brings them, and its scanner.

use super::Finding;
use gristmill_native::clamd;

/// A program, and Debian's package of it.
const TOOLS: &[(&str, &str)] = &[
    ("tesseract", "tesseract-ocr"),
    ("pdftotext", "poppler-utils"),
    ("pdfinfo", "poppler-utils"),
    ("pdftoppm", "poppler-utils"),
    ("heif-convert", "libheif-examples"),
    ("clamd", "clamav-daemon"),
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
            .map(|(program, package)| {
                format!("{program} is missing; Debian has it in {package}").into()
            })
            .collect(),
        mend: "Install the packages where gristmill work runs; clamd is needed only where WORKER_CLAMD is set",
    }
}

/// Which bounds the kernel keeps for programs that work on files of strangers. It is asked of this machine, where the worker may run.
#[cfg(any(feature = "documents", feature = "exports", feature = "workflows"))]
pub(super) async fn confinement() -> Finding {
    let holds = async { gristmill_runner::confine::Holds::ask(&std::env::current_exe()?).await };
    let details = match holds.await {
        Ok(holds) => holds
            .missing()
            .into_iter()
            .map(str::to_owned)
            .map(Into::into)
            .collect(),
        Err(error) => vec![format!("no child can be confined: {error}").into()],
    };
    Finding {
        name: "confinement of the worker's children",
        details,
        mend: "Run the worker on a kernel that has Landlock enabled (see /sys/kernel/security/lsm) and seccomp, in a container whose \
               profile allows the calls landlock_* and seccomp",
    }
}

/// Asks the scanner that WORKER_CLAMD names. To have none is a choice that has to be made.
pub(super) async fn scanner() -> Finding {
    let details = match std::env::var("WORKER_CLAMD").as_deref() {
        Err(_) | Ok("") => {
            vec![
                "WORKER_CLAMD is not set: files are not scanned for viruses"
                    .to_owned()
                    .into(),
            ]
        }
        Ok(clamd::NONE) => Vec::new(),
        Ok(address) => clamd::ailment(address)
            .await
            .into_iter()
            .map(Into::into)
            .collect(),
    };
    Finding {
        name: "virus scanner",
        details,
        mend: "Run clamd with freshclam beside the worker and give both WORKER_CLAMD, a socket's path or HOST:PORT; \
               WORKER_CLAMD=none says that you do without",
    }
}
