//! Numbers of a name and a date: letters count 1 to 9 in turn, and digits are added until one is left, or 11, 22 or 33.

use chrono::Datelike;
use serde_json::{Value, json};

use super::{Chapter, Subject, counted, listed};

/// What a number stands for, what it gives, what it costs.
const fn meaning(number: u32) -> (&'static str, &'static str, &'static str) {
    match number {
        1 => (
            "beginning",
            "the nerve to go first",
            "going alone where company was on offer",
        ),
        2 => (
            "pairing",
            "an ear for what lies between two people",
            "keeping the peace at one's own cost",
        ),
        3 => (
            "expression",
            "the right word and a lighter mood",
            "scattering a good idea over five evenings",
        ),
        4 => (
            "order",
            "foundations that hold",
            "mistaking the plan for the house",
        ),
        5 => (
            "change",
            "quick adaptation and a taste for the open road",
            "leaving just before it becomes interesting",
        ),
        6 => (
            "care",
            "responsibility that does not need thanks",
            "helping those who had not asked",
        ),
        7 => (
            "inquiry",
            "depth, silence and a second look",
            "knowing everything about it and telling nobody",
        ),
        8 => (
            "effect",
            "a feeling for scale, money and power",
            "measuring what was only meant to be enjoyed",
        ),
        9 => (
            "completion",
            "generosity and the long view",
            "holding doors open that should be shut",
        ),
        11 => (
            "inspiration",
            "ideas that arrive finished",
            "nerves stretched like strings",
        ),
        22 => (
            "the large work",
            "plans for more than one lifetime",
            "being crushed by one's own scaffolding",
        ),
        _ => (
            "teaching",
            "patience with everybody",
            "forgetting to be taught",
        ),
    }
}

fn reduced(mut number: u32) -> u32 {
    while number > 9 && !matches!(number, 11 | 22 | 33) {
        number = digits(number);
    }
    number
}

fn digits(mut number: u32) -> u32 {
    let mut sum = 0;
    while number > 0 {
        sum += number % 10;
        number /= 10;
    }
    sum
}

// Letters with marks count as those without; other alphabets count by their place among the letters of Unicode.
fn value(letter: char) -> u32 {
    let plain = match letter {
        'à'..='å' => 'a',
        'ç' => 'c',
        'è'..='ë' => 'e',
        'ì'..='ï' => 'i',
        'ñ' => 'n',
        'ò'..='ö' | 'ø' => 'o',
        'ù'..='ü' => 'u',
        'ý' | 'ÿ' => 'y',
        other => other,
    };
    match plain {
        'a'..='z' => (plain as u32 - 'a' as u32) % 9 + 1,
        other => other as u32 % 9 + 1,
    }
}

fn letters(name: &str) -> Vec<char> {
    name.chars()
        .flat_map(char::to_lowercase)
        .filter(|letter| letter.is_alphabetic())
        .collect()
}

fn is_vowel(letter: char) -> bool {
    matches!(value(letter), 1 | 5 | 9 | 6 | 3) && "aeiouàáâãäåèéêëìíîïòóôõöøùúûü".contains(letter)
}

pub(super) struct Numbers {
    pub(super) path: u32,
    birthday: u32,
    pub(super) expression: u32,
    wish: u32,
    impression: u32,
    maturity: u32,
    counts: [usize; 9],
    shown: String,
}

pub(super) fn of(person: &Subject) -> Numbers {
    let date = person.date;
    let year = u32::try_from(date.year()).unwrap_or_default();
    let path = reduced(reduced(date.month()) + reduced(date.day()) + reduced(digits(year)));
    let letters = letters(&person.name);
    let sum = |keep: &dyn Fn(char) -> bool| {
        reduced(
            letters
                .iter()
                .filter(|letter| keep(**letter))
                .map(|letter| value(*letter))
                .sum(),
        )
    };
    let expression = sum(&|_| true);
    let mut counts = [0; 9];
    for letter in &letters {
        counts[value(*letter) as usize - 1] += 1;
    }
    let values: Vec<String> = letters
        .iter()
        .map(|letter| value(*letter).to_string())
        .collect();
    Numbers {
        path,
        birthday: reduced(date.day()),
        expression,
        wish: sum(&is_vowel),
        impression: sum(&|letter| !is_vowel(letter)),
        maturity: reduced(path + expression),
        counts,
        shown: values.join(" + "),
    }
}

