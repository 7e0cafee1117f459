//! Reads what tesseract says of one page: its TSV, with a box and a confidence for each word, and which way is up.

use super::model::{Page, Word};

/// A page from tesseract's TSV; none when it says nothing of a page.
pub(super) fn page(number: u32, tsv: &str) -> Option<Page> {
    let mut size = None;
    let mut words: Vec<Word> = Vec::new();
    let mut line = 0;
    for row in tsv.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [
            level,
            _page,
            _block,
            _paragraph,
            _line,
            _word,
            left,
            top,
            width,
            height,
            confidence,
            text,
        ] = cells[..]
        else {
            continue;
        };
        let numbers = [left, top, width, height].map(|cell| cell.parse::<f32>().ok());
        let [Some(left), Some(top), Some(width), Some(height)] = numbers else {
            continue;
        };
        match level {
            "1" => size = Some((width, height)),
            "4" => line += 1,
            "5" => {
                let (page_width, page_height) = size?;
                let text = text.trim();
                if text.is_empty() {
                    continue;
                }
                words.push(Word {
                    text: text.to_owned(),
                    place: [
                        left / page_width,
                        top / page_height,
                        (left + width) / page_width,
                        (top + height) / page_height,
                    ],
                    confidence: confidence.parse().ok().map(|percent: f32| percent / 100.0),
                    line: Some(line),
                });
            }
            _ => {}
        }
    }
    let (width, height) = size?;
    Some(Page::new(number, "tesseract", width, height, words))
}

/// Which way is up, and what letters there are.
#[derive(Debug, PartialEq)]
pub(super) struct Upright {
    /// Degrees, clockwise, that turn the page upright: 0, 90, 180 or 270.
    pub(super) rotate: u32,
    pub(super) confidence: f32,
    /// Latin, Cyrillic, Han …
    pub(super) script: String,
}

/// What `--psm 0` says; none when it says nothing.
pub(super) fn upright(said: &str) -> Option<Upright> {
    let value = |name: &str| {
        let mut lines = said.lines().filter_map(|line| line.split_once(':'));
        lines
            .find(|(key, _)| key.trim() == name)
            .map(|(_, value)| value.trim())
    };
    Some(Upright {
        rotate: value("Rotate")?
            .parse()
            .ok()
            .filter(|turn| turn % 90 == 0 && *turn < 360)?,
        confidence: value("Orientation confidence")?.parse().ok()?,
        script: value("Script").unwrap_or_default().to_owned(),
    })
}

/// What `--list-langs` says: a heading and a name per line.
pub(super) fn languages(said: &str) -> Vec<String> {
    said.lines()
        .skip(1)
        .map(|line| line.trim().to_owned())
        .filter(|name| !name.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn which_way_is_up_is_read_with_its_confidence_and_script() {
        let said = "Page number: 0\nOrientation in degrees: 270\nRotate: 90\nOrientation confidence: 10.93\nScript: Latin\nScript confidence: 4.44\n";
        let expected = Upright {
            rotate: 90,
            confidence: 10.93,
            script: "Latin".to_owned(),
        };
        assert_eq!(upright(said), Some(expected));
        assert_eq!(upright("Too few characters. Skipping this page"), None);
        assert_eq!(
            languages("List of available languages in \"/x/\" (2):\neng\nosd\n"),
            ["eng", "osd"]
        );
    }

    #[test]
    fn words_have_boxes_lines_and_confidence() {
        let tsv = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n\
            1\t1\t0\t0\t0\t0\t0\t0\t100\t200\t-1\t\n4\t1\t1\t1\t1\t0\t10\t20\t50\t10\t-1\t\n\
            5\t1\t1\t1\t1\t1\t10\t20\t20\t10\t96.5\tHello\n5\t1\t1\t1\t1\t2\t40\t20\t20\t10\t90\tyou\n\
            4\t1\t1\t1\t2\t0\t10\t40\t50\t10\t-1\t\n5\t1\t1\t1\t2\t1\t10\t40\t20\t10\t80\tthere\n";
        let page = page(3, tsv).unwrap();
        assert_eq!(page.text, "Hello you\nthere");
        assert_eq!(page.words[0].place, [0.1, 0.1, 0.3, 0.15]);
        assert!((page.confidence.unwrap() - 0.888).abs() < 0.01);
    }
}
