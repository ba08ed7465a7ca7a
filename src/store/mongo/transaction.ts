import type { ClientSession } from 'mongodb';
import type { Core } from './core.ts';

/**
 * Does a work in a transaction, again where the server asks for it: all of it is there afterwards, or nothing. It sees one moment
 * of the store. https://www.mongodb.com/docs/manual/core/transactions/
 */
export async function inTransaction<T>(core: Core, work: (session: ClientSession) => Promise<T>): Promise<T> {
  return core.client.withSession(session =>
    session.withTransaction(() => work(session), {
      readConcern: { level: 'snapshot' },
      readPreference: 'primary',
      writeConcern: { w: 'majority', journal: true },
    }),
  );
}
