import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Flag } from '../config/flag.ts';
import { ConfigError } from '../config/read.ts';
import { choice, integer, some, truth } from '../config/values.ts';
import { printProblem } from '../definitions/problem.ts';
import type { Definitions } from '../definitions/definitions.ts';
import type { TypeDefinitions } from '../model/element.ts';
import { counted } from '../observability/counted.ts';
import type { ViewRow } from '../views/rows.ts';
import type { View } from '../views/view.ts';
import { audited } from './audited.ts';
import { CommandError, defineCommand, onePositional, storeSettings } from './command.ts';
import { interruptible } from './interruption.ts';
import { partitionOf, withStore } from './open.ts';
import { printable } from './print.ts';
import { createProgress } from './progress.ts';

/** The settings of commands that read definitions, and no store. */
const definitionSettings = ['interface', 'definitions', 'capability', 'debug'] as const;

const flags = [
  {
    flag: 'format',
    value: 'csv|ndjson|json|sqlite|parquet',
    read: choice('csv', 'ndjson', 'json', 'sqlite', 'parquet'),
    default: 'csv',
    meaning: 'The format of the rows; an SQLite file has one table with the name of the view',
  },
  { flag: 'header', value: 'true|false', read: truth, default: 'true', meaning: 'Whether CSV has a line of names' },
  {
    flag: 'limit',
    value: 'NUMBER',
    read: integer(0, 1_000_000_000),
    default: '1000000000',
    meaning: 'Most rows that are written',
  },
  { flag: 'out', value: 'FILE', read: some, meaning: 'A new file for its owner only, instead of stdout' },
] as const satisfies readonly Flag[];

/** Runs a view on the records of a partition and writes its rows. */
export const viewRun = defineCommand({
  positionals: 'VIEW',
  details: `VIEW is the name or the canonical of a view of the definitions, or a file (JSON). The rows are those of all
records of its type in the partition, in the order of their ids. A server may run meanwhile. A record on
which the view fails ends the command, and no file is left.

  npm run cli -- view run patients --definitions src/demo/definitions --partition demo --out ./patients.csv`,
  takes: [...storeSettings, 'partition'],
  own: flags,
  async run({ config, own: { format, header, limit, out }, positionals }) {
    const wanted = onePositional(positionals, 'VIEW', some);
    if (out === undefined && (format === 'sqlite' || format === 'parquet'))
      throw new ConfigError([`\`--out\` is missing: ${format} is written to a file.`]);
    await withStore(config, 'read', async opened => {
      const view = await viewFor(wanted, opened.definitions, opened.model.definitions);
      if (!opened.model.types.has(view.resourceType))
        throw new CommandError(`The view is of ${view.resourceType}, a type that the interface does not declare.`);
      const [{ viewRows }, { createRowWriter }, { writeSqliteFile }, { RowError }, { writeNewFile }] =
        await Promise.all([
          import('../views/view-rows.ts'),
          import('../views/formats.ts'),
          import('../views/sqlite-file.ts'),
          import('../views/row-error.ts'),
          import('../bulk/new-file.ts'),
        ]);
      const partition = await partitionOf(opened.store, config.partition);
      const progress = createProgress('rows', process.stderr, Date.now);
      let written = 0;
      const about = {
        command: 'view run',
        kind: 'export',
        action: 'R',
        partition: partition.id,
        details: { view: view.url ?? view.name ?? wanted, type: view.resourceType, format },
      } as const;
      const stopped = (): string => `Stopped after ${counted(written, 'row')}; no file was left.`;
      const work = async (steps: <T>(source: AsyncIterable<T>) => AsyncIterable<T>): Promise<void> => {
        const rows = async function* (): AsyncGenerator<readonly ViewRow[]> {
          for await (const page of steps(viewRows(partition, view, { kind: 'all' }, { limit }))) {
            written += page.length;
            if (out !== undefined) progress.update(written, undefined);
            yield page;
          }
        };
        if (format === 'sqlite') {
          await writeNewFile(out ?? '', () => writeSqliteFile(out ?? '', view, rows()));
          return;
        }
        const writer = await createRowWriter(format, view, { header });
        const chunks = async function* (): AsyncGenerator<string | Uint8Array> {
          yield writer.begin();
          for await (const page of rows()) yield writer.rows(page);
          yield writer.end();
        };
        if (out === undefined) await pipeline(Readable.from(chunks()), process.stdout, { end: false });
        else await writeNewFile(out, file => file.writeFile(chunks()));
      };
      try {
        await interruptible(stopped, ({ steps }) =>
          audited(opened, about, async add => {
            try {
              await work(steps);
            } finally {
              if (out !== undefined) progress.end();
              add({ details: { rows: written } });
            }
          }),
        );
      } catch (error) {
        if (!(error instanceof RowError)) throw error;
        const place = error.place === undefined ? '' : `, at \`${error.place}\``;
        throw new CommandError(`${error.record ?? 'A record'} has no rows${place}: ${error.message}`, undefined, {
          cause: error,
        });
      }
      if (out !== undefined) console.log(`${counted(written, 'row')} written to ${out}.`);
    });
  },
});

