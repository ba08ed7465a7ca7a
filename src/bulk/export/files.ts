import type { JobFile } from '../../jobs/job.ts';
import type { JobFileWriter } from '../../jobs/folder.ts';

/** Lines and bytes after which a file is complete and another begins: not too many files, nor too large to repeat. */
const most = { lines: 100_000, bytes: 1024 * 1024 * 1024 } as const;

/** Patients that the audit of a download names at most; one more says that there are others. */
const mostPatients = 1_001;

/** What the record of a job says of a file of an export. */
export interface AboutFile {
  readonly list: 'output' | 'deleted' | 'error';
  /** The type of its lines; of deletions that of the deleted records is not known. */
  readonly type: string;
  readonly count: number;
  /** Ids of patients whose records are in it. */
  readonly patients: readonly string[];
}

/** A file that is being written, as a mark has it. */
export interface OpenFileMark {
  readonly key: string;
  readonly number: number;
  readonly list: AboutFile['list'];
  readonly type: string;
  readonly bytes: number;
  readonly lines: number;
  readonly patients: readonly string[];
}

interface OpenFile extends Omit<OpenFileMark, 'bytes' | 'lines' | 'patients'> {
  readonly writer: JobFileWriter;
  readonly patients: Set<string>;
  lines: number;
}

/** Opens a file to write after its first bytes; undefined if they are gone. */
export type OpenWriter = (name: string, bytes: number) => Promise<JobFileWriter | undefined>;

/** The files of an export: one type each, in parts. Names are made of types and numbers. */
export class ExportFiles {
  readonly #open: OpenWriter;
  readonly #files = new Map<string, OpenFile>();
  readonly #complete: JobFile[];

  private constructor(open: OpenWriter, complete: readonly JobFile[]) {
    this.#open = open;
    this.#complete = [...complete];
  }

  /** Goes on with the files of a mark; undefined if what they had is gone. */
  static async resume(
    open: OpenWriter,
    complete: readonly JobFile[],
    marks: readonly OpenFileMark[],
  ): Promise<ExportFiles | undefined> {
    const files = new ExportFiles(open, complete);
    for (const mark of marks) {
      const writer = await open(nameOf(mark), mark.bytes);
      if (writer === undefined) {
        await files.leave();
        return undefined;
      }
      files.#files.set(mark.key, { ...mark, writer, patients: new Set(mark.patients) });
    }
    return files;
  }

  get complete(): readonly JobFile[] {
    return this.#complete;
  }

  /** Adds a line to the files of a list; `key` begins their names. A promise if it has to be waited for. */
  add(
    list: AboutFile['list'],
    type: string,
    line: string,
    patients: readonly string[] = [],
    key = list === 'output' ? type : list,
  ): Promise<void> | undefined {
    const file = this.#files.get(key);
    if (file === undefined) return this.#begin(key, list, type).then(begun => addTo(begun, line, patients));
    if (file.lines < most.lines && file.writer.bytes < most.bytes) return addTo(file, line, patients);
    return this.#finish(file).then(() => this.add(list, type, line, patients, key));
  }

  async #begin(key: string, list: AboutFile['list'], type: string): Promise<OpenFile> {
    const start = `${key}.`;
    const number = this.#complete.filter(({ name }) => name.startsWith(start)).length + 1;
    const writer = await this.#open(nameOf({ key, number }), 0);
    if (writer === undefined) throw new Error('A file of an export cannot be created');
    const file: OpenFile = { key, number, list, type, writer, lines: 0, patients: new Set() };
    this.#files.set(key, file);
    return file;
  }

  async #finish({ key, number, list, type, writer, lines, patients }: OpenFile): Promise<void> {
    const bytes = await writer.finish();
    this.#files.delete(key);
    const about: AboutFile = { list, type, count: lines, patients: [...patients] };
    this.#complete.push({ name: nameOf({ key, number }), bytes, about });
  }

  /** Makes what was added durable; returns the mark of the files that are open. */
  async flush(): Promise<readonly OpenFileMark[]> {
    const marks: OpenFileMark[] = [];
    for (const { writer, patients, ...file } of this.#files.values())
      marks.push({ ...file, bytes: await writer.flush(), patients: [...patients] });
    return marks;
  }

  /** Completes the files that are open, those of a key alone if it is given. */
  async finish(key?: string): Promise<void> {
    for (const file of Array.from(this.#files.values()))
      if (key === undefined || file.key === key) await this.#finish(file);
  }

  /** Leaves the open files as they are. */
  async leave(): Promise<void> {
    await Promise.all(Array.from(this.#files.values(), ({ writer }) => writer.close()));
    this.#files.clear();
  }
}

function addTo(file: OpenFile, line: string, patients: readonly string[]): Promise<void> | undefined {
  file.lines += 1;
  if (file.patients.size < mostPatients) for (const id of patients) file.patients.add(id);
  return file.writer.add(`${line}\n`);
}

const nameOf = ({ key, number }: Pick<OpenFileMark, 'key' | 'number'>): string => `${key}.${number}.ndjson`;
