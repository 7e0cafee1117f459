use super::*;

const TEMPLATES: [Template; 4] = [
    Template::Minimal,
    Template::Modern,
    Template::Classic,
    Template::Plain,
];

fn sample(name: &str) -> Value {
    let text = match name {
        "resume" => include_str!("../samples/resume.json"),
        "arabic" => include_str!("../samples/arabic.json"),
        "chinese" => include_str!("../samples/chinese.json"),
        other => panic!("there is no sample {other}"),
    };
    serde_json::from_str(text).unwrap()
}

fn pages(template: Template, data: &Value, options: &Options) -> usize {
    let rendered = Renderer::shared().render(template, data, options).unwrap();
    assert!(rendered.pdf.starts_with(b"%PDF-"));
    rendered.pages
}

#[test]
fn a_resume_of_ordinary_length_is_one_page_in_each_template() {
    for template in [Template::Minimal, Template::Modern, Template::Classic] {
        for size in [PageSize::A4, PageSize::Letter, PageSize::Legal] {
            let options = Options {
                page_size: size,
                ..Options::default()
            };
            assert_eq!(
                pages(template, &sample("resume"), &options),
                1,
                "{template:?} {size:?}"
            );
        }
    }
}

#[test]
fn mistyped_foreign_and_endless_content_break_no_template() {
    let endless: Vec<_> = (0..40)
        .map(|n| json!({"position": format!("Job {n}"), "name": "x".repeat(300), "summary": "word ".repeat(200),
            "highlights": ["y".repeat(500)], "startDate": "2001"}))
        .collect();
    let contents = [
        json!({"basics": [], "work": 7, "skills": [null, 3, "Rust", {"keywords": "one"}], "sections": "x"}),
        json!({"basics": {"name": "#panic(\"typst\") *not bold* $x$ \\ @ref <label>"}}),
        json!({"basics": {"name": "\u{202e}evil\u{0}", "summary": "👩‍🚀 ∀x∈ℝ ไทย हिन्दी ქართული"}}),
        json!({"title": "Book", "text": "One.\n\nTwo.", "sections": [{"title": "A", "text": "B"}, {"title": "C"}]}),
        sample("arabic"),
        sample("chinese"),
        json!({"work": endless}),
    ];
    for template in TEMPLATES {
        for content in &contents {
            assert!(pages(template, content, &Options::default()) >= 1);
        }
    }
    let long = json!({"work": endless});
    assert!(pages(Template::Minimal, &long, &Options::default()) > 8);
}

#[test]
fn every_option_gives_a_document() {
    for quality in [Quality::Draft, Quality::Standard, Quality::High] {
        for color_mode in [ColourMode::Color, ColourMode::Grayscale] {
            for margin in [0.0, f64::NAN, 900.0] {
                let margins = Margins {
                    top: margin,
                    right: margin,
                    bottom: margin,
                    left: margin,
                };
                let options = Options {
                    quality,
                    color_mode,
                    margins,
                    created_at: chrono::DateTime::from_timestamp(1_700_000_000, 0),
                    ..Options::default()
                };
                for template in TEMPLATES {
                    assert!(pages(template, &sample("resume"), &options) >= 1);
                }
            }
        }
    }
}

#[test]
fn fonts_that_were_written_down_set_the_same_document() {
    let written = serde_json::to_string(&Fonts::search()).unwrap();
    let renderer = Renderer::with(serde_json::from_str(&written).unwrap());
    for name in ["resume", "arabic", "chinese"] {
        let set = |renderer: &Renderer| {
            let rendered = renderer.render(Template::Modern, &sample(name), &Options::default());
            rendered.unwrap().pdf
        };
        assert!(set(&renderer) == set(Renderer::shared()), "{name}");
    }
}

#[test]
fn invisible_characters_by_the_hundred_thousand_do_not_change_a_page() {
    let with = |between: &str| {
        let data = json!({"basics": {"name": "Ada", "summary": format!("Before {between} after")}});
        let rendered = Renderer::shared().render(Template::Minimal, &data, &Options::default());
        rendered.unwrap().pdf
    };
    for letter in ['\u{ad}', '\u{202e}', '\u{2069}', '\u{feff}', '\u{0}'] {
        assert!(
            with(&letter.to_string().repeat(340_000)) == with(""),
            "{letter:?}"
        );
    }
}

#[test]
fn what_is_no_object_or_holds_nothing_is_refused() {
    let refused = Renderer::shared().render(Template::Plain, &json!([1]), &Options::default());
    assert!(matches!(refused, Err(RenderError::NotAnObject)));
    let refused = Renderer::shared().render(Template::Plain, &json!({}), &Options::default());
    assert!(matches!(refused, Err(RenderError::Empty)));
}

