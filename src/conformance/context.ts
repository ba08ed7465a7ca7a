import type { Model } from '../model/model.ts';
import type { Client } from './client.ts';
import type { Findings } from './findings.ts';
import type { Known, Records } from './records.ts';
import type { DeclaredType, Statement } from './statement.ts';

/** What the checks of a run share. */
export interface TestContext {
  readonly client: Client;
  readonly statement: Statement;
  readonly model: Model;
  readonly records: Records;
  readonly findings: Findings;
  /** The declared types that are tested. */
  readonly types: readonly DeclaredType[];
  /** The sample of each tested type. */
  readonly sample: Map<string, readonly Known[]>;
  /** Values of each parameter that are searched for. */
  readonly depth: number;
  /** Aborts if the run is to stop at the next type. */
  readonly signal: AbortSignal;
}

/** The sample of a type, in its present versions. */
export const sampleOf = ({ sample, records }: TestContext, type: string): readonly Known[] =>
  (sample.get(type) ?? []).flatMap(({ id }) => records.find(type, id) ?? []);
