import type { Readable } from 'node:stream';
import type { Query } from '../../search/ast.ts';
import { isIndexedOrder } from '../../search/sort.ts';
import { sortedPage } from '../keys/sorted.ts';
import type { Explain } from '../port/explained.ts';
import type { Partition, PartitionSettings } from '../port/partitions.ts';
import type {
  Change,
  Mark,
  Page,
  RecordKey,
  Referred,
  StoredVersion,
  StoreSearch,
  WriteOptions,
  WriteResult,
} from '../port/records.ts';
import type { StoreDefinitions } from '../port/definitions.ts';
import type { HistoryScope, KeptVersion, MomentPage, MomentScope, VersionScope } from '../port/transfer.ts';
import { definingKeys, requireStillDeclared } from '../record/changes.ts';
import { exportVersions, recordsAt } from '../upkeep/versions.ts';
import type { VersionDriver } from '../upkeep/versions.ts';
import { openAttachment, putAttachment } from './attachments.ts';
import { marks } from './collections.ts';
import type { Core, PartitionInfo } from './core.ts';
import { countMatches, countOf } from './count.ts';
import { ownedVersion, readCurrent, readMany, readOlder } from './current.ts';
import { coreIn, currentPartition, definitionsWritten } from './defining.ts';
import { withPortErrors, withPortErrorsEach } from './failures.ts';
import { currentSlice, keptTypes, keptVersions, nextKeys, versionsAt, versionsUntil } from './history.ts';
import { repeatedResults } from './keyed.ts';
import { endMoment } from './moments.ts';
import { declared } from './prepare.ts';
import { findReferring, listTypes, usedTypesOf } from './referring.ts';
import { requireWriting, withOurDefinitions } from './register.ts';
import { restoreVersions } from './restore.ts';
import { searchPage } from './search.ts';
import { write } from './write.ts';

export class MongoPartition implements Partition {
  readonly id: string;
  readonly settings: PartitionSettings;
  readonly #core: Core;

  constructor(core: Core, { id, settings }: PartitionInfo) {
    this.#core = core;
    this.id = id;
    this.settings = settings;
  }

  get definitions(): StoreDefinitions {
    return this.#core.options;
  }

