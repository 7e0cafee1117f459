// A laboratory's report. The tables put the flag before the unit, the range before the result, or two panels side by side; one writes results in sentences.
import { dated, evident, labValue, later, panel, people, special, street, town } from "../invented.mjs";
import { Writer } from "../writer.mjs";

const PANELS = [["chemistry", "CHEMISTRY"], ["blood", "COMPLETE BLOOD COUNT"], ["liver", "LIVER PANEL"]];

export default {
  kind: "lab-report",
  layouts: ["flag-first", "range-first", "two-panels", "sentences", "with-previous"],
  write(random, layout) {
    const doc = new Writer({ size: 10 });
    const [patient, doctor] = people(random, 2);
    const style = { "flag-first": "us", "range-first": "uk", "two-panels": "abbreviated", sentences: "usLong", "with-previous": "us" }[layout];
    const date = dated(style);
    const birth = evident(random, random.date(1935, 1995)), collected = random.date(2022, 2025), reported = later(collected, random.int(1, 3));
    const record = `${random.int(10, 99)}-${random.int(100000, 999999)}`;
    const note = (lab, flag, rest) => doc.fact("lab", lab.name, labValue(lab, flag), { also: lab.also, ...rest });

    doc.line(`${town(random)} ${random.pick(["Clinical Laboratories", "Pathology Service", "Diagnostics"])}`, { size: 16, bold: true });
    doc.line(`${street(random)}   Tel 555-0${random.int(100, 199)}`, { size: 8.5 }).down(8);
    head(doc, layout, { patient, doctor, date, birth, collected, reported, record });
    doc.down(6);
    const chosen = random.shuffle(PANELS);
    const rest = special(random);
    const show = { "flag-first": flagFirst, "range-first": rangeFirst, "two-panels": twoPanels, sentences, "with-previous": withPrevious }[layout];
    show(doc, random, { chosen, rest, note, date, before: later(collected, -random.int(60, 400)) });
    doc.down(8).line("End of report.", { size: 9 });
    return doc.done();
  },
};

function head(doc, layout, { patient, doctor, date, birth, collected, reported, record }) {
  const sex = patient.sex === "female" ? "F" : "M";
  if (layout === "flag-first") {
    doc.row([54, 310], [`Patient: ${patient.last}, ${patient.first}`, `DOB: ${date(birth)}   Sex: ${sex}`]);
    doc.row([54, 310], [`MRN: ${record}`, `Ordering Provider: ${doctor.last}, ${doctor.first}, MD`]);
    doc.row([54, 310], [`Collected: ${date(collected)} 07:${birth.slice(8)}`, `Reported: ${date(reported)}`]);
  } else if (layout === "range-first") {
    doc.row([54, 160, 330, 430], ["Surname, forename", `${patient.last.toUpperCase()}, ${patient.first}`, "Hospital no.", record]);
    doc.row([54, 160, 330, 430], ["Date of birth", date(birth), "Sex", patient.sex === "female" ? "Female" : "Male"]);
    doc.row([54, 160, 330, 430], ["Requested by", `Dr ${doctor.first} ${doctor.last}`, "Sample taken", date(collected)]);
    doc.row([54, 160, 330, 430], ["Report issued", date(reported), "Specimen", "Venous blood"]);
  } else {
    doc.line(`Name: ${patient.name}      Date of birth: ${date(birth)}      ID: ${record}`);
    doc.line(`Ordered by: Dr. ${doctor.name}`);
    doc.line(`Collected ${date(collected)}      Reported ${date(reported)}`);
  }
  doc.fact("patient", patient.name, { birth_date: birth, sex: patient.sex, record_number: record });
  doc.fact("provider", doctor.name, { role: "ordering" });
  doc.fact("date", "collected", { date: collected }, { also: ["sample taken", "collection"] });
  doc.fact("date", "reported", { date: reported }, { also: ["report issued", "issued", "report"] });
}

const both = ({ low, high }) => `${low} - ${high}`;
const letters = { low: "L", high: "H", normal: "" };
const shown = ({ value, decimals = 0 }) => value.toFixed(decimals);

// Test | Flag | Result | Units | Reference
function flagFirst(doc, random, { chosen, rest, note }) {
  const columns = [54, 254, 304, 372, 462];
  doc.row(columns, ["TEST", "FLAG", "RESULT", "UNITS", "REFERENCE"], { bold: true }).rule();
  // One result is flagged although it is within its range: whoever reads it has to ask.
  let isFlagged = false;
  for (const [name, title] of chosen.slice(0, 2)) {
    doc.line(title, { bold: true, size: 9.5 });
    for (const lab of panel(random, name, 5)) {
      const disagrees = !isFlagged && lab.abnormal === "normal";
      isFlagged ||= disagrees;
      doc.row(columns, [` ${random.pick([lab.name, ...lab.also.slice(0, 1)])}`, disagrees ? "H" : letters[lab.abnormal], shown(lab), lab.unit, both(lab)]);
      if (disagrees) note(lab, "high", { doubt: "flag_and_range_disagree" });
      else note(lab, lab.abnormal === "normal" ? null : lab.abnormal);
    }
  }
  doc.line("OTHER TESTS", { bold: true, size: 9.5 });
  for (const lab of rest.slice(0, 5)) {
    doc.row(columns, [` ${random.pick([lab.name, ...lab.also.slice(-2)])}`, letters[lab.abnormal], String(lab.value), lab.unit, lab.range]);
    note(lab, lab.abnormal === "normal" ? null : lab.abnormal);
  }
  const tsh = { name: "TSH", also: ["TSH, 3rd generation", "Thyroid stimulating hormone"], value: 0.01, comparator: "<", unit: "mIU/L", low: 0.4, high: 4.5, abnormal: "low" };
  doc.row(columns, [" TSH, 3rd generation", "L", "<0.01", "mIU/L", "0.40 - 4.50"]);
  note(tsh, "low");
}

