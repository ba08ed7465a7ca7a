import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { parseJson } from '../fhir/json.ts';
import type { Issue } from '../fhir/outcome.ts';
import { decodeUtf8 } from '../fhir/utf8.ts';
import { checkStructure } from '../validation/structure.ts';
import { IndependentEntries, type NestedBundle } from './independent-entries.ts';
import { conflict, planTransaction } from '../interaction/bundle/load-transaction.ts';
import type { LoadContext } from '../interaction/write/context.ts';
import type { Input } from './input.ts';
import type { Counts } from './progress.ts';
import type { Addressing, BundleHead } from '../interaction/bundle/head.ts';
import { readBundle } from './read/bundle-head.ts';
import { containerType } from '../interaction/bundle/head.ts';
import { OncePerFile } from './once-per-file.ts';
import { BrokenInput } from '../interaction/bundle/bundle-scanner.ts';
import type { Unit } from './read/lines.ts';
import { readUnits } from './read/units.ts';
import { type Outcome, jsonIssue, readLoadedRecord } from '../interaction/write/loaded-record.ts';
import type { Rejects } from './rejects.ts';
import type { BatchWriter } from './writer.ts';

/** The dependencies of loading a file. */
export interface FileLoadParts {
  readonly options: LoadContext & { readonly stdin: Readable };
  readonly counts: Counts;
  readonly writer: BatchWriter;
  readonly rejects: Rejects;
  readonly file: string;
  /** Empty for input that can be read only once. */
  readonly digest: string;
}

/** Loads one file and rejects invalid records. */
export class FileLoad implements Addressing {
  readonly base: string;
  readonly #parts: FileLoadParts;
  readonly #once: OncePerFile;
  /** The number of the current unit, or of the entry if the whole is one Bundle. */
  #number = 0;

  constructor(parts: FileLoadParts) {
    this.#parts = parts;
    this.base = parts.options.base;
    this.#once = new OncePerFile(parts.options.partition);
  }

  /** An id that depends on the file and the position in it, so that loading again finds the same records. */
  newId(at: string): string {
    return createHash('sha256').update(`${this.#parts.digest} ${at}`).digest('hex').slice(0, 32);
  }

