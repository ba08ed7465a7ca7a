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
  return {
    help: values.help,
    beside: values.beside,
    guard: values.guard,
    audit: values.audit,
    explorer: values.explorer,
    check: values.check,
    quick: values.quick,
    cases: values.case,
    store: values.store,
    scale,
    processes,
  };
}
