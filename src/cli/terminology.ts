import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Flag } from '../config/flag.ts';
import { ConfigError } from '../config/read.ts';
import { choice, some } from '../config/values.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { counted } from '../observability/counted.ts';
import type { CsvSystem } from '../bulk/code-systems/from-csv.ts';
import type { ReleaseFolder } from '../bulk/code-systems/from-rf2.ts';
import type { NewSystem } from '../terminology/large/write.ts';
import { audited } from './audited.ts';
import { CommandError, defineCommand, exitCodes, noPositionals, onePositional, storeSettings } from './command.ts';
import { interruptible } from './interruption.ts';
import { partitionOf, withStore } from './open.ts';
import { count } from './print.ts';
import { createProgress } from './progress.ts';

const format = {
  flag: 'format',
  value: 'FORMAT',
  read: choice('csv', 'loinc', 'rf2'),
  default: 'csv',
  meaning: 'csv, or the folder of a release as it is downloaded and unpacked: loinc, rf2 (SNOMED CT)',
} as const satisfies Flag;
const url = { flag: 'url', value: 'URL', read: some, meaning: 'Canonical of the code system' } as const satisfies Flag;
const version = {
  flag: 'version',
  value: 'VERSION',
  read: some,
  meaning: 'Version of the code system',
} as const satisfies Flag;

/** Loads a code system with many concepts into a partition, where the operations and searches of codes use it. */
export const terminologyLoad = defineCommand({
  positionals: 'FILE',
  details: `FILE is CSV, also compressed by gzip, or - for stdin. Its first line names the columns: code, and as far
as there are any display, definition, parent (several with |), status (active, retired or deprecated),
notSelectable (true) and designation:LANGUAGE; others are properties. With --format loinc or rf2 it is the
folder of a release of LOINC or SNOMED CT, whose --url is known. A server may run meanwhile, and uses
the system when the command ends. Until then, and if the file has a mistake, nothing changes. A load of the
same version replaces the former one.`,
  takes: [...storeSettings, 'partition'],
  own: [format, url, version, { flag: 'name', value: 'NAME', read: some, meaning: 'Name of the code system' }],
  async run({ config, own, positionals }) {
    const file = onePositional(positionals, 'FILE', text => text);
    const published = releases[own.format];
    const canonical = own.url ?? published?.url;
    if (canonical === undefined) throw new ConfigError(['--url is missing: the canonical of the code system.']);
    const system = { url: canonical, version: own.version };
    const [{ writeSystem, WrongConcepts }, { keepHeapSmall }] = await Promise.all([
      import('../terminology/large/write.ts'),
      import('../limits/small-heap.ts'),
    ]);
    return withStore(config, 'command', async opened => {
      keepHeapSmall();
      const partition = await partitionOf(opened.store, config.partition);
      const progress = createProgress('concepts', process.stderr, Date.now);
      const about = { command: 'terminology load', kind: 'import', action: 'C', partition: partition.id } as const;
      const stopped = (): string => 'Stopped: nothing was changed. Run the same command again.';
      const loaded = await interruptible(stopped, ({ steps, check }) =>
        audited(opened, about, async add => {
          try {
            const { properties, concepts } = await readSystem(own.format, file);
            const resource = { ...resourceOf(system, own.name ?? published?.name, properties), ...published?.more };
            const made: NewSystem = { ...system, resource };
            const head = await writeSystem(opened.store, partition.id, made, checked(steps(concepts), check), done =>
              progress.update(done, undefined),
            );
            add({ details: { concepts: head.count } });
            return head;
          } catch (error) {
            if (error instanceof WrongConcepts) throw new CommandError(`${error.message} Nothing was changed.`);
            throw error;
          } finally {
            progress.end();
          }
        }),
      );
      const named = system.version === undefined ? system.url : `${system.url}|${system.version}`;
      console.log(`${counted(loaded.count, 'concept')} of ${named} loaded.`);
      return exitCodes.done;
    });
  },
});

