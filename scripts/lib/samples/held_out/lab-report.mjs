// Reports of laboratories: tables with columns in several orders, two tables side by side, and results inside sentences.
import { cast, clinic, dateIn, laboratory, place, template, today } from "./kit/chance.mjs";
import { Paper } from "./kit/page.mjs";

function flagFirst(random) {
  const here = place(random, "us"), who = cast(random, "us"), patient = who.patient(), doctor = who.doctor(), director = who.doctor();
  const collected = today(random), received = collected.plus(1), reported = collected.plus(2);
  const lab = laboratory(random, "us");
  const company = random.pick(["Tri-County Diagnostics", "Meridian Clinical Laboratories", "Bluestem Reference Lab"]);
  const columns = [50, 232, 282, 352, 462];
  const paper = new Paper({ left: 50, right: 566, size: 9.5,
    header: (p) => { p.line(`${company} - FINAL REPORT`, { bold: true }); p.row([50, 300], [`Patient: ${patient.turned}`, `Specimen ID: ${here.code}`]); p.rule(); },
    footer: (p, n, total) => { p.row([50, 500], ["This document contains private and confidential health information protected by state and federal law.", `Page ${n} of ${total}`], { size: 7.5 });
      p.line(`${company}, ${here.street}, ${here.town} ${here.zip}`, { size: 7.5 }); } });
  paper.line(company, { size: 17, bold: true, advance: 18 });
  paper.line(`${here.street}, ${here.town} ${here.zip}   Tel ${here.phone}   CLIA 36D${here.number}`, { size: 8 }).gap(6).rule();
  const left = [["Patient Name", patient.turned], ["DOB", patient.birth.as("us")], ["Gender", patient.sex === "female" ? "Female" : "Male"], ["Patient ID", here.number]];
  const right = [["Date Collected", collected.as("us")], ["Date Received", received.as("us")], ["Date Reported", reported.as("us")], ["Ordering Physician", doctor.turned]];
  left.forEach((cells, i) => paper.row([50, 130, 320, 420], [`${cells[0]}:`, cells[1], `${right[i][0]}:`, right[i][1]]));
  paper.patient(patient).date("collected", collected, ["date collected"]).date("received", received, ["date received"]).date("reported", reported, ["date reported"]).provider(doctor, "ordering");
  const panels = random.pick([["CBC", "Comprehensive Metabolic Panel", "Other Chemistry"], ["Hematology", "General Chemistry", "Special Chemistry"]]);
  for (const panel of panels) {
    paper.heading(panel.toUpperCase(), { size: 10.5, rule: true });
    paper.row(columns, ["TESTS", "FLAG", "RESULT", "UNITS", "REFERENCE INTERVAL"], { bold: true, size: 8 });
    for (const result of lab.some(random.int(7, 13))) {
      paper.row(columns, [result.written, result.flag && random.pick([result.flag, result.state === "high" ? "High" : "Low"]), result.shown, result.unit, result.range]).lab(result);
    }
  }
  paper.gap(10).prose("Reference intervals are those of the performing laboratory and apply to adults. Results must be interpreted together with the clinical picture.", { size: 8 });
  paper.line(`Laboratory Director: ${director.name}, MD, PhD`, { size: 8 }).provider(director, "other");
  return paper.done();
}

function unitFirst(random) {
  const here = place(random, "uk"), who = cast(random, "uk"), patient = who.patient(), gp = who.doctor(), consultant = who.doctor();
  const collected = dateIn(random, 2023, 2025), reported = collected.plus(random.int(1, 3));
  const lab = laboratory(random, "si", { abnormal: 0.4 }), list = clinic(random);
  const columns = [56, 220, 300, 392, 470];
  const paper = new Paper({ footer: (p, n, total) => p.row([56, 480], [`Printed for ${gp.name}. Not valid unless complete.`, `Sheet ${n} of ${total}`], { size: 8 }),
    header: (p) => p.line(`${patient.loud}   d.o.b. ${patient.birth.as("uk")}   Pathology report (continued)`, { bold: true }).gap(8) });
  paper.line(`${here.town} Hospitals NHS Foundation Trust`, { size: 15, bold: true });
  paper.line("Department of Blood Sciences - Pathology Report", { size: 12 });
  paper.line(`${here.street}, ${here.town}, ${here.zip}   Duty biochemist ${here.phone}`, { size: 8 }).rule();
  paper.row([56, 320], [`Name: ${patient.loud}`, `Hospital no: ${here.number}`]);
  paper.row([56, 320], [`D.o.B.: ${patient.birth.as("uk")}   Sex: ${patient.letter}`, `Requested by: Dr ${gp.name}`]);
  paper.row([56, 320], [`Sample taken: ${collected.as("uk")}`, `Report issued: ${reported.as("uk")}`]);
  paper.patient(patient).provider(gp, "ordering").date("collected", collected, ["sample taken", "taken"]).date("reported", reported, ["report issued", "issued"]);
  const query = list.threat();
  paper.line(`Clinical details: ?${query.written}`).condition(query, "suspected");
  paper.gap(8).row(columns, ["Investigation", "Units", "Ref. range", "Result", ""], { bold: true }).rule();
  for (const result of lab.some(random.int(15, 20))) {
    paper.row(columns, [result.written, result.unit, random.chance(0.5) ? `(${result.range})` : result.wide, result.shown, result.flag && random.pick(["*", result.flag])]);
    paper.lab(result);
    const row = paper.facts.at(-1);
    const mark = paper.pages.at(-1).at(-1).text;
    if (mark === "*") row.value.flag = "abnormal";
  }
  const away = list.threat();
  paper.gap(8).prose(`Comment: These results show no evidence of ${away.written}. Suggest repeat sample if clinically indicated.`).condition(away, "ruled_out");
  paper.line(`Authorised by Dr ${consultant.name}, Consultant Chemical Pathologist`).provider(consultant, "author");
  paper.line("* = outside the reference range", { size: 8 });
  return paper.done();
}

