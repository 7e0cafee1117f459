// Exports and workflows, as their users call them.
import type { Http } from "./http.js";
import { uuid } from "./http.js";
import { query } from "./uploads.js";
import type { Snapshot, WatchOptions } from "./watch.js";
import { watch } from "./watch.js";

interface Keyed {
  /** One key is one order, however often it is sent. Made for each call by default. */
  idempotencyKey?: string;
  signal?: AbortSignal | undefined;
}

export interface ExportOrder {
  documentId: string;
  template?: "minimal" | "modern" | "classic";
  options?: ExportSettings;
}

export interface ExportSettings {
  page_size?: "A4" | "Letter" | "Legal";
  margins?: { top?: number; right?: number; bottom?: number; left?: number };
  quality?: "draft" | "standard" | "high";
  color_mode?: "color" | "grayscale";
}

export interface ExportFile {
  name: string;
  size: number;
  pages: number;
  downloads: number;
  expires_at: string;
}

/** An export as the function shows it. */
export interface Export {
  id: string;
  document_id?: string;
  version: number;
  title: string;
  template: string;
  status: string;
  progress: number;
  message?: string;
  file?: ExportFile;
  created_at: string;
  [key: string]: unknown;
}

const one = (id: string) => `export/v1/exports/${encodeURIComponent(id)}`;

/** Exports documents to PDF. */
export class Exports {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Asks for a PDF of a document. */
  create({ documentId, template = "minimal", options = {} }: ExportOrder, { idempotencyKey = uuid(), signal }: Keyed = {}): Promise<Export> {
    return this.#http.call("export/v1/exports", { method: "POST", json: { document_id: documentId, template, options }, idempotencyKey, signal });
  }

  get(id: string, options: { signal?: AbortSignal } = {}): Promise<Export> {
    return this.#http.call(one(id), options);
  }

  list(options: { limit?: number; before?: string; signal?: AbortSignal } = {}): Promise<Export[]> {
    return this.#http.call(`export/v1/exports${query({ limit: options.limit, before: options.before })}`, { signal: options.signal });
  }

  /** An export until it has ended. The result is its file. */
  watch(id: string, options?: WatchOptions): AsyncGenerator<Snapshot<ExportFile, Export>, void, void> {
    return watch(this.#http, "export", id, options);
  }

  cancel(id: string): Promise<Export> {
    return this.#http.call(one(id), { method: "DELETE" });
  }

  /** The PDF, with its name. */
  async download(id: string, { signal }: { signal?: AbortSignal } = {}): Promise<File> {
    // The function answers with a redirect to storage, which fetch follows without the token.
    const answer = await this.#http.request(`${this.#http.functions}/${one(id)}/download`, { signal, isLong: true });
    const said = answer.headers.get("content-disposition") ?? "";
    const [, encoded] = /filename\*=UTF-8''([^;]+)/i.exec(said) ?? [];
    const [, plain] = /filename="?([^";]+)"?/i.exec(said) ?? [];
    const blob = await answer.blob();
    return new File([blob], encoded ? decodeURIComponent(encoded) : (plain ?? `${id}.pdf`), { type: blob.type });
  }
}

/** A workflow as the function shows it. */
export interface Workflow {
  id: string;
  type: string;
  status: string;
  progress: { percent: number; phase: string; message?: string | null; [key: string]: unknown };
  artifacts?: Artifact[];
  [key: string]: unknown;
}

export interface Artifact {
  type: string;
  url?: string | null;
  [key: string]: unknown;
}

const workflow = (id: string) => `workflows/v1/jobs/${encodeURIComponent(id)}`;

/** Jobs of many tasks. */
export class Workflows {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  start(type: string, params: Record<string, unknown> = {}, { idempotencyKey = uuid(), signal }: Keyed = {}): Promise<{ id: string; status: string; new: boolean }> {
    return this.#http.call("workflows/v1/jobs", { method: "POST", json: { type, params }, idempotencyKey, signal });
  }

  get(id: string, options: { signal?: AbortSignal } = {}): Promise<Workflow> {
    return this.#http.call(workflow(id), options);
  }

  list(options: { limit?: number; before?: string; signal?: AbortSignal } = {}): Promise<Workflow[]> {
    return this.#http.call(`workflows/v1/jobs${query({ limit: options.limit, before: options.before })}`, { signal: options.signal });
  }

  /** A workflow until it has ended. The result is what it made, under URLs that expire. */
  watch(id: string, options?: WatchOptions): AsyncGenerator<Snapshot<Artifact[], Workflow>, void, void> {
    return watch(this.#http, "workflow", id, options);
  }

  /** Cancels what has not run. */
  cancel(id: string): Promise<Record<string, unknown>> {
    return this.#http.call(workflow(id), { method: "DELETE" });
  }

  /** Resumes a failed workflow from its failed tasks. */
  resume(id: string, { idempotencyKey = uuid(), signal }: Keyed = {}): Promise<Workflow> {
    return this.#http.call(`${workflow(id)}/retry`, { method: "POST", idempotencyKey, signal });
  }
}