/** What a release is called. https://terminology.hl7.org/external_terminologies.html */
const releases: Readonly<Partial<Record<string, { url: string; name: string; more: JsonObject }>>> = {
  loinc: { url: 'http://loinc.org', name: 'LOINC', more: { valueSet: 'http://loinc.org/vs' } },
  rf2: { url: 'http://snomed.info/sct', name: 'SNOMED_CT', more: { valueSet: 'http://snomed.info/sct?fhir_vs' } },
};

async function readSystem(how: 'csv' | 'loinc' | 'rf2', path: string): Promise<CsvSystem> {
  const { csvRows } = await import('../bulk/code-systems/csv.ts');
  if (how === 'csv') {
    const { conceptsOfCsv } = await import('../bulk/code-systems/from-csv.ts');
    return conceptsOfCsv(csvRows(textOf(path)));
  }
  if (!existsSync(path) || !statSync(path).isDirectory())
    throw new CommandError(`${path} is not a folder: unpack the release, and name its folder.`);
  const folder: ReleaseFolder = {
    paths: readdirSync(path, { recursive: true, encoding: 'utf8' }),
    rows: (name, separator) => csvRows(textOf(join(path, name)), separator),
  };
  if (how === 'rf2') return (await import('../bulk/code-systems/from-rf2.ts')).conceptsOfRf2(folder);
  return (await import('../bulk/code-systems/from-loinc.ts')).conceptsOfLoinc(folder);
}

/** The values of a source; a signal before its end is an error, so that nothing of it counts. */
async function* checked<T>(source: AsyncIterable<T>, check: () => void): AsyncIterable<T> {
  yield* source;
  check();
}

/** The text of a file, or of stdin, unpacked if it is compressed. */
function textOf(file: string): AsyncIterable<string> {
  const bytes = file === '-' ? process.stdin : createReadStream(file);
  const plain = file.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes;
  bytes.on('error', error => plain.destroy(error));
  return Readable.from(plain, { objectMode: false, encoding: 'utf8' });
}

/** The CodeSystem, without its concepts. https://hl7.org/fhir/R4/codesystem.html */
const resourceOf = (
  { url, version }: Pick<NewSystem, 'url' | 'version'>,
  name: string | undefined,
  property: readonly JsonObject[],
): JsonObject => ({
  resourceType: 'CodeSystem',
  url,
  ...(version === undefined ? {} : { version }),
  ...(name === undefined ? {} : { name }),
  status: 'active',
  content: 'complete',
  caseSensitive: true,
  hierarchyMeaning: 'is-a',
  ...(property.length === 0 ? {} : { property }),
});

/** Lists the code systems that were loaded into a partition. */
export const terminologyList = defineCommand({
  takes: [...storeSettings, 'partition'],
  async run({ config, positionals }) {
    noPositionals(positionals);
    const { headsOf } = await import('../terminology/large/layout.ts');
    return withStore(config, 'command', async ({ store }) => {
      const partition = await partitionOf(store, config.partition);
      const heads = await headsOf(store, partition.id);
      const named = heads.map(
        one => `${one.url}${one.version === undefined ? '' : `|${one.version}`} ${count(one.count)}`,
      );
      for (const line of named.sort()) console.log(line);
      return exitCodes.done;
    });
  },
});

/** Removes a code system that was loaded. */
export const terminologyRemove = defineCommand({
  takes: [...storeSettings, 'partition'],
  own: [url, version],
  async run({ config, own, positionals }) {
    noPositionals(positionals);
    if (own.url === undefined) throw new ConfigError(['--url is missing: the canonical of the code system.']);
    const { url: canonical, version: which } = own;
    const { removeSystem } = await import('../terminology/large/write.ts');
    return withStore(config, 'command', async opened => {
      const partition = await partitionOf(opened.store, config.partition);
      const about = { command: 'terminology remove', kind: 'import', action: 'D', partition: partition.id } as const;
      const removed = await audited(opened, about, () => removeSystem(opened.store, partition.id, canonical, which));
      const named = which === undefined ? canonical : `${canonical}|${which}`;
      if (!removed) throw new CommandError(`No code system \`${named}\` was loaded into this partition.`);
      console.log(`${named} is removed.`);
      return exitCodes.done;
    });
  },
});