  /** Loads the units of the file after the first `skip`; yields regularly, so that other work runs. */
  async *run(input: Input, index: number, skip: number): AsyncGenerator<void, void> {
    const { options, counts, writer } = this.#parts;
    let read = 0;
    let entries: IndependentEntries | undefined;
    try {
      const onRead = (bytes: number): void => void (counts.bytes += bytes);
      const { stdin, model } = options;
      const reading = { stdin, onRead, addressing: this, types: model.definitions };
      for await (const { units, bundle } of readUnits(input, reading)) {
        if (bundle !== undefined && entries === undefined) {
          if (this.#isWrong('', bundle)) break;
          entries = this.#independent(bundle);
        }
        for (const unit of units) {
          read++;
          this.#number = read;
          if (read <= skip) {
            counts.resumed++;
            this.#once.pass(unit.bytes, entries, read);
            entries?.pass();
            continue;
          }
          if (entries === undefined) await this.#unit(unit);
          else await this.#entry(entries, unit.at, unit.bytes);
          // Deferred entries are not loaded yet: an interrupted load continues with the first of them.
          if (entries === undefined || entries.deferred.length === 0) writer.position = `${index} ${read}`;
        }
        yield;
      }
      if (entries !== undefined) yield* this.#deferred(entries);
    } catch (error) {
      if (!(error instanceof BrokenInput)) throw error;
      this.#reject('', [
        { severity: 'fatal', code: 'structure', text: `${error.message} The rest of the file was not loaded.` },
      ]);
    }
    writer.position = `${index + 1} 0`;
  }

  /** Rejects a Bundle as a whole for an error outside of its entries: a misspelt `entry` would load nothing. */
  #isWrong(at: string, { envelope }: BundleHead, bytes?: Uint8Array): boolean {
    const issues = checkStructure(envelope, this.#parts.options.model);
    if (issues.length > 0) this.#reject(at, issues, bytes);
    return issues.length > 0;
  }

  #independent(bundle: BundleHead): IndependentEntries {
    return new IndependentEntries(this.#parts.options, bundle, this, () => this.#parts.writer.flush());
  }

  async #entry(entries: IndependentEntries, at: string, bytes: Uint8Array): Promise<void> {
    const outcome = await entries.next(at, bytes);
    if (outcome !== undefined) await this.#applyEntry(entries, outcome, at, bytes);
  }

  async *#deferred(entries: IndependentEntries): AsyncGenerator<void, void> {
    for (const deferred of entries.deferred) {
      await this.#applyEntry(entries, await entries.again(deferred), deferred.at, deferred.bytes);
      yield;
    }
  }

  async #applyEntry(
    entries: IndependentEntries,
    outcome: Outcome | NestedBundle,
    at: string,
    bytes: Uint8Array,
  ): Promise<void> {
    if (outcome.kind === 'bundle') {
      await this.#bundle(at, outcome.bytes);
      return;
    }
    this.#parts.counts.records++;
    await this.#apply(entries.plain ? await this.#once.check(outcome, at, this.#number) : outcome, at, bytes);
  }

  /** A line or a whole document: a resource, or a Bundle. */
  async #unit({ at, bytes, is, problem }: Unit): Promise<void> {
    if (problem !== undefined) {
      this.#parts.counts.records++;
      this.#reject(at, [{ severity: 'fatal', code: 'too-long', text: problem }]);
      return;
    }
    if (is === 'document' && (await this.#bundle(at, bytes))) return;
    let outcome: Outcome;
    try {
      const text = decodeUtf8(bytes);
      const parsed = parseJson(text);
      if (is === 'line' && containerType(parsed.value) !== undefined && (await this.#bundle(at, bytes))) return;
      outcome = await readLoadedRecord(
        this.#parts.options,
        { text, parsed },
        { id: own => own ?? this.#ownId(at, bytes) },
      );
    } catch (error) {
      outcome = { kind: 'reject', issues: [jsonIssue(error)] };
    }
    this.#parts.counts.records++;
    await this.#apply(await this.#once.check(outcome, at, this.#number), at, bytes);
  }

  /** Without a digest of the input, the id is derived from the record's own bytes. */
  #ownId(at: string, bytes: Uint8Array): string {
    if (this.#parts.digest !== '') return this.newId(at);
    return createHash('sha256').update(`${at} `).update(bytes).digest('hex').slice(0, 32);
  }

  /** Loads a Bundle in memory; false if it is not one that contains records. */
  async #bundle(at: string, bytes: Uint8Array): Promise<boolean> {
    const prefix = at === '' ? '' : `${at}, `;
    const addressing: Addressing = {
      base: this.base,
      newId: entry => (this.#parts.digest === '' ? this.#ownId(entry, bytes) : this.newId(prefix + entry)),
    };
    const bundle = readBundle(bytes, addressing);
    if (bundle === undefined) return false;
    const { head } = bundle;
    if (this.#isWrong(at, head, bytes)) return true;
    if (!head.independent) {
      await this.#transaction(at, bytes, head, bundle.entries, addressing);
      return true;
    }
    const { options, writer } = this.#parts;
    const entries = new IndependentEntries(options, head, addressing, () => writer.flush());
    for (const [index, entry] of bundle.entries.entries()) {
      if (at === '') this.#number = index + 1;
      await this.#entry(entries, `${prefix}entry ${index + 1}`, entry);
    }
    for await (const _ of this.#deferred(entries));
    return true;
  }

  async #transaction(
    at: string,
    bytes: Uint8Array,
    head: BundleHead,
    texts: readonly Uint8Array[],
    addressing: Addressing,
  ): Promise<void> {
    const { options, counts, writer } = this.#parts;
    // The entries before it must be stored, for conditional references and requests.
    await writer.flush();
    counts.records += texts.length;
    for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
      const planned = await planTransaction(options, head, texts, addressing);
      if (planned.kind === 'reject') return this.#reject(at, planned.issues, bytes);
      const { changes, requires } = planned;
      const refusal = changes.length === 0 ? undefined : await writer.alone(changes, requires);
      if (refusal !== undefined) continue; // a server has written what the entries depend on
      for (const warnings of planned.warnings) counts.warn(warnings);
      for (const type of planned.skipped) counts.skip(type);
      counts.unchanged += planned.nothing;
      return;
    }
    this.#reject(at, [conflict], bytes);
  }

  async #apply(outcome: Outcome, at: string, bytes: Uint8Array): Promise<void> {
    const { counts, writer } = this.#parts;
    switch (outcome.kind) {
      case 'skip':
        counts.skip(outcome.type);
        return;
      case 'nothing':
        counts.unchanged++;
        return;
      case 'reject':
        this.#reject(at, outcome.issues, bytes);
        return;
      case 'change': {
        if (outcome.change.precondition === undefined) await writer.add(outcome);
        else {
          const refusal = await writer.alone([outcome]);
          if (refusal !== undefined) return this.#reject(at, [conflict], bytes);
        }
        counts.warn(outcome.warnings);
        return;
      }
      default:
        outcome satisfies never;
    }
  }

  #reject(at: string, issues: readonly Issue[], bytes?: Uint8Array): void {
    const { rejects, counts, file } = this.#parts;
    counts.rejected++;
    rejects.add({ file, at, issues, bytes });
  }
}

/** Times that a transaction is planned, each after another write of one of its records. */
const mostAttempts = 50;
