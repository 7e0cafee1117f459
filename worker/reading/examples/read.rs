//! Reads pages as JSON from stdin, `{"pages": [{"number", "width", "height", "confidence", "words": [{"t", "b", "c", "l"}]}]}`, and prints
//! what the rules make of them. Several documents: one per line.

use std::io::{BufRead, Write};

use gristmill_reading::{Page, narrate, read};

#[derive(serde::Deserialize)]
struct Document {
    pages: Vec<Page>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let document: Document = serde_json::from_str(&line)?;
        let reading = read(&document.pages);
        let narrative = narrate(&reading.facts);
        let answer = serde_json::json!({ "facts": reading.facts, "doubts": reading.doubts, "narrative": narrative });
        writeln!(out, "{answer}")?;
    }
    Ok(())
}
