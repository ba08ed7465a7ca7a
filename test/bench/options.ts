import { parseArgs } from 'node:util';

export interface Options {
  readonly help: boolean;
  readonly check: boolean;
  readonly quick: boolean;
  /** Words that the name of a case must contain, one of them; empty for all. */
  readonly cases: readonly string[];
  /** Resources of the large store; undefined where scale is not asked for. */
  readonly scale: number | undefined;
  /** URL of a MongoDB deployment; undefined for the embedded store. */
  readonly store: string | undefined;
  /** A commit that the service is compared with; undefined where that is not asked for. */
  readonly beside: string | undefined;
  /** What the guard costs, and nothing else. */
  readonly guard: boolean;
  /** Number of processes that are compared with one; undefined where that is not asked for. */
  readonly processes: number | undefined;
  /** What accounting for requests costs, and nothing else. */
  readonly audit: boolean;
  /** What the pages for browsers cost other clients, and nothing else. */
  readonly explorer: boolean;
  /** Code systems with many concepts, and nothing else. */
  readonly terminology: boolean;
  /** Exports, and nothing else. */
  readonly export: boolean;
  /** Rows of a view, and nothing else. */
  readonly views: boolean;
  /** The workloads of the field's benchmark, and nothing else. */
  readonly field: boolean;
  /** Base URL of the server that gets these workloads; undefined where the bench starts the service for each. */
  readonly server: string | undefined;
  /** The process of that server on this machine; undefined where it is not known. */
  readonly serverPid: number | undefined;
}

export const help = `npm run bench -- [FLAGS]

Compares the service with bare koa and with the floor: a koa app that runs the recorded SQL statements of the service on
the same file and concatenates the same texts; \`page\` is the floor with the statements that fetch the page only. A
round measures one after the other, so that other load affects all of them; figures are medians of the rounds. The
records are synthetic and kept in .cache/bench; results go to bench-results/ as JSON.

  --check        Exit with code 1 if a budget is exceeded by more than 15 %
  --quick        Fewer and shorter rounds, at 16 connections
  --case TEXT    Only cases whose name contains the text; repeats
                 (requests, joins, words, versions, and: load, while loading, start, first create, transaction,
                 validate, package, pages)
  --scale [N]    Build a store of N resources (default 1,000,000) and compare it with one of 100,000
  --beside COMMIT
                 Compare the service with that of another commit: processor time of reads and searches, in short turns
  --guard        Compare the service with and without its guard: processor time of reads and searches
  --audit        Compare the service with and without its audit, both with the guard
  --processes N  Compare a server of N processes with one of one: rates, processor time, memory of each process
  --explorer     Compare the service with and without its pages for browsers: reads and searches as JSON
  --terminology  Code systems of 100,000 and 500,000 concepts with three parents each: load, pages, filters, is-a,
                 single codes; --quick for the smaller one. With --check, exit code 1 if a budget is exceeded
  --views        A view of six columns over all Observations, as NDJSON, CSV and Parquet
  --export       An export of all records, beside rows of SQLite that are written to a file in the same process
  --field        The workloads of the field's benchmark, by as many users: records created, read, updated and deleted,
                 Bundles of 306 entries, searches by name; --quick for a tenth of the time, --case for one of them,
                 --processes N for several
  --server URL   With --field: another server, whose base this is. A token is read from CRS_BENCH_TOKEN
  --server-pid N With --server: its process on this machine, for its processor time and memory
  --store URL    Measure the store on MongoDB: \`floor\` is then bare koa with bare calls of the driver that return the
                 same documents. Creates databases of its own on that server, and drops them
  --help         This text`;

/** Reads the arguments; throws Error with a sentence for what is no flag. */
export function readOptions(argv: readonly string[]): Options {
  // A number behind --scale may be left out, which parseArgs has no word for.
  const args = argv.map((text, at) =>
    text === '--scale' && !/^\d/.test(argv[at + 1] ?? '') ? '--scale=1000000' : text,
  );
  const { values } = parseArgs({
    args,
    options: {
      check: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      case: { type: 'string', multiple: true, default: [] },
      guard: { type: 'boolean', default: false },
      audit: { type: 'boolean', default: false },
      explorer: { type: 'boolean', default: false },
      terminology: { type: 'boolean', default: false },
      export: { type: 'boolean', default: false },
      views: { type: 'boolean', default: false },
      field: { type: 'boolean', default: false },
      server: { type: 'string' },
      'server-pid': { type: 'string' },
      beside: { type: 'string' },
      store: { type: 'string' },
      processes: { type: 'string' },
      scale: { type: 'string' },
    },
  });
  const scale = values.scale === undefined ? undefined : Number(values.scale.replaceAll(/[,_]/g, ''));
  if (scale !== undefined && (!Number.isInteger(scale) || scale < 1))
    throw new Error(`\`--scale ${values.scale}\` is not a number of resources.`);
  const processes = values.processes === undefined ? undefined : Number(values.processes);
  if (processes !== undefined && (!Number.isInteger(processes) || processes < 2))
    throw new Error(`\`--processes ${values.processes}\` is not a number of processes above 1.`);
  if (values.server !== undefined && !values.field) throw new Error('`--server` goes with `--field`.');
  return {
    help: values.help,
    beside: values.beside,
    guard: values.guard,
    audit: values.audit,
    explorer: values.explorer,
    terminology: values.terminology,
    export: values.export,
    views: values.views,
    field: values.field,
    server: values.server,
    serverPid: values['server-pid'] === undefined ? undefined : Number(values['server-pid']),
    check: values.check,
    quick: values.quick,
    cases: values.case,
    store: values.store,
    scale,
    processes,
  };
}
