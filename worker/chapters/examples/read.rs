//! Prints the book of two people: `cargo run -p gristmill-chapters --example read -- Ada 1815-12-10 Charles 1791-12-26`.

use gristmill_almanac::Birth;
use gristmill_chapters::{About, Facts, Person, System, Topic, write};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [one, born, other, other_born] = arguments.as_slice() else {
        return Err("give two names, each with a date such as 1815-12-10".into());
    };
    let person = |name: &str, date: &str| -> Result<Person, Box<dyn std::error::Error>> {
        let birth = Birth {
            date: date.parse()?,
            time: None,
            zone: None,
            place: None,
        };
        Ok(Person::calculate(
            name,
            birth,
            &System::ALL.into_iter().collect(),
        )?)
    };
    let facts = Facts {
        person1: person(one, born)?,
        person2: person(other, other_born)?,
    };
    let of =
        |system| [About::Person1, About::Person2, About::Both].map(|about| Topic { system, about });
    let verdict = Topic {
        system: System::Verdict,
        about: About::Both,
    };
    let plan: Vec<Topic> = System::ALL
        .into_iter()
        .flat_map(of)
        .chain([verdict])
        .collect();
    for index in 0..plan.len() {
        let Some(chapter) = write(&facts, &plan, index, "read") else {
            continue;
        };
        println!("# {}\n", chapter.title);
        for section in chapter.sections {
            println!("## {}\n", section.title);
            for row in section
                .table
                .iter()
                .flat_map(|table| std::iter::once(&table.head).chain(&table.rows))
            {
                println!("| {} |", row.join(" | "));
            }
            println!("\n{}\n", section.text);
        }
    }
    Ok(())
}
