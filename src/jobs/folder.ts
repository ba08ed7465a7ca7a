import { existsSync } from 'node:fs';
import { open, readdir, rename, rm, statfs } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { fhirError } from '../fhir/error.ts';
import { ifThere, makeFolder, ownerOnly, syncFolder } from '../store/files/durable.ts';

/** The end of the name of a file that is not complete. */
const unfinished = '.partial';

/**
 * The files of the jobs of a store, a folder for each job: for their owner only. `free` is the space in bytes that they
 * leave to others on their disk.
 */
export class JobFolder {
  readonly #root: string;
  readonly #free: number;

  constructor(root: string, free: number) {
    this.#root = root;
    this.#free = free;
  }

  pathOf(job: string, name: string): string {
    return join(this.#root, job, name);
  }

  /**
   * Opens a file to write after its first `bytes`, which an earlier attempt made durable; undefined if they are not
   * there any more.
   */
  async open(job: string, name: string, bytes: number): Promise<JobFileWriter | undefined> {
    makeFolder(join(this.#root, job));
    const path = this.pathOf(job, name);
    // The process may have been killed after it was complete, and before the record said so.
    if (bytes > 0 && !existsSync(path + unfinished)) await ifThere(() => rename(path, path + unfinished));
    const file = await ifThere(() => open(path + unfinished, bytes === 0 ? 'w' : 'r+', ownerOnly.file));
    if (file === undefined) return undefined;
    const { size } = await file.stat();
    if (size < bytes) {
      await file.close();
      return undefined;
    }
    await file.truncate(bytes);
    return new JobFileWriter(path, file, bytes);
  }

  /** Removes the files of a job: an open one stays readable. */
  remove(job: string): Promise<void> {
    return rm(join(this.#root, job), { recursive: true, force: true });
  }

  /** The jobs that have a folder. */
  async jobs(): Promise<readonly string[]> {
    const names = await ifThere(() => readdir(this.#root, { withFileTypes: true }));
    return (names ?? []).filter(one => one.isDirectory() && /^[\w-]{32}$/.test(one.name)).map(({ name }) => name);
  }

  /** Throws FhirError 507 if the disk of the files has less space left than they must leave. */
  async requireSpace(): Promise<void> {
    makeFolder(this.#root);
    const { bavail, bsize } = await statfs(this.#root);
    if (bavail * bsize >= this.#free) return;
    const text =
      'The disk for files of exports is nearly full, so that none is written. Delete exports that are not needed, or ' +
      'retry later.';
    throw fhirError(507, 'no-store', text, undefined, { 'Retry-After': '600' });
  }
}

/** Text that is written at once, in characters. */
const chunk = 256 * 1024;

/** Writes one file of a job: to a temporary name until it is complete. */
export class JobFileWriter {
  readonly #path: string;
  readonly #file: FileHandle;
  #bytes: number;
  #waiting: string[] = [];
  #characters = 0;

  constructor(path: string, file: FileHandle, bytes: number) {
    this.#path = path;
    this.#file = file;
    this.#bytes = bytes;
  }

  /** The bytes that were written, without what `add` has not passed on yet. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds text; a promise if it has to be waited for. */
  add(text: string): Promise<void> | undefined {
    this.#waiting.push(text);
    this.#characters += text.length;
    return this.#characters < chunk ? undefined : this.#pass();
  }

  async #pass(): Promise<void> {
    const text = this.#waiting.join('');
    this.#waiting = [];
    this.#characters = 0;
    if (text !== '') await this.write(Buffer.from(text));
  }

  /** Adds bytes after all text that was added before. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#characters > 0) await this.#pass();
    for (let at = 0; at < bytes.length;) {
      const { bytesWritten } = await this.#file.write(bytes, at, bytes.length - at, this.#bytes);
      at += bytesWritten;
      this.#bytes += bytesWritten;
    }
  }

  /** Makes what was added durable; returns its number of bytes. */
  async flush(): Promise<number> {
    await this.#pass();
    await this.#file.datasync();
    return this.#bytes;
  }

  /** Completes the file under its name; returns its number of bytes. */
  async finish(): Promise<number> {
    await this.#pass();
    await this.#file.sync();
    await this.#file.close();
    await rename(this.#path + unfinished, this.#path);
    await syncFolder(join(this.#path, '..'));
    return this.#bytes;
  }

  /** Leaves the file as it is: a later attempt goes on from its last flush. */
  close(): Promise<void> {
    return this.#file.close();
  }
}
