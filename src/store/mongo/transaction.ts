import type { ClientSession } from 'mongodb';
import type { Core } from './core.ts';
import { answeredLate } from './failures.ts';
import { nameSession } from './heartbeat.ts';

/**
 * Runs a work in a transaction, and retries it if the server requests that: it is atomic, and sees a snapshot of the
 * store. https://www.mongodb.com/docs/manual/core/transactions/
 */
export async function inTransaction<T>(core: Core, work: (session: ClientSession) => Promise<T>): Promise<T> {
  const requireTime = answeredLate(core);
  const attempt = async (session: ClientSession): Promise<T> => {
    requireTime();
    return work(session);
  };
  return core.client.withSession(async session => {
    await nameSession(core, session);
    return session.withTransaction(attempt, {
      readConcern: { level: 'snapshot' },
      readPreference: 'primary',
      writeConcern: { w: 'majority', journal: true },
    });
  });
}
