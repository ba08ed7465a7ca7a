import { grantToken } from '../auth/token/grant.ts';
import { issueToken, tokenCollection } from '../auth/token/own-tokens.ts';
import type { Engine } from '../interaction/interaction.ts';
import { demoAccountsIn } from './accounts.ts';
import { demoBackend, demoClients, demoUsers, scopesOf } from './clients.ts';
import { examples } from './examples.ts';
import { demoPartition, readDemoMark } from './fill.ts';

/** The caller of a token, for the audit. */
interface Caller {
  readonly address: string;
  readonly requestId: string;
}

/** Lifetime of a token, in milliseconds. */
const lifetime = 3_600_000;

/**
 * The demonstration for visitors: its accounts, queries with results, and tokens of its backend, which are issued as by
 * the command `token`. Undefined for a store that is no demonstration, or has no such backend. `publicUrl` has no
 * trailing slash.
 */
export async function lookAround(engine: Engine, publicUrl: string) {
  const { store, model, audit, now } = engine;
  const client = demoClients.find(({ id }) => id === demoBackend);
  const mark = await readDemoMark(store);
  if (client === undefined || mark === undefined) return undefined;
  if (!(await demoAccountsIn(store)).includes(demoBackend)) return undefined;
  const listed = [...model.types.values()].flatMap(({ smartScopes }) => smartScopes);
  const scopes = [...new Set(scopesOf(client, listed, undefined))];
  return {
    partition: demoPartition,
    examples: examples(mark, model.types),
    users: demoUsers,
    async token({ address, requestId }: Caller) {
      const partition = await store.partition(demoPartition);
      if (partition === undefined) throw new Error('The partition of the demonstration was removed');
      const place = { model, base: `${publicUrl}/r4/${demoPartition}`, zone: partition.settings.zone, now: now() };
      const asked = {
        client: client.id,
        subject: undefined,
        fhirUser: undefined,
        patient: undefined,
        scopes,
        lifetime,
      };
      const grant = grantToken(asked, demoPartition, place);
      const token = await issueToken(store.documents(tokenCollection), grant);
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
      return { token, name: client.name };
    },
  };
}