pub(super) fn facts(person: &Subject) -> Value {
    let found = of(person);
    json!({
        "life_path": found.path, "birthday": found.birthday, "expression": found.expression, "wish": found.wish,
        "impression": found.impression, "maturity": found.maturity,
    })
}

pub(super) fn one(person: &Subject, chapter: &mut Chapter) {
    let (name, found) = (&person.name, of(person));
    let date = person.date;
    chapter.section(format!("The path: {}", found.path));
    let (stands, gives, costs) = meaning(found.path);
    chapter.say(&[
        format!(
            "Month, day and year of {} come to {}, {} and {}, and together to {}.",
            person.born(),
            reduced(date.month()),
            reduced(date.day()),
            reduced(digits(u32::try_from(date.year()).unwrap_or_default())),
            found.path
        ),
        format!("That is the number of the path of {name}, and it stands for {stands}."),
        format!("It gives {name} {gives}, and it charges for it with {costs}."),
    ]);
    chapter.say(&[
        format!("The day alone makes {}, which {name} shows in small things: {}.", found.birthday, meaning(found.birthday).1),
        if found.birthday == found.path {
            format!("Day and path agree in {name}, so talent and task point the same way.")
        } else {
            format!("Where the {} of the day and the {} of the path disagree, {name} does first what the day says and regrets it in favour of the path.", found.birthday, found.path)
        },
    ]);
    chapter.section(format!("The name: {}", found.expression));
    let (stands, gives, costs) = meaning(found.expression);
    chapter.say(&[
        format!(
            "Counted letter by letter, {name} is {}, which is reduced to {}.",
            found.shown, found.expression
        ),
        format!("The whole name stands for {stands}: what {name} can do is {gives}."),
        format!("People who meet {name} under pressure meet {costs} instead."),
    ]);
    chapter.say(&[
        format!("The vowels, which carry the voice, come to {}: in private {name} wishes for {}.", found.wish, meaning(found.wish).0),
        format!("The consonants, which are what a stranger hears, come to {}: {name} is taken for somebody with {}.", found.impression, meaning(found.impression).1),
        if found.wish == found.impression {
            format!("Wish and impression are one number, and {name} is seldom misread.")
        } else {
            format!("Between {} and {} lies whatever {name} has had to explain more than once.", found.wish, found.impression)
        },
    ]);
    chapter.section("What is strong and what is missing");
    let of_count = |keep: &dyn Fn(usize) -> bool| -> Vec<u32> {
        (1..=9)
            .filter(|number| keep(found.counts[*number as usize - 1]))
            .collect()
    };
    let most = found.counts.iter().max().copied().unwrap_or_default();
    for number in of_count(&|count| count == most).into_iter().take(3) {
        chapter.say(&[format!("The number {number} occurs {} in the letters of {name}, more than any other or as often: {} comes without effort.", times(most), meaning(number).1)]);
    }
    let missing = of_count(&|count| count == 0);
    if missing.is_empty() {
        chapter.say(&[format!(
            "No number is missing from {name}, which takes a long name and a little luck."
        )]);
    } else {
        let list: Vec<String> = missing.iter().map(u32::to_string).collect();
        chapter.say(&[
            format!("Missing from the letters of {name}: {}.", listed(&list)),
            format!("A missing number is no fault; it is what {name} has to learn with intent."),
        ]);
        for number in missing {
            chapter.say(&[format!("For the {number} of {}, {name} does well to keep a friend who has it: somebody with {}.", meaning(number).0, meaning(number).1)]);
        }
    }
    chapter.section("Later");
    let age = 36
        - if found.path > 9 {
            digits(found.path)
        } else {
            found.path
        };
    chapter.say(&[
        format!("Path and name together make {}, the number of the second half.", found.maturity),
        format!("It begins to be felt at about {age}, for {name} around the year {}, and it stands for {}.", date.year() + i32::try_from(age).unwrap_or_default(), meaning(found.maturity).0),
        format!("From then on {name} can count on {}.", meaning(found.maturity).1),
    ]);
    let (month, day, year) = (
        reduced(date.month()),
        reduced(date.day()),
        reduced(digits(u32::try_from(date.year()).unwrap_or_default())),
    );
    let peaks = [
        month + day,
        day + year,
        month + day + day + year,
        month + year,
    ]
    .map(reduced);
    for (count, peak) in peaks.into_iter().enumerate() {
        let from = age + 9 * u32::try_from(count).unwrap_or_default();
        let when = match count {
            0 => format!("until {age}"),
            3 => format!("from {} on", from - 9),
            _ => format!("from {} to {from}", from - 9),
        };
        chapter.say(&[format!(
            "The {} of four peaks, {when}, has the number {peak} and asks {name} for {}.",
            ["first", "second", "third", "last"][count],
            meaning(peak).0
        )]);
    }
}