function sideBySide(random) {
  const here = place(random, "de"), who = cast(random, "de"), patient = who.patient(), doctor = who.doctor(), head = who.doctor();
  const collected = dateIn(random, 2023, 2025), reported = collected.plus(1);
  const lab = laboratory(random, "si", { abnormal: 0.4 });
  const paper = new Paper({ left: 40, right: 572, size: 8.5, footer: (p, n, total) => p.row([40, 500], ["English translation of the original report. The German original is binding.", `Page ${n}/${total}`], { size: 7 }) });
  paper.line(`Labormedizin ${here.town} GmbH`, { size: 14, bold: true });
  paper.line(`${here.street} 12, ${here.zip} ${here.town}, Germany - Phone ${here.phone}`, { size: 7.5 }).gap(10);
  paper.row([40, 320], [`Dr. med. ${doctor.name}`, `Order no. ${here.code}`]).row([40, 320], [random.pick(["Internal Medicine Practice", "General Practice"]), `Date of sampling: ${collected.as("de")}`]);
  paper.row([40, 320], [`${here.zip} ${here.town}`, `Date of report: ${reported.as("de")}`]).gap(10);
  paper.provider(doctor, "recipient").date("collected", collected, ["date of sampling", "sampling"]).date("reported", reported, ["date of report", "report"]);
  paper.line(`Patient: ${patient.turned}, born ${patient.birth.as("de")}, ${patient.sex}`, { bold: true, size: 10 }).patient(patient).rule();
  const block = (title, results) => () => {
    const at = [0, 104, 142, 206].map((x) => paper.left + x);
    paper.line(title, { bold: true, size: 9.5 });
    paper.row(at, ["Parameter", "Value", "Unit", "Normal"], { bold: true, size: 7.5 });
    for (const result of results) {
      const sign = result.state === "high" ? "+" : result.state === "low" ? "-" : "";
      const text = result.written.length > 19 ? result.also.concat(result.name).sort((a, b) => a.length - b.length).find((name) => name.length > 2) : result.written;
      paper.row(at, [text, `${result.shown} ${sign}`.trim(), result.unit, result.range]);
      paper.lab(result);
    }
  };
  paper.columns(block("Clinical chemistry", lab.some(random.int(8, 10))), block("Haematology and others", lab.some(random.int(7, 10)))).gap(10);
  paper.columns(block("Metabolism", lab.some(4)), block("Additional", lab.some(4))).gap(14);
  paper.line("Legend: + above, - below the normal range.", { size: 7.5 });
  paper.gap(16).line(`Validated electronically: Dr. med. ${head.name}, Specialist in Laboratory Medicine`).provider(head, "author");
  return paper.done();
}

function sentences(random) {
  const here = place(random, "ca"), who = cast(random, "ca"), patient = who.patient(), doctor = who.doctor(), author = who.doctor();
  const collected = dateIn(random, 2023, 2025), reported = collected.plus(2), lab = laboratory(random, "si", { abnormal: 0.55 }), list = clinic(random);
  const paper = new Paper({ left: 72, right: 540, size: 10.5, leading: 1.55, footer: (p, n, total) => p.centre(`Confidential - ${n} / ${total}`, { size: 8 }) });
  paper.centre(`${here.town.split(",")[0].toUpperCase()} COMMUNITY LABORATORY`, { size: 15, bold: true });
  paper.centre(`${here.street}, ${here.town} ${here.zip}  |  ${here.phone}`, { size: 8.5 }).gap(14);
  paper.line(reported.as("usLong")).date("reported", reported, ["document", "date"]).gap(6);
  paper.line(`To: Dr. ${doctor.name}`).provider(doctor, "recipient");
  paper.line(`Re: ${patient.name}, date of birth ${patient.birth.as("usLong")}`, { bold: true }).patient(patient);
  paper.line(`Specimen collected ${collected.as("usLong")}`).date("collected", collected, ["specimen collected"]).gap(8);
  const [a, b, c, d, e, f, g, h] = lab.some(8);
  const tell = (result) => `${random.pick(["", "a "])}${result.written} of ${result.shown} ${result.unit}`.replace(/ +$/, "") + ` (reference ${random.pick([result.range, result.wide])})`;
  const say = (text, ...results) => { paper.prose(text); results.forEach((result) => paper.lab({ ...result, fact: { ...result.fact, flag: null } })); paper.gap(7); };
  say(`The sample showed ${tell(a)} and ${tell(b)}. There was also ${tell(c)}.`, a, b, c);
  say(`${d.written} was ${d.shown} ${d.unit} (normal range ${d.range}), while ${e.written} measured ${e.shown} ${e.unit} (normal range ${e.range}).`.replace(/ +/g, " "), d, e);
  const no = list.threat(), yes = list.threat();
  paper.prose(`The pattern makes ${no.written} unlikely. We cannot exclude ${yes.written} and suggest that the sample is repeated.`).condition(no, "ruled_out").condition(yes, "suspected").gap(6);
  paper.heading("Additional results");
  for (const result of [f, g, h]) paper.line(`- ${result.written}: ${result.shown}${result.unit === "%" ? "" : " "}${result.unit} [${result.range}]${result.flag ? ` (${result.flag})` : ""}`).lab(result);
  paper.gap(34).line(`${author.name}, MD, FRCPC`).provider(author, "author").line("Medical Biochemist");
  return paper.done();
}

const layouts = { flagFirst, unitFirst, sideBySide, sentences };
export default template("lab-report", layouts);
