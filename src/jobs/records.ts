import { hash, randomBytes } from 'node:crypto';
import type { DocumentStore } from '../store/port/documents.ts';
import type { Store } from '../store/port/store.ts';
import { isUnfinished } from './job.ts';
import type { JobOwner, JobRecord } from './job.ts';

/** A client has as many unfinished jobs as it may have, or all clients together have. */
export class TooManyJobs extends Error {
  readonly most: number;
  readonly whose: 'client' | 'all';
  constructor(most: number, whose: 'client' | 'all') {
    super(`${most} jobs are not finished`);
    this.most = most;
    this.whose = whose;
  }
}

/** What a new job is made of. */
export interface NewJob {
  readonly kind: string;
  readonly owner: JobOwner;
  /** JSON. */
  readonly task: unknown;
}

/** Unfinished jobs of all clients together. */
const mostJobs = 500;

/** How long a job may wait for its place before it is forgotten: its process was killed. In milliseconds. */
const longestStart = 60_000;

/** The jobs of a store. A change is made only to the record that was read before, so that no process undoes another. */
export class JobRecords {
  readonly #jobs: DocumentStore;
  readonly #places: DocumentStore;
  readonly #now: () => number;

  /** `now` returns milliseconds since 1970 UTC. */
  constructor(store: Pick<Store, 'documents'>, now: () => number) {
    this.#jobs = store.documents('jobs');
    this.#places = store.documents('job-places');
    this.#now = now;
  }

  async get(id: string): Promise<JobRecord | undefined> {
    return (await this.#jobs.get(id)) as JobRecord | undefined; // only this class writes them
  }

  /** All jobs that have not expired, in the order of their ids. */
  async *list(): AsyncIterable<JobRecord> {
    for await (const { value } of this.#jobs.list()) yield value as JobRecord; // only this class writes them
  }

  /**
   * Stores a new job. Throws `TooManyJobs` if its client has `mostOfClient` unfinished ones: each has one of so many
   * places, which two processes never give away together.
   */
  async start({ kind, owner, task }: NewJob, mostOfClient: number): Promise<JobRecord> {
    let unfinished = 0;
    for await (const job of this.list()) unfinished += isUnfinished(job) ? 1 : 0;
    if (unfinished >= mostJobs) throw new TooManyJobs(mostJobs, 'all');
    const started = this.#now();
    const id = randomBytes(24).toString('base64url');
    const made: JobRecord = {
      id,
      kind,
      owner,
      state: 'new',
      task,
      started,
      progress: 'waiting',
      files: [],
      attempts: 0,
    };
    const kept = (await this.#jobs.put(id, made, { expires: started + longestStart })) as JobRecord; // just written
    if (!(await this.#takePlace(owner, id, mostOfClient))) {
      await this.#jobs.delete(id);
      throw new TooManyJobs(mostOfClient, 'client');
    }
    const active = await this.replace(kept, { ...kept, state: 'active' });
    if (active === undefined) throw new Error('A job was removed while it was started');
    return active;
  }

  async #takePlace({ issuer, client }: JobOwner, id: string, most: number): Promise<boolean> {
    const whose = hash('sha256', JSON.stringify([issuer, client]), 'base64url');
    for (let n = 1; n <= most; n++) {
      const key = `${whose}/${n}`;
      const holder = await this.#places.put(key, id, { ifAbsent: true });
      if (holder === id) return true;
      const job = await this.get(String(holder));
      const isFree = job === undefined || !isUnfinished(job);
      if (isFree && (await this.#places.put(key, id, { replaces: holder })) === id) return true;
    }
    return false;
  }

  /** Stores `next` in place of `before`; undefined if that is not stored any more: it was changed or removed. */
  async replace(before: JobRecord, next: JobRecord): Promise<JobRecord | undefined> {
    const { expires } = next;
    const kept = await this.#jobs.put(before.id, next, { replaces: before, expires });
    return kept !== undefined && JSON.stringify(kept) === JSON.stringify(next) ? (kept as JobRecord) : undefined;
  }

  /** Removes the jobs of a client, that tokens of an issuer name. */
  async removeOf(issuer: string, client: string): Promise<void> {
    for await (const { id, owner } of this.list())
      if (owner.issuer === issuer && owner.client === client) await this.remove(id);
  }

  /** Removes a job, whatever is done with it: who works on it stops within a second. */
  remove(id: string): Promise<void> {
    return this.#jobs.delete(id);
  }
}
