import { commandEvent } from '../audit/command-event.ts';
import type { CommandAccess } from '../audit/command-event.ts';
import type { Store } from '../store/store.ts';
import { CommandError } from './command.ts';
import type { Opened } from './open.ts';

/**
 * Does the work of a command between two events of it: one that is durable before, and one that tells how it ended, with what
 * the work adds to it. Throws CommandError, before anything is done, where events cannot be kept.
 */
export async function accounted<T>(
  { store, publicUrl }: Pick<Opened, 'publicUrl'> & { readonly store: Pick<Store, 'audit'> },
  access: CommandAccess,
  work: (add: (more: Partial<CommandAccess>) => void) => Promise<T>,
): Promise<T> {
  const keep = (about: CommandAccess, outcome?: '0' | '8'): Promise<void> =>
    store.audit.append([commandEvent(publicUrl, Date.now(), about, outcome)]);
  try {
    await keep(access);
  } catch (error) {
    throw new CommandError('The audit log cannot be written, so that nothing was done', undefined, { cause: error });
  }
  let about = access;
  const add = (more: Partial<CommandAccess>): void => {
    about = { ...about, ...more, details: { ...about.details, ...more.details } };
  };
  let result: T;
  try {
    result = await work(add);
  } catch (error) {
    await keep(about, '8').catch(() => undefined); // what went wrong first is what is told
    throw error;
  }
  await keep(about, '0');
  return result;
}
