// Definitions of workflows, for deployments with the part `workflows`: jobs that run side by side and after each other, typed by the jobs.
import type { Json } from "../rpc-types.js";
import type { Job } from "../job.js";
import type { Mill } from "../mill.js";
import { snake } from "../names.js";

/** A value that is put in when the task starts. */
export type Reference = string & { readonly "~reference": true };

/** `ref("params.book")`, `ref("split.chapters")`, `ref("item.path")`: what stands there when the task starts (docs/add-a-workflow.md). Postgres refuses one that cannot be there. */
export const ref = (path: string): Reference => `{{${path}}}` as Reference;

/** A payload of which each part may be a reference. */
export type Templated<Input> = { [Field in keyof Input]: Input[Field] | Reference | (Input[Field] extends string ? string : Input[Field] extends object ? Templated<Input[Field]> : never) };

export interface TaskOptions<Keys extends string, Input> {
  input: Templated<Input>;
  /** Tasks that must have ended, completed unless this one is `tolerant`. */
  needs?: readonly Keys[];
  /** A list, as `params.…` or in the result of a task that it needs: one task for each item. */
  forEach?: `params.${string}` | Keys | `${Keys}.${string}`;
  /** A task with items: one task for each of them, without waiting for the others. */
  each?: Keys;
  /** Its share of the progress; 1 by default. */
  weight?: number;
  phase?: string;
  /** `compensate`: a task that runs only then. */
  onFailure?: "fail" | "skip" | { compensate: string };
  tolerant?: boolean;
  maxAttempts?: number;
}

export interface WorkflowOptions {
  /** For people. */
  description?: string;
  /** Beneath what a workflow is started with. */
  defaults?: Record<string, unknown>;
  /** The task whose items are counted as documents. */
  documents?: string;
  /** Signed-in users may start it; true by default. */
  openToUsers?: boolean;
}

export interface WorkflowRegistered {
  type: string;
  version: number;
  status: "created" | "updated" | "unchanged";
}

/** A definition of a workflow. A task may need only tasks that stand before it, so that a misspelt key does not compile. */
export class Workflow<Keys extends string = never> {
  /** Use defineWorkflow(). */
  constructor(readonly type: string, readonly options: WorkflowOptions, readonly tasks: readonly object[]) {}

  /** Adds a task, which runs as a job of this kind. */
  task<const Key extends string, Input>(key: Key, job: Job<string, Input, any>, options: TaskOptions<NoInfer<Keys>, NoInfer<Input>>): Workflow<Keys | Key> {
    const { input, ...rest } = options;
    return new Workflow(this.type, this.options, [...this.tasks, { key, kind: job.kind, ...snake(rest), input }]);
  }

  /** As register_workflow takes it. */
  get definition(): Record<string, unknown> {
    return { type: this.type, ...snake(this.options), tasks: this.tasks };
  }

  /** Writes the definition where it has changed. It may be called at every start; a version that was started stays, and the next one is made. */
  register(mill: Mill): Promise<WorkflowRegistered> {
    return mill.rpc("register_workflow", { p_definition: this.definition as Json }, { repeatable: true }) as Promise<any>;
  }
}

/** `defineWorkflow("digest", { description }).task("split", splitBook, { input: { book: ref("params.book") } }).task(…)` */
export const defineWorkflow = (type: string, options: WorkflowOptions = {}): Workflow => new Workflow(type, options, []);
