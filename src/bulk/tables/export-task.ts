import type { ExportCaller } from '../export/task.ts';
import type { RowFormat } from '../../views/formats.ts';
import type { JsonObject } from '../../fhir/json-object.ts';

/** What an export of tables has to do: the kick-off, checked. JSON, which the job has until it is done. */
export interface TablesTask {
  /** `{publicUrl}/r4/{partition}` */
  readonly base: string;
  readonly partition: string;
  /** The moment of the store at which all tables are computed, in milliseconds since 1970 UTC. */
  readonly moment: number;
  readonly since?: number | undefined;
  readonly format: RowFormat;
  readonly header: boolean;
  readonly tracking?: string | undefined;
  readonly tables: readonly TableTask[];
  /** References as they were sent; undefined: all records. */
  readonly patients: readonly unknown[];
  readonly groups: readonly unknown[];
  /** Whose scopes apply; undefined with open access. */
  readonly caller?: ExportCaller | undefined;
}

/** One table: its name in the result, and the parameters that name its view. */
export interface TableTask {
  readonly name: string;
  /** The type of the records of its view. */
  readonly type: string;
  readonly subject: Readonly<Record<string, readonly unknown[]>>;
}

/** The parts of a subject by their names, as arguments. */
export const argumentsOf = (subject: TableTask['subject']): { all(name: string): readonly unknown[] } => ({
  all: name => (Object.hasOwn(subject, name) ? (subject[name] ?? []) : []),
});

/** The value of a part of Parameters: its resource, or its `value[x]`. */
export const valueIn = (part: JsonObject): unknown =>
  part['resource'] ?? Object.entries(part).find(([name]) => name.startsWith('value'))?.[1];
