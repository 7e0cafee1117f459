// `gristmill dev` and `gristmill test` register the jobs of functions that describe themselves, so that a project needs no SQL for them.
import { definitionIn, describing, refusal, servedBy } from "./definition.mjs";
import { namesIn } from "./functions.mjs";
import { Refused } from "./project.mjs";

/**
 * Registers the jobs of every function that describes itself; others are left alone. Gives the names of functions whose jobs are new or changed.
 * @param {string[]} [names]  where not all are meant
 */
export async function registerJobs(stack, project, names = namesIn(project)) {
  const changed = [];
  for (const name of names) {
    const definition = await definitionIn(await fetch(`${stack.functionsUrl}/functions/v1/${name}`, describing(stack.secrets.invokeSecret)).catch(() => null));
    if (!definition) continue;
    try {
      const { rows: [{ answer }] } = await stack.postgres.query("select public.register_jobs($1) as answer", [JSON.stringify(servedBy(definition, name))]);
      if ([...answer.queues, ...answer.kinds, ...(answer.schedules ?? [])].some(({ status }) => status !== "unchanged")) changed.push(name);
    } catch (error) {
      throw new Refused(`the jobs of functions/${name} cannot be registered: ${refusal(error)}`);
    }
  }
  return changed;
}
