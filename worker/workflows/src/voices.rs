//! `audio_generation`: a text read aloud by espeak-ng and made an MP3 of 128 kbit/s by lame or an M4A of 64 kbit/s
//! by ffmpeg, all as children under limits.

use std::ffi::OsString;
use std::time::Duration;

use gristmill_core::job::ClaimedJob;
use serde::Serialize;

use super::artifact::{Form, Made};
use super::texts::{OfText, Text};
use super::wave::seconds;
use super::{TaskError, input};
use gristmill_runner::{Context, Limits};

/// The largest text that is read.
const MAX_TEXT: u64 = 1 << 20;

/// An hour of speech is 160 MB as samples and 58 MB as MP3.
const LIMITS: Limits = Limits {
    memory: 512 << 20,
    cpu_seconds: 60,
    wall: Duration::from_secs(100),
    output: 200 << 20,
};

#[derive(Debug, Serialize)]
struct Spoken {
    path: String,
    duration: f64,
    artifacts: [Made; 1],
}

pub(super) async fn run(
    job: &ClaimedJob,
    context: &Context<'_>,
) -> Result<impl Serialize + use<>, TaskError> {
    let input: OfText = input(job)?;
    let text: Text = input.read(context, MAX_TEXT).await?;
    let form = match input.format.as_deref() {
        Some("m4a") => Form::AudioM4a,
        _ => Form::Audio,
    };
    let (sound, duration) = speak(&text, form, context).await?;
    context.progress(75, "store");
    let mut made = input.place.store(form, &text.title, sound, context).await?;
    made.duration_seconds = Some(duration);
    Ok(Spoken {
        path: made.storage_path.clone(),
        duration,
        artifacts: [made],
    })
}

async fn speak(
    text: &Text,
    form: Form,
    context: &Context<'_>,
) -> Result<(Vec<u8>, f64), TaskError> {
    let folder = context.children.folder()?;
    let _watch = context.watch();
    let run = async |program, arguments: &[&str], stdin: Option<&[u8]>| {
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        let (children, cancelled) = (&context.children, context.cancellation());
        children
            .run(program, &arguments, folder.path(), stdin, LIMITS, cancelled)
            .await
    };
    // Spoken text goes in by standard input: nothing in it can be taken for an option.
    let script = script(text);
    let speak = ["-v", "en", "-s", "165", "-w", "spoken.wav", "--stdin"];
    run("espeak-ng", &speak, Some(script.as_bytes())).await?;
    let duration = seconds(&tokio::fs::read(folder.path().join("spoken.wav")).await?)
        .ok_or_else(|| TaskError::Content("espeak-ng wrote no sound".to_owned()))?;
    context.progress(50, "encode");
    let file = match form {
        Form::AudioM4a => {
            let title = format!("title={}", text.title);
            #[rustfmt::skip]
            let encode = [
                "-nostdin", "-loglevel", "error", "-threads", "1", "-i", "spoken.wav", "-c:a", "aac", "-b:a", "64k",
                "-metadata", &title, "-movflags", "+faststart", "spoken.m4a",
            ];
            run("ffmpeg", &encode, None).await?;
            "spoken.m4a"
        }
        _ => {
            #[rustfmt::skip]
            let encode = [
                "--quiet", "--cbr", "-b", "128", "-m", "m", "--tt", &text.title, "spoken.wav", "spoken.mp3",
            ];
            run("lame", &encode, None).await?;
            "spoken.mp3"
        }
    };
    let sound = tokio::fs::read(folder.path().join(file)).await?;
    Ok((sound, (duration * 1000.0).round() / 1000.0))
}

fn script(text: &Text) -> String {
    let mut script = format!("{}.\n\n", text.title);
    for section in &text.sections {
        script.push_str(&format!("{}.\n\n{}\n\n", section.title, section.text));
    }
    // Signs that a voice would leave out, or spell.
    script.replace('°', " degrees ").replace('′', " minutes")
}

#[cfg(test)]
mod tests {
    use gristmill_chapters::Section;

    use super::*;

    #[test]
    fn degrees_and_minutes_are_spoken_and_tables_are_not() {
        let section = Section {
            title: "Sun".to_owned(),
            text: "At 16°31′ of Leo.".to_owned(),
            table: None,
        };
        let text = Text {
            title: "T".to_owned(),
            author: String::new(),
            sections: vec![section],
        };
        assert_eq!(
            script(&text),
            "T.\n\nSun.\n\nAt 16 degrees 31 minutes of Leo.\n\n"
        );
    }
}
