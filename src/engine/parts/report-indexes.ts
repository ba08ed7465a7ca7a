import type { IndexBacklog } from '../../observability/meters.ts';
import type { Store } from '../../store/port/store.ts';
import { pendingText } from '../definitions/definition-change.ts';
import { indexBacklog } from './observe.ts';
import type { Start } from '../start.ts';

/** How often the indexes are read, and their progress is logged, in milliseconds. */
const [pause, interval] = [1_000, 10_000];

/**
 * Returns the indexes that a store builds after a change of the definitions, and logs their progress until they are
 * complete, the definitions are no longer current, or the server ends. A store that cannot be read has none.
 */
export async function reportIndexes(
  { notice, closing }: Pick<Start, 'notice' | 'closing'>,
  store: Store,
  isCurrent: () => boolean,
): Promise<readonly IndexBacklog[]> {
  const read = (): Promise<readonly IndexBacklog[] | undefined> => indexBacklog(store).catch(() => undefined);
  const first = (await read()) ?? [];
  let logged = performance.now();
  const look = async (): Promise<void> => {
    if (closing() || !isCurrent()) return;
    const pending = await read();
    if (pending?.length === 0) {
      notice('The indexes of the new definitions are complete.');
      return;
    }
    if (pending !== undefined && performance.now() - logged >= interval) {
      for (const text of pendingText(pending)) notice(text);
      logged = performance.now();
    }
    later();
  };
  const later = (): void => void setTimeout(() => void look(), pause).unref();
  if (first.length > 0) later();
  return first;
}
