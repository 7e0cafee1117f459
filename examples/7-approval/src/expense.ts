// An expense is paid once somebody has approved it, which may take days. One job does it from the beginning to the end; while it waits it holds nothing.
import { defineJob, defineSchedule, handle, type Mill } from "gristmill";

export interface Expense {
  number: string;
  cents: number;
  approver: string;
}

/** What an approver sends. */
export interface Decision {
  approved: boolean;
  by: string;
}

/** What the job calls. Each is called once for an expense, and again only where its worker was lost before the answer was kept: hence the key. */
export interface Outside {
  mail(to: string, text: string, key: string): Promise<void>;
  pay(expense: Expense, key: string): Promise<{ receipt: string }>;
}

export const expense = defineJob("expense", { queue: "expenses", maxAttempts: 10 }).payload<Expense>();
export const report = defineJob("expense_report", { queue: "expenses" }).payload<{ day: string }>();

/** On weekdays at eight. */
export const daily = defineSchedule("daily_expenses", report, { cron: "0 8 * * mon-fri", timeZone: "Europe/Paris", payload: {}, dueField: "day" });

export const handlers = (outside: Outside) => [
  handle(expense, async ({ payload, job, step, sleep, waitFor, log }) => {
    let decision: Decision | undefined;
    for (let reminders = 0; !decision && reminders < 3; reminders++) {
      await step("ask", () => outside.mail(payload.approver, `${reminders > 0 ? "Reminder: " : ""}please look at expense ${payload.number}`, `${job.id}:ask:${reminders}`));
      decision = await waitFor<Decision>("decision", { timeout: "3d" });
    }
    if (!decision?.approved) return { paid: false, why: decision ? `refused by ${decision.by}` : "nobody answered" };

    log(`approved by ${decision.by}`);
    await sleep("time for second thoughts", "1d");
    const { receipt } = await step("pay", () => outside.pay(payload, `${job.id}:pay`));
    return { paid: true, receipt };
  }),
  handle(report, ({ payload }) => ({ reported: payload.day })),
];

/** An approver has pressed a button. Pressed twice it counts once. */
export const decide = (mill: Mill, job: string, decision: Decision) => mill.sendEvent(job, "decision", decision, { key: "decision" });
