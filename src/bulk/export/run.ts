import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { ownerType } from '../../auth/owned-by.ts';
import { operationOutcome } from '../../fhir/outcome.ts';
import type { IssueSeverity } from '../../fhir/outcome.ts';
import { idOfOwner } from '../../indexing/owners.ts';
import type { Engine } from '../../interaction/interaction.ts';
import type { JobFile } from '../../jobs/job.ts';
import type { ResourceType } from '../../model/model.ts';
import type { Partition } from '../../store/port/partitions.ts';
import { hasText } from '../../store/port/records.ts';
import type { MomentPlace, MomentRecord } from '../../store/port/transfer.ts';
import { mayReferTo, provenanceOf, referredBy, supportingRecords } from './associated.ts';
import { ExportFiles } from './files.ts';
import type { OpenFileMark, OpenWriter } from './files.ts';
import { lineOf } from './line.ts';
import { membersOf } from './members.ts';
import { createSelection } from './selection.ts';
import type { Selection } from './selection.ts';
import { accessOf } from './task.ts';
import type { ExportTask } from './task.ts';

/** How far an export is. */
export interface ExportMark {
  /** The number of the step: the types that are walked, then Provenance, supporting records, the end. */
  readonly step: number;
  /** The place in the walk of a type. */
  readonly after?: MomentPlace | undefined;
  readonly open: readonly OpenFileMark[];
  readonly records: number;
  readonly failed: number;
}

/** Where an export runs: as a job, or in a command. */
export interface ExportPlace {
  readonly open: OpenWriter;
  readonly pathOf: (name: string) => string;
  /** How far an earlier attempt came. */
  readonly mark: ExportMark | undefined;
  readonly files: readonly JobFile[];
  readonly signal: AbortSignal;
  keep(step: {
    readonly mark: ExportMark;
    readonly progress: string;
    readonly files: readonly JobFile[];
  }): Promise<void>;
}

export interface ExportResult {
  readonly records: number;
  /** Records that could not be exported: each is in `error`. */
  readonly failed: number;
  readonly files: readonly JobFile[];
}

/** How often an export makes durable what it has, and how long it works until others have their turn; milliseconds. */
const keepEvery = 1_000;
const turn = 4;

/** Writes the files of an export, from the mark of an earlier attempt on. */
export async function runExport(
  engine: Pick<Engine, 'model' | 'extract'>,
  task: ExportTask,
  partition: Partition,
  place: ExportPlace,
): Promise<ExportResult> {
  const { model } = engine;
  const { base, moment } = task;
  const zone = partition.settings.zone;
  const access = accessOf(task.caller, { model, base, partition: partition.id, zone, now: moment });
  const members = task.level === 'group' ? await membersOf(engine, task, access, partition) : undefined;
  const selection = createSelection(engine, task, access, partition, members);
  const resumed = place.mark && (await ExportFiles.resume(place.open, place.files, place.mark.open));
  const files = resumed ?? (await ExportFiles.resume(place.open, [], []));
  if (files === undefined) throw new Error('The files of an export cannot be opened');
  const run = new ExportRun(engine, task, partition, place, selection, files, resumed && place.mark);
  try {
    return await run.all();
  } catch (error) {
    await files.leave();
    throw error;
  }
}

class ExportRun {
  readonly #engine: Pick<Engine, 'model' | 'extract'>;
  readonly #task: ExportTask;
  readonly #partition: Partition;
  readonly #place: ExportPlace;
  readonly #selection: Selection;
  readonly #files: ExportFiles;
  readonly #owner: string;
  readonly #mark: { step: number; after?: MomentPlace | undefined; records: number; failed: number };
  #kept = performance.now();
  #turned = performance.now();

  constructor(
    engine: Pick<Engine, 'model' | 'extract'>,
    task: ExportTask,
    partition: Partition,
    place: ExportPlace,
    selection: Selection,
    files: ExportFiles,
    mark: ExportMark | undefined,
  ) {
    this.#engine = engine;
    this.#task = task;
    this.#partition = partition;
    this.#place = place;
    this.#selection = selection;
    this.#files = files;
    this.#owner = ownerType(engine.model) ?? '';
    const { step = 0, after, records = 0, failed = 0 } = mark ?? {};
    this.#mark = { step, after, records, failed };
  }