/** Prints the table of a view. */
export const viewSchema = defineCommand({
  positionals: 'VIEW',
  details: `VIEW is the name or the canonical of a view of the definitions, or a file (JSON). Decimals, dates and times
are texts in SQL, as FHIR writes them, unless the tag \`ansi/type\` of a column says otherwise.`,
  takes: definitionSettings,
  async run({ config, positionals }) {
    const wanted = onePositional(positionals, 'VIEW', some);
    const [{ requireModel }, { createTable }] = await Promise.all([
      import('../engine/definitions/load-model.ts'),
      import('../views/sql.ts'),
    ]);
    const { definitions, model } = await requireModel(config);
    console.log(`${createTable(await viewFor(wanted, definitions, model.definitions))};`);
  },
});

/** One line for each view. */
export const viewList = defineCommand({
  details: `One line each: name, type of the records, number of columns, canonical, and title, separated by tabs.

  npm run --silent cli -- view list --definitions src/demo/definitions`,
  takes: definitionSettings,
  async run({ config }) {
    const [{ requireModel }, { viewsOf }] = await Promise.all([
      import('../engine/definitions/load-model.ts'),
      import('../views/views.ts'),
    ]);
    const { definitions, model } = await requireModel(config);
    for (const { name, resourceType, columns, url, version, title } of viewsOf(definitions, model.definitions).all) {
      const canonical = url === undefined ? '-' : version === undefined ? url : `${url}|${version}`;
      console.log([name ?? '-', resourceType, columns.length, canonical, printable(title ?? '')].join('\t'));
    }
  },
});

/** The view of a name, a canonical or a file. Throws CommandError if there is none, or for its mistakes. */
async function viewFor(wanted: string, definitions: Definitions, types: TypeDefinitions): Promise<View> {
  const [{ viewsOf }, { compileView }, { isFile }, { asObject }, { parseJson }, { didYouMean }] = await Promise.all([
    import('../views/views.ts'),
    import('../views/compile.ts'),
    import('../definitions/files.ts'),
    import('../fhir/json-object.ts'),
    import('../fhir/json.ts'),
    import('../fhir/suggest.ts'),
  ]);
  const views = viewsOf(definitions, types);
  const known = views.byName(wanted) ?? views.byCanonical(wanted);
  if (known !== undefined) return known;
  if (!(await isFile(wanted))) {
    const names = views.all.flatMap(({ name }) => name ?? []);
    const list = names.length === 0 ? 'The definitions have no view.' : `Views are ${names.join(', ')}.`;
    throw new CommandError(
      `\`${printable(wanted)}\` is no view of the definitions and no file.${didYouMean(wanted, names)} ${list}`,
    );
  }
  const { value } = parseJson(await readFile(wanted, 'utf8'));
  const { view, problems } = compileView(asObject(value) ?? {}, types);
  if (view !== undefined) return view;
  throw new CommandError(problems.map(one => printProblem({ file: wanted, ...one })).join('\n'));
}
