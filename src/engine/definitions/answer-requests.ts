import { createDefinitionRequests } from '../../store/server/definition-requests.ts';
import type { DefinitionRequest } from '../../store/server/definition-requests.ts';
import { host } from '../../store/server/host.ts';
import { parseStoreUrl } from '../../store/url.ts';
import type { Store } from '../../store/port/store.ts';
import { describeChange } from './definition-change.ts';
import type { LiveDefinitions } from './live-definitions.ts';
import type { Start } from '../start.ts';

/** How often a server reads the requests of commands, in milliseconds: an embedded file costs some microseconds. */
const pauses = { sqlite: 200, mongodb: 1_000 };

/**
 * Carries out the requests of commands that change the definitions, and follows the definitions that other servers
 * bring to a shared store. Ends with the server. Failures of the store are repeated silently: requests report them.
 */
export function answerRequests({ config, now, opened }: Start, store: Store, live: LiveDefinitions): void {
  const requests = createDefinitionRequests(store, now);
  const kind = parseStoreUrl(config.store)?.kind ?? 'sqlite';
  const accepts = ({ action, host: from }: DefinitionRequest): boolean =>
    kind === 'sqlite' || action === 'rollback' || from === host;
  const step = async (): Promise<void> => {
    if (kind === 'mongodb') await live.follow();
    const taken = await requests.take(accepts);
    if (taken === undefined) return;
    const { id, request } = taken;
    const change = await (request.action === 'reload' ? live.reload() : live.rollback(request.version));
    await requests.reply(id, { kind: change.kind, lines: describeChange(change) });
  };
  let ended = false;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  const rest = (): void => {
    if (ended) return;
    timer = setTimeout(() => {
      running = step()
        .catch(() => {})
        .then(rest);
    }, pauses[kind]).unref();
  };
  rest();
  opened(() => {
    ended = true;
    clearTimeout(timer);
    return running;
  });
}