  async all(): Promise<ExportResult> {
    const { walked } = this.#selection;
    if (this.#mark.step === 0 && this.#mark.after === undefined && this.#mark.records === 0)
      for (const text of this.#task.ignored) await this.#report('warning', text);
    for (; this.#mark.step < walked.length; await this.#next()) {
      const type = walked[this.#mark.step];
      if (type !== undefined) await this.#walk(type);
    }
    if (this.#mark.step === walked.length) {
      const type = this.#engine.model.types.get('Provenance');
      const isAsked = this.#task.provenance !== 'usual' || this.#task.types.includes('Provenance');
      const isOwn = this.#task.level !== 'system' || this.#task.provenance !== 'usual';
      if (type !== undefined && isAsked && isOwn)
        await this.#addAll(type, provenanceOf(this.#task, this.#selection, this.#partition));
      await this.#files.finish('Provenance');
      await this.#next();
    }
    if (this.#mark.step === walked.length + 1) {
      if (this.#selection.supporting.length > 0) await this.#addSupporting();
      await this.#files.finish();
      await this.#next();
    }
    const { records, failed } = this.#mark;
    return { records, failed, files: this.#files.complete };
  }

  /** The records of a type, and its deletions: with `_since`, in the order of time. */
  async #walk(type: ResourceType): Promise<void> {
    const { moment, since } = this.#task;
    const isSelected = this.#selection.isSelected;
    let removed: string[] = [];
    const scope = { type: type.name, moment, since, after: this.#mark.after };
    for await (const { records, end } of this.#partition.at(scope)) {
      for (const record of records) {
        const state = hasText(record) ? record : record.before;
        const turned = this.#rest();
        if (turned !== undefined) await turned;
        if (state === undefined || !this.#isOf(record, () => isSelected(state))) continue;
        const added = hasText(record) ? this.#add(type, record) : void removed.push(record.id);
        if (added !== undefined) await added;
      }
      if (removed.length > 0) await this.#remove(type, removed);
      removed = [];
      this.#mark.after = end;
      await this.#keepAtTimes(type.name);
    }
    await this.#files.finish(type.name);
  }

  /** https://hl7.org/fhir/uv/bulkdata/STU2/export.html#response---complete-status */
  async #remove({ name }: ResourceType, ids: readonly string[]): Promise<void> {
    const entry = ids.map(id => ({ request: { method: 'DELETE', url: `${name}/${id}` } }));
    await this.#files.add('deleted', 'Bundle', JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry }));
  }

  /** A record whose text is damaged, or cannot be decided about, is reported instead. */
  #isOf(record: MomentRecord, decide: () => boolean): boolean {
    try {
      return decide();
    } catch (error) {
      this.#failures.push([`${record.type}/${record.id}`, error]);
      return false;
    }
  }

  #failures: [string, unknown][] = [];

  /** A promise if it has to be waited for. */
  #add(type: ResourceType, record: MomentRecord & { readonly text: string }): Promise<void> | undefined {
    try {
      const line = lineOf(this.#engine, this.#task, this.#partition, type, record);
      if (typeof line === 'string') return this.#addLine(type, record, line);
      return line.then(
        found => this.#addLine(type, record, found),
        (error: unknown) => void this.#failures.push([`${record.type}/${record.id}`, error]),
      );
    } catch (error) {
      this.#failures.push([`${record.type}/${record.id}`, error]);
      return undefined;
    }
  }

  #addLine(type: ResourceType, record: MomentRecord, line: string): Promise<void> | undefined {
    this.#mark.records += 1;
    return this.#files.add('output', type.name, line, this.#patientsOf(record));
  }

  #patientsOf({ type, id, owners = [] }: MomentRecord): readonly string[] {
    if (type === this.#owner) return [id];
    return owners.flatMap(one => idOfOwner(one, this.#owner, this.#task.base) ?? []);
  }

  async #addAll(type: ResourceType, pages: AsyncIterable<readonly MomentRecord[]>): Promise<void> {
    for await (const page of pages) {
      for (const record of page) if (hasText(record)) await this.#add(this.#typeOf(record) ?? type, record);
      if (this.#place.signal.aborted) throw new Error('The export was ended');
      await this.#rest();
    }
  }

  readonly #typeOf = ({ type }: MomentRecord): ResourceType | undefined => this.#engine.model.types.get(type);

  /** Begins again after a crash: its files have other types than those before. */
  async #addSupporting(): Promise<void> {
    const [type] = this.#selection.supporting;
    const of = supportingRecords(this.#task, this.#selection, this.#partition, this.#references());
    if (type !== undefined) await this.#addAll(type, of);
  }

  /** The references of the lines that are complete. */
  async *#references(): AsyncIterable<{ readonly type: string; readonly id: string }> {
    const { base } = this.#task;
    const mayRefer = mayReferTo(this.#selection.supporting.map(({ name }) => name));
    for (const { name } of Array.from(this.#files.complete)) {
      if (name.startsWith('error.') || name.startsWith('deleted.')) continue;
      const lines = createInterface({ input: createReadStream(this.#place.pathOf(name)), crlfDelay: Infinity });
      const [type = ''] = name.split('.');
      for await (const text of lines) {
        const rested = this.#rest();
        if (rested !== undefined) await rested;
        if (this.#place.signal.aborted) throw new Error('The export was ended');
        if (mayRefer(text)) yield* referredBy({ type, id: '', version: 0, lastUpdated: 0, text }, base);
      }
    }
  }

  async #report(severity: IssueSeverity, text: string): Promise<void> {
    const code = severity === 'error' ? 'exception' : 'not-supported';
    const outcome = operationOutcome([{ severity, code, text }]);
    await this.#files.add('error', 'OperationOutcome', JSON.stringify(outcome));
  }

  async #reportFailures(): Promise<void> {
    const failures = this.#failures;
    this.#failures = [];
    this.#mark.failed += failures.length;
    for (const [what] of failures)
      await this.#report(
        'error',
        `${what} could not be exported: what is stored is damaged. \`verify\` lists such records.`,
      );
  }

  /** Lets requests have their turn. */
  #rest(): Promise<void> | undefined {
    return performance.now() - this.#turned < turn ? undefined : this.#turnNow();
  }

  async #turnNow(): Promise<void> {
    await setImmediate();
    this.#turned = performance.now();
  }

  async #keepAtTimes(name: string): Promise<void> {
    await this.#reportFailures();
    if (this.#place.signal.aborted) throw new Error('The export was ended');
    if (performance.now() - this.#kept >= keepEvery) await this.#keep(`${name}: ${this.#mark.records} records`);
  }

  /** The step is done. */
  async #next(): Promise<void> {
    await this.#reportFailures();
    const { step, records } = this.#mark;
    this.#mark.step = step + 1;
    this.#mark.after = undefined;
    if (performance.now() - this.#kept >= keepEvery || step >= this.#selection.walked.length - 1)
      await this.#keep(`${records} records`);
  }

  async #keep(progress: string): Promise<void> {
    const open = await this.#files.flush();
    await this.#place.keep({ mark: { ...this.#mark, open }, progress, files: this.#files.complete });
    this.#kept = performance.now();
  }
}