// Investigation | Ref. interval | Result | Flag | Units, and a star for what is outside.
function rangeFirst(doc, random, { chosen, rest, note }) {
  const columns = [54, 250, 340, 410, 450];
  doc.row(columns, ["Investigation", "Ref. interval", "Result", "", "Units"], { bold: true }).rule();
  const flags = { low: "Low", high: "High", normal: "" };
  for (const [name, title] of chosen.slice(1)) {
    doc.down(4).line(title.toLowerCase().replace(/^./, (letter) => letter.toUpperCase()), { bold: true });
    for (const lab of panel(random, name, 5)) {
      doc.row(columns, [random.pick([lab.name, ...lab.also.slice(0, 1)]), both(lab), shown(lab), flags[lab.abnormal], lab.unit]);
      note(lab, lab.abnormal === "normal" ? null : lab.abnormal);
    }
  }
  for (const lab of rest.slice(0, 4)) {
    doc.row(columns, [random.pick([lab.name, ...lab.also]), lab.range.replace("<", "< ").replace(">", "> "), String(lab.value), flags[lab.abnormal], lab.unit]);
    note(lab, lab.abnormal === "normal" ? null : lab.abnormal);
  }
}

// Analyte with its unit | Result and flag | Ref. interval | the result of an earlier day. Only the newest one is asked for.
function withPrevious(doc, random, { chosen, rest, note, date, before }) {
  const columns = [54, 250, 320, 410];
  doc.fact("date", "previous", { date: before }, { also: ["collected", "document"], optional: true });
  doc.row(columns, ["Component (unit)", "Result", "Normal range", `Previous ${date(before)}`], { bold: true }).rule();
  const show = (lab, range) => {
    const earlier = Number(((lab.low ?? 0) * 0.4 + (lab.high ?? lab.low * 2) * 0.6).toFixed(lab.decimals ?? 0));
    doc.row(columns, [`${lab.name} (${lab.unit})`, `${lab.decimals === undefined ? lab.value : shown(lab)}${lab.abnormal === "normal" ? "" : " *"}`, range, String(earlier)]);
    note(lab, null);
    doc.fact("lab", lab.name, labValue({ ...lab, value: earlier, abnormal: "normal" }), { also: lab.also, status: "historical", statuses: ["historical", "current"], optional: true });
  };
  for (const lab of [...panel(random, chosen[0][0], 5), ...panel(random, chosen[1][0], 5)].filter(({ name }) => !name.includes("("))) show(lab, both(lab));
  for (const lab of rest.slice(0, 4)) show(lab, lab.range);
}

// Two narrow tables side by side: Test | Result with its flag | Range and unit.
function twoPanels(doc, random, { chosen, rest, note }) {
  const table = (title, labs, range) => (side) => {
    side.heading(title, { size: 10.5, gap: 2 });
    const columns = [side.left, side.left + 108, side.left + 150];
    side.row(columns, ["Analyte", "Value", "Normal"], { bold: true, size: 8.5 }).rule();
    for (const lab of labs) {
      side.row(columns, [lab.name, `${lab.decimals === undefined ? lab.value : shown(lab)}${letters[lab.abnormal] && ` ${letters[lab.abnormal]}`}`, `${range(lab)} ${lab.unit}`], { size: 8.5 });
      note(lab, lab.abnormal === "normal" ? null : lab.abnormal);
    }
  };
  doc.beside([1, 1], table(chosen[0][1], panel(random, chosen[0][0], 5), both), table(chosen[1][1], panel(random, chosen[1][0], 5), both));
  doc.down(10);
  doc.beside([1, 1], table(chosen[2][1], panel(random, chosen[2][0], 5), both), table("SPECIAL", rest.slice(0, 4), ({ range }) => range));
}

// Results within sentences, and lines that put everything in brackets.
function sentences(doc, random, { chosen, rest, note }) {
  doc.heading("Summary of results");
  for (const lab of panel(random, chosen[0][0], 4, 0.6)) {
    const side = { low: "below", high: "above", normal: "within" }[lab.abnormal];
    const text = random.pick([
      `${lab.name} was ${shown(lab)} ${lab.unit} (reference ${both(lab)}), ${side} the reference range.`,
      `The ${lab.name === lab.name.toUpperCase() ? lab.name : lab.name.toLowerCase()} is ${shown(lab)} ${lab.unit}, ${side} the normal range of ${lab.low} to ${lab.high}.`,
      `${lab.name} measured ${shown(lab)} ${lab.unit} [${lab.low}-${lab.high}].`]);
    doc.paragraph(text, { after: 3 });
    note(lab, null);
  }
  doc.heading("Further values");
  for (const lab of panel(random, chosen[1][0], 4)) {
    doc.line(`${lab.name}: ${shown(lab)}${lab.abnormal === "normal" ? "" : ` (${letters[lab.abnormal]})`} ${lab.unit} [${lab.low}-${lab.high}]`);
    note(lab, lab.abnormal === "normal" ? null : lab.abnormal);
  }
  for (const lab of rest.slice(0, 4)) {
    doc.line(`${lab.name} ${lab.value} ${lab.unit} (normal ${lab.range})${lab.abnormal === "normal" ? "" : random.pick([" - abnormal", ` - ${lab.abnormal}`])}`);
    note(lab, null);
  }
}
