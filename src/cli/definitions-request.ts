import { setTimeout } from 'node:timers/promises';
import type { Config } from '../config/read.ts';
import type { DefinitionAnswer, DefinitionRequest } from '../store/server/definition-requests.ts';
import type { Store } from '../store/port/store.ts';
import { CommandError, exitCodes, type ExitCode } from './command.ts';

/** Opens a store without definitions for its documents, and closes it then. Throws StoreRefused if there is none. */
export async function withDocuments<T>(
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
export async function requestChange(config: Config, request: Omit<DefinitionRequest, 'host'>): Promise<ExitCode> {
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

interface Waiting {
  readonly isServed: () => Promise<boolean>;
  /** Whether no server has taken the request in time, and none will. */
  readonly isWithdrawn: () => Promise<boolean>;
}

async function awaitAnswer(
  read: () => Promise<DefinitionAnswer | 'waiting' | 'taken'>,
  { isServed, isWithdrawn }: Waiting,
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