/// What poppler, which others read PDFs with, says of a document.
fn said(program: &str, arguments: &[&str], pdf: &[u8]) -> String {
    let folder = std::env::temp_dir().join(format!("gristmill-render-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    static NUMBER: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let file = folder.join(format!("{number}.pdf"));
    std::fs::write(&file, pdf).unwrap();
    let mut asking = std::process::Command::new(program);
    asking.args(arguments).arg(&file);
    if program == "pdftotext" {
        asking.arg("-");
    }
    let said = asking.output().unwrap();
    std::fs::remove_file(&file).unwrap();
    assert!(said.status.success(), "{said:?}");
    String::from_utf8(said.stdout).unwrap()
}

fn set(template: Template, data: &Value, quality: Quality) -> Rendered {
    let options = Options {
        quality,
        created_at: chrono::DateTime::from_timestamp(1_700_000_000, 0),
        ..Options::default()
    };
    Renderer::shared().render(template, data, &options).unwrap()
}

#[test]
fn emoji_are_set_and_copied_as_what_they_are_also_in_an_archival_pdf() {
    let data = json!({"title": "Emoji", "text": "Rocket 🚀, family 👩‍👩‍👧, flag 🇨🇭, thumb 👍🏽."});
    for quality in [Quality::Standard, Quality::High] {
        for template in TEMPLATES {
            let rendered = set(template, &data, quality);
            assert_eq!(rendered.replaced, "");
            let text = said("pdftotext", &[], &rendered.pdf);
            for emoji in ["🚀", "👩‍👩‍👧", "🇨🇭", "👍🏽"] {
                assert!(
                    text.contains(emoji),
                    "{template:?} {quality:?}: {emoji} is not in {text}"
                );
            }
        }
    }
}

#[test]
fn letters_that_no_font_has_are_replaced_and_told_also_in_an_archival_pdf() {
    let data = json!({"title": "Private \u{10fff0} use", "text": "before \u{10fffd} after"});
    for quality in [Quality::Standard, Quality::High] {
        let rendered = set(Template::Plain, &data, quality);
        assert_eq!(rendered.replaced, "\u{10fff0}\u{10fffd}");
        let text = said("pdftotext", &[], &rendered.pdf);
        assert!(text.contains("before \u{25a1} after"), "{text}");
    }
}

#[test]
fn the_name_and_sections_of_a_tagged_pdf_are_headings() {
    for template in TEMPLATES {
        let data = json!({"title": "Ada", "basics": {"name": "Ada"}, "sections": [{"title": "Work", "text": "Mills"}]});
        let structure = said(
            "pdfinfo",
            &["-struct-text"],
            &set(template, &data, Quality::Standard).pdf,
        );
        let headings: Vec<_> = structure
            .lines()
            .map(str::trim)
            .filter(|line| line.starts_with('H'))
            .collect();
        assert!(
            headings.len() >= 2 && headings[0].starts_with("H1") && headings[1].starts_with("H2"),
            "{template:?}: {structure}"
        );
    }
}

#[test]
fn a_pdf_says_who_wrote_it_and_when() {
    let data = json!({"title": "Mills", "author": "Ada Lovelace", "basics": {"name": "Ada Lovelace"}, "text": "x"});
    for template in TEMPLATES {
        let info = said(
            "pdfinfo",
            &["-isodates"],
            &set(template, &data, Quality::Standard).pdf,
        );
        assert!(
            info.contains("Author:          Ada Lovelace"),
            "{template:?}: {info}"
        );
        assert!(
            info.contains("CreationDate:    2023-11-14T22:13:20Z"),
            "{template:?}: {info}"
        );
    }
}

#[test]
fn arabic_words_are_copied_whole() {
    for template in [Template::Minimal, Template::Modern, Template::Classic] {
        let text = said(
            "pdftotext",
            &[],
            &set(template, &sample("arabic"), Quality::Standard).pdf,
        );
        let letters = |text: &str| {
            text.chars()
                .filter(|letter| letter.is_alphabetic())
                .collect::<String>()
        };
        let text = letters(&text);
        for word in ["ليلى", "مهندسة", "الأنظمة", "أولى"] {
            assert!(text.contains(word), "{template:?}: {word} is not in {text}");
        }
    }
}

#[test]
fn a_chapter_and_a_book_of_chapters_are_set_as_archival_pdf() {
    let chapter = json!({"title": "The Sun", "author": "For Grace and Alan", "sections": [
        {"title": "Where it stood", "text": "One paragraph.\n\nAnother.", "table": {"head": ["body", "place"], "rows": [["Sun", "♈ 3°"]]}},
    ]});
    let book = json!({"title": "The book", "author": "For Grace and Alan", "chapters": [chapter, chapter]});
    let archival = Options {
        quality: Quality::High,
        ..Options::default()
    };
    assert_eq!(pages(Template::Chapter, &chapter, &archival), 1);
    assert!(pages(Template::Chapter, &book, &archival) >= 4);
}
