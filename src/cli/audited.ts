import { commandEvent } from '../audit/command-event.ts';
import type { CommandAccess } from '../audit/command-event.ts';
import { CommandError } from './command.ts';
import type { Opened } from './open.ts';

/**
 * Runs the work of a command between two audit events: a durable one before, and one with the outcome and the details
 * that the work adds. Throws CommandError, before the work begins, if events cannot be stored.
 */
export async function audited<T>(
  { audit, publicUrl }: Pick<Opened, 'audit' | 'publicUrl'>,
  access: CommandAccess,
  work: (add: (more: Partial<CommandAccess>) => void) => Promise<T>,
): Promise<T> {
  const keep = (about: CommandAccess, outcome?: '0' | '8'): Promise<void> =>
    audit.append([commandEvent(publicUrl, Date.now(), about, outcome)]);
  try {
    await keep(access);
  } catch (error) {
    throw new CommandError('The audit log cannot be written; nothing was done', undefined, { cause: error });
  }
  let about = access;
  const add = (more: Partial<CommandAccess>): void => {
    about = { ...about, ...more, details: { ...about.details, ...more.details } };
  };
  let result: T;
  try {
    result = await work(add);
  } catch (error) {
    await keep(about, '8').catch(() => undefined); // the first error is reported
    throw error;
  }
  await keep(about, '0');
  return result;
}
