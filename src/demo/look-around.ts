import { grantToken } from '../auth/token/grant.ts';
import { issueToken, tokenCollection } from '../auth/token/own-tokens.ts';
import type { Engine } from '../interaction/interaction.ts';
import { demoAccountsIn } from './accounts.ts';
import { demoBackend, demoClients, demoUsers } from './clients.ts';
import { examples } from './examples.ts';
import { demoPartition, readDemoMark } from './fill.ts';

/** The caller of a token, for the audit. */
interface Caller {
  readonly address: string;
  readonly requestId: string;
}

/** Lifetime of a token, in milliseconds. */
const lifetime = 3_600_000;

/** What the token allows: to look at all records, and to change none. */
const scopes = ['system/*.rs'];

/**
 * The demonstration for visitors: queries with results, and its accounts with tokens of its backend that only read,
 * which are issued as by the command `token`. Undefined for a store that is no demonstration; without accounts if the
 * store has no such backend, or `hasAccounts` is false. `publicUrl` has no trailing slash.
 */
export async function lookAround(engine: Engine, publicUrl: string, hasAccounts: boolean) {
  const { store, model, audit, now } = engine;
  const client = demoClients.find(({ id }) => id === demoBackend);
  const mark = await readDemoMark(store);
  if (mark === undefined) return undefined;
  const shown = { partition: demoPartition, examples: examples(mark, model.types) };
  const isRegistered = hasAccounts && (await demoAccountsIn(store)).includes(demoBackend);
  if (client === undefined || !isRegistered) return { ...shown, accounts: undefined };
  return { ...shown, accounts: { users: demoUsers, token } };

  async function token({ address, requestId }: Caller): Promise<{ readonly token: string; readonly name: string }> {
    if (client === undefined) throw new Error('The demonstration has no backend');
    const partition = await store.partition(demoPartition);
    if (partition === undefined) throw new Error('The partition of the demonstration was removed');
    const place = { model, base: `${publicUrl}/r4/${demoPartition}`, zone: partition.settings.zone, now: now() };
    const who = { client: client.id, subject: undefined, fhirUser: undefined, patient: undefined };
    const grant = grantToken({ ...who, scopes, lifetime }, demoPartition, place);
    const issued = await issueToken(store.documents(tokenCollection), grant);
    audit.authorization({
      what: 'issued',
      status: 200,
      error: undefined,
      grantType: undefined,
      scope: grant.scope,
      client: client.id,
      user: undefined,
      partition: demoPartition,
      patient: undefined,
      address,
      requestId,
    });
    return { token: issued, name: client.name };
  }
}