  read(type: string, id: string, version?: number): Promise<StoredVersion | undefined> {
    return this.#with(async p => {
      const current = await readCurrent(this.#core, p, type, id);
      if (current === undefined || (version !== undefined && current.version < version)) return undefined;
      const isCurrent = version === undefined || current.version === version;
      const found = isCurrent ? current : await readOlder(this.#core, p, type, id, version);
      return found === undefined ? undefined : ownedVersion(this.#core, p, type, found);
    });
  }

  readMany(keys: readonly { readonly type: string; readonly id: string }[]): Promise<readonly StoredVersion[]> {
    return this.#with(async p => {
      const types = Map.groupBy(keys, ({ type }) => type);
      const found = new Map<string, StoredVersion>();
      for (const [type, of] of types) {
        const ids = of.map(({ id }) => id);
        for (const [id, stored] of await readMany(this.#core, p, type, ids))
          found.set(`${type}/${id}`, ownedVersion(this.#core, p, type, stored));
      }
      return keys.map(({ type, id }) => found.get(`${type}/${id}`)).filter(version => version !== undefined);
    });
  }

  search(type: string, search: StoreSearch): Promise<Page> {
    return this.#with(async p => {
      const found = declared(this.#core, type);
      if (isIndexedOrder(found, search.sort)) return searchPage(this.#core, { p }, found, search);
      return sortedPage(this, found, search, this.#core.options);
    });
  }

  count(type: string, query?: Query, explain?: Explain): Promise<number> {
    return this.#with(p =>
      query === undefined
        ? countOf(this.#core, p, type)
        : countMatches(this.#core, { p }, declared(this.#core, type), query, explain),
    );
  }

  types(referringTo?: Referred): Promise<readonly string[]> {
    return this.#with(async p => {
      if (referringTo !== undefined) return findReferring(this.#core, { p }, referringTo);
      const used = await usedTypesOf(this.#core, p);
      return [...this.#core.options.model.types.keys()].filter(name => used.has(name));
    });
  }

  write(changes: readonly Change[], options: WriteOptions = {}): Promise<readonly WriteResult[]> {
    const { key } = options;
    if (changes.length === 0 && key !== undefined)
      return this.#with(async p => (await repeatedResults(this.#core, { p }, key)) ?? []);
    return this.#writing(async (latest, partition) => {
      requireStillDeclared(this.#core.options.model, latest.options.model, changes, options.requires);
      const puts = changes.filter(({ kind }) => kind === 'put');
      await listTypes(
        latest,
        partition.p,
        puts.map(({ type }) => type),
      );
      return write(latest, partition, changes, options);
    }, changes);
  }

  putAttachment(bytes: Uint8Array): Promise<{ readonly digest: string; readonly size: number }> {
    return this.#writing((latest, { p }) => putAttachment(latest, p, bytes));
  }

  attachment(digest: string): Promise<Readable | undefined> {
    return withPortErrors(this.#core, async () => {
      const found = await this.#core.registry.partition(this.id);
      return found === undefined ? undefined : openAttachment(this.#core, found.p, digest);
    });
  }

  export(scope?: VersionScope | HistoryScope): AsyncIterable<KeptVersion> {
    return this.#each(p => exportVersions(this.#versions(p), scope));
  }

  moment(): Promise<number> {
    return withPortErrors(this.#core, async () => {
      requireWriting(this.#core);
      const found = await this.#core.registry.partition(this.id);
      if (found === undefined) throw new Error(`There is no partition \`${this.id}\` any more`);
      return endMoment(this.#core, found.p);
    });
  }

  at(scope: MomentScope): AsyncIterable<MomentPage> {
    return this.#each(p => recordsAt(this.#versions(p), scope));
  }

  #versions(p: string): VersionDriver {
    const core = this.#core;
    return {
      types: () => keptTypes(core, p),
      versions: (type, after) => keptVersions(core, p, type, after),
      keys: one => nextKeys(core, p, one),
      at: keys => versionsAt(core, p, keys),
      current: (type, after) => currentSlice(core, p, type, after),
      until: (type, ids, time) => versionsUntil(core, p, type, ids, time),
    };
  }

  import(versions: readonly KeptVersion[], { mark }: { readonly mark?: Mark } = {}): Promise<void> {
    return this.#writing(async (latest, partition) => {
      await listTypes(
        latest,
        partition.p,
        versions.map(({ type }) => type),
      );
      return restoreVersions(latest, partition, versions, mark);
    }, versions);
  }

  mark(key: string): Promise<string | undefined> {
    return this.#with(async p => (await marks(this.#core.database).findOne({ _id: `${p}/${key}` }))?.value);
  }

  /** Reads: a removed partition has no content. */
  #with<T>(work: (p: string) => Promise<T>): Promise<T> {
    return withPortErrors(this.#core, async () => {
      const found = await this.#core.registry.partition(this.id);
      // No partition has this key.
      return work(found?.p ?? '-');
    });
  }

  #each<T>(values: (p: string) => AsyncIterable<T>): AsyncIterable<T> {
    const core = this.#core;
    const { id } = this;
    return withPortErrorsEach(core, async function* () {
      yield* values((await core.registry.partition(id))?.p ?? '-');
    });
  }

  /** Writes by the latest definitions of the partition; `written` are the records that may be definitions. */
  #writing<T>(
    work: (latest: Core, partition: PartitionInfo) => Promise<T>,
    written: readonly RecordKey[] = [],
  ): Promise<T> {
    const { below = this.#core } = this.#core;
    return withPortErrors(below, () =>
      withOurDefinitions(below, async latest => {
        const found = await currentPartition(latest, this.id);
        if (found === undefined) throw new Error(`There is no partition \`${this.id}\` any more`);
        const result = await work(await coreIn(latest, found), found);
        if (latest.options.above !== undefined && definingKeys(written).length > 0)
          await definitionsWritten(latest, found);
        return result;
      }),
    );
  }
}
