import type { ClientSession } from 'mongodb';
import type { Core } from './core.ts';
import { answeredLate } from './failures.ts';

/**
 * Does a work in a transaction, again where the server asks for it: all of it is there afterwards, or nothing. It sees one moment
 * of the store. https://www.mongodb.com/docs/manual/core/transactions/
 */
export async function inTransaction<T>(core: Core, work: (session: ClientSession) => Promise<T>): Promise<T> {
  const requireTime = answeredLate(core);
  const attempt = async (session: ClientSession): Promise<T> => {
    requireTime();
    return work(session);
  };
  return core.client.withSession(session =>
    session.withTransaction(attempt, {
      readConcern: { level: 'snapshot' },
      readPreference: 'primary',
      writeConcern: { w: 'majority', journal: true },
    }),
  );
}
