import { setTimeout } from 'node:timers/promises';
import { printProblem } from '../definitions/problem.ts';
import { counted } from '../observability/counted.ts';
import type { Config } from '../config/read.ts';
import type { DefinitionAnswer, DefinitionRequest } from '../store/server/definition-requests.ts';
import type { Store } from '../store/port/store.ts';
import { CommandError, defineCommand, exitCodes, fileSettings } from './command.ts';
import type { ExitCode } from './command.ts';
import { table } from './print.ts';

/** Opens a store without definitions for its documents, and closes it then. Throws StoreRefused if there is none. */
async function withDocuments<T>(
  { store: url }: Pick<Config, 'store'>,
  mode: 'command' | 'read',
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const { openStore, requireStore } = await import('../store/open.ts');
  await requireStore(url);
  const model = { digest: '', types: new Map(), systemInteractions: new Set<never>() };
  const store = await openStore(url, { model, extract: () => [], now: Date.now, mode, deadline: statementTime });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

const statementTime = 20_000;

/** How long a server may take to accept a request, and how often its answer is read, in milliseconds. */
const longestWait = 10_000;
const pause = 50;

/**
 * Lets a running server change its definitions, and prints its answer: exit code 3 if it refuses them. Throws
 * CommandError if no server can do it.
 */
async function requestChange(config: Config, request: Omit<DefinitionRequest, 'host'>): Promise<ExitCode> {
  const [{ createDefinitionRequests }, { host }] = await Promise.all([
    import('../store/server/definition-requests.ts'),
    import('../store/server/host.ts'),
  ]);
  const { kind, lines } = await withDocuments(config, 'command', async store => {
    if (!(await store.check()).served)
      throw new CommandError(`No server runs on this store. ${atStart[request.action]}`);
    const requests = createDefinitionRequests(store, Date.now);
    const id = await requests.ask({ ...request, host });
    const end = Date.now() + longestWait;
    const isServed = async (): Promise<boolean> => (await store.check()).served;
    return awaitAnswer(() => requests.answer(id), {
      isServed,
      isWithdrawn: async () => Date.now() > end && requests.withdraw(id),
    });
  });
  for (const line of lines) (kind === 'refused' ? console.error : console.log)(line);
  return kind === 'refused' ? exitCodes.found : exitCodes.done;
}

const atStart = {
  reload: 'The next start reads the files.',
  rollback: 'Start one first.',
};

interface ServerState {
  readonly isServed: () => Promise<boolean>;
  /** Whether no server has taken the request in time, and none will. */
  readonly isWithdrawn: () => Promise<boolean>;
}

async function awaitAnswer(
  read: () => Promise<DefinitionAnswer | 'waiting' | 'taken'>,
  { isServed, isWithdrawn }: ServerState,
): Promise<DefinitionAnswer> {
  for (;;) {
    const answer = await read();
    if (typeof answer !== 'string') return answer;
    if (answer === 'waiting' && (await isWithdrawn()))
      throw new CommandError(
        'No server of this machine has answered, and nothing was changed: run the command where the server runs, ' +
          'or send SIGHUP to it.',
      );
    if (answer === 'taken' && !(await isServed()))
      throw new CommandError('The server ended before it answered. `definitions history` shows what is in use.');
    await setTimeout(pause);
  }
}

/** Loads the definitions as a start would, and reports every problem with its file and JSON path. */
export const definitionsCheck = defineCommand({
  details: 'Problems stop a start; they go to stderr with file and JSON path. Warnings do not stop one.',
  takes: ['interface', 'definitions', 'capability', 'debug'],
  async run({ config }) {
    const [{ loadModel }, { unusableCriteria }] = await Promise.all([
      import('../engine/definitions/load-model.ts'),
      import('../auth/context-query.ts'),
    ]);
    const { model, definitions, problems, warnings, notices } = await loadModel(config);
    const unusable = model === undefined ? [] : unusableCriteria(model);
    for (const notice of notices) console.log(notice);
    for (const warning of warnings) console.log(`Warning: ${warning}`);
    const found = [...problems.map(printProblem), ...unusable];
    for (const problem of found) console.error(problem);
    if (model === undefined || found.length > 0) {
      console.error(`${counted(found.length, 'problem')}: the service would not start.`);
      return exitCodes.found;
    }
    const parameters = [...model.types.values()].reduce((sum, type) => sum + type.parameters.size, 0);
    const views = definitions.all('ViewDefinition').length;
    const also = views === 0 ? '' : `, and ${counted(views, 'view')}`;
    console.log(
      `The definitions are valid: ${model.types.size} resource types with ${parameters} search parameters${also}.`,
    );
    return exitCodes.done;
  },
});

/** Lets the running server load its definition files again. */
export const definitionsReload = defineCommand({
  details: `The server reads the files that its own settings name, checks them as a start would, and answers new
requests by them; requests that are running end with the former definitions. If there are problems, they
are printed with file and JSON path, nothing changes, and the exit code is 3. Indexes of new parameters
are built in the background. SIGHUP to the server does the same.`,
  takes: fileSettings,
  async run({ config }) {
    return requestChange(config, { action: 'reload' });
  },
});

/** Lets the running server restore a set of definitions that it had before. */
export const definitionsRollback = defineCommand({
  positionals: '[VERSION]',
  details: `Without VERSION, the set that was in use before the current one. \`definitions history\` lists the
versions; the beginning of one is enough. Change the files too: the next reload, and a start with files
that have been changed since, serves the files.`,
  takes: fileSettings,
  async run({ config, positionals: [version, ...more] }) {
    if (more.length > 0) throw new CommandError('`definitions rollback` takes one VERSION at most.', exitCodes.usage);
    return requestChange(config, { action: 'rollback', ...(version === undefined ? {} : { version }) });
  },
});

/** Lists the sets of definitions that the store has. */
export const definitionsHistory = defineCommand({
  details: `The sets that servers have used last, five at most, with the version that /metadata shows, the time when
each came into use, and how. Writes follow the one that is marked as current.`,
  takes: fileSettings,
  async run({ config }) {
    const [{ createDefinitionSets }, { versionOf }] = await Promise.all([
      import('../store/server/definition-sets.ts'),
      import('../model/capability-statement.ts'),
    ]);
    const { sets, current } = await withDocuments(config, 'read', async store => ({
      sets: await createDefinitionSets(store).list(),
      current: (await store.check()).definitions,
    }));
    const rows = sets.map(({ digest, activated, by, types, parameters }) => [
      versionOf(digest),
      new Date(activated).toISOString(),
      by,
      String(types),
      String(parameters),
      digest === current ? 'current' : '',
    ]);
    if (rows.length === 0) console.log('The store has no sets of definitions: no server has used it yet.');
    else console.log(table(['version', 'in use since', 'by', 'types', 'parameters', ''], rows));
  },
});
