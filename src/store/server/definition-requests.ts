import { randomUUID } from 'node:crypto';
import type { Store } from '../port/store.ts';

/** What a command asks of a running server. */
export interface DefinitionRequest {
  readonly action: 'reload' | 'rollback';
  /** The beginning of the digest of the set to restore; undefined: the one before. */
  readonly version?: string;
  /** Identifies where the command runs: the files of a reload are those of a server there. */
  readonly host: string;
}

/** The answer of the server: lines for the user. */
export interface DefinitionAnswer {
  readonly kind: 'changed' | 'unchanged' | 'refused';
  readonly lines: readonly string[];
}

/** The requests of commands to servers about their definitions, by way of the store, which both have open. */
export interface DefinitionRequests {
  /** Stores a request, and returns its id. */
  ask(request: DefinitionRequest): Promise<string>;
  /** `waiting`: no server has taken it yet. */
  answer(id: string): Promise<DefinitionAnswer | 'waiting' | 'taken'>;
  /** Removes a request that no server has taken; false if one has. */
  withdraw(id: string): Promise<boolean>;
  /** Takes the next request that this process accepts; no other process takes it then. */
  take(
    accepts: (request: DefinitionRequest) => boolean,
  ): Promise<{ readonly id: string; readonly request: DefinitionRequest } | undefined>;
  reply(id: string, answer: DefinitionAnswer): Promise<void>;
}

/** How long the documents of a request are stored, in milliseconds. */
const lifetime = 600_000;

/** `now`: milliseconds since 1970 UTC. */
export function createDefinitionRequests(store: Pick<Store, 'documents'>, now: () => number): DefinitionRequests {
  const requests = store.documents('definition-requests');
  const takers = store.documents('definition-takers');
  const answers = store.documents('definition-answers');
  const own = randomUUID();
  const claim = async (id: string): Promise<boolean> =>
    (await takers.put(id, own, { expires: now() + lifetime, ifAbsent: true })) === own;
  return {
    async ask(request) {
      const id = randomUUID();
      await requests.put(id, request, { expires: now() + lifetime });
      return id;
    },
    async answer(id) {
      const answer = (await answers.get(id)) as DefinitionAnswer | undefined; // `reply` writes them
      if (answer !== undefined) return answer;
      return (await takers.get(id)) === undefined ? 'waiting' : 'taken';
    },
    async withdraw(id) {
      if (!(await claim(id))) return false;
      await requests.delete(id);
      return true;
    },
    async take(accepts) {
      for await (const { key: id, value } of requests.list()) {
        const request = value as DefinitionRequest; // `ask` writes them
        if (!accepts(request) || !(await claim(id))) continue;
        await requests.delete(id);
        return { id, request };
      }
      return undefined;
    },
    async reply(id, answer) {
      await answers.put(id, answer, { expires: now() + lifetime });
    },
  };
}
