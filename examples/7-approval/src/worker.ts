import { gristmill } from "gristmill";
import { daily, expense, handlers, report, type Outside } from "./expense.js";

const outside: Outside = {
  mail: async (to, text) => console.log(`to ${to}: ${text}`),
  pay: async ({ number, cents }) => (console.log(`paid ${cents} for ${number}`), { receipt: `R-${number}` }),
};
const mill = gristmill();
await mill.register({ jobs: [expense, report], schedules: [daily] });
await mill.work(handlers(outside));