fn times(count: usize) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        _ => counted(count, "time"),
    }
}

pub(super) fn both(one: &Subject, other: &Subject, chapter: &mut Chapter) {
    let (a, b) = (&one.name, &other.name);
    let (mine, theirs) = (of(one), of(other));
    chapter.section("Number by number");
    for (what, x, y) in [
        ("path", mine.path, theirs.path),
        ("birthday", mine.birthday, theirs.birthday),
        ("name", mine.expression, theirs.expression),
        ("wish", mine.wish, theirs.wish),
        ("impression", mine.impression, theirs.impression),
        ("second half", mine.maturity, theirs.maturity),
    ] {
        let together = reduced(x + y);
        chapter.say(&[
            format!("In the {what}, {a} has {x} and {b} has {y}: {} beside {}.", meaning(x).0, meaning(y).0),
            if x == y {
                format!("The same {what} means that {a} and {b} understand each other there at once, and bore each other there first.")
            } else {
                format!("Added they make {together}, so that the {what} of {a} and {b} together is about {}.", meaning(together).0)
            },
            format!("What {b} can borrow from {a} there is {}.", meaning(x).1),
            format!("What {a} can borrow from {b} is {}.", meaning(y).1),
        ]);
    }
    chapter.section("What each lends the other");
    for (from, to, has, lacks) in [(a, b, &mine, &theirs), (b, a, &theirs, &mine)] {
        let lent: Vec<u32> = (1..=9_u32)
            .filter(|number| {
                has.counts[*number as usize - 1] > 0 && lacks.counts[*number as usize - 1] == 0
            })
            .collect();
        if lent.is_empty() {
            chapter.say(&[format!(
                "There is no number in the letters of {from} that {to} lacks."
            )]);
        }
        for number in lent {
            chapter.say(&[format!(
                "{from} has the {number} that is missing from {to}, and with it {}.",
                meaning(number).1
            )]);
        }
    }
    let neither: Vec<String> = (1..=9_usize)
        .filter(|number| mine.counts[number - 1] + theirs.counts[number - 1] == 0)
        .map(|number| number.to_string())
        .collect();
    chapter.say(&[if neither.is_empty() {
        format!("No number is missing from {a} and {b} together.")
    } else {
        format!(
            "Missing from {a} and {b} alike: {}; for these the two should ask a third.",
            listed(&neither)
        )
    }]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_added_until_one_is_left_and_eleven_stays() {
        assert_eq!(
            [reduced(19), reduced(29), reduced(1815), reduced(22)],
            [1, 11, 6, 22]
        );
    }

    #[test]
    fn letters_count_one_to_nine_in_turn() {
        assert_eq!("ada".chars().map(value).collect::<Vec<_>>(), [1, 4, 1]);
        assert_eq!("isz".chars().map(value).collect::<Vec<_>>(), [9, 1, 8]);
        assert_eq!(value('é'), 5);
    }
}
