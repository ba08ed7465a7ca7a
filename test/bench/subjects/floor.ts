import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import type { StatementSync } from 'node:sqlite';
import { Router } from '@koa/router';
import Koa from 'koa';
import { foldString } from '../../../src/indexing/normalize.ts';
import { publicUrl } from '../public-url.ts';
import { statements } from './floor-statements.ts';
import { answerQuestions } from './serve.ts';

// A child process: the least that a koa app must do to answer the same from the same file. One route a path shape, the
// statements of each case, and the stored texts put together; it checks nothing. Argument: the file of the store.

type Row = readonly (string | number | null)[];

const [file = ''] = process.argv.slice(2);
const database = new DatabaseSync(file, { returnArrays: true, timeout: 30_000 });
database.exec('PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY; PRAGMA query_only = 1');
const prepared = new Map<string, StatementSync>(Object.values(statements).map(text => [text, database.prepare(text)]));
// The connection returns arrays, which its types do not say.
const all = (text: string, ...values: (string | number)[]): readonly Row[] =>
  prepared.get(text)?.all(...values) as unknown as readonly Row[];
const get = (text: string, ...values: (string | number)[]): Row | undefined =>
  prepared.get(text)?.get(...values) as unknown as Row | undefined;

const rows = (text: string): readonly Row[] => database.prepare(text).all() as unknown as readonly Row[];
const types = new Map(rows('SELECT type, t FROM types').map(([type, t]) => [String(type), Number(t)]));
const indexes = new Map(
  rows(`SELECT y.type || ' ' || x.code, x.p FROM parameters x JOIN types y ON y.t = x.t WHERE x.state = 'ready'`).map(
    ([name, p]) => [String(name), Number(p)],
  ),
);
const index = (name: string): number => indexes.get(name) ?? 0;

type Query = Readonly<Record<string, string | string[] | undefined>>;
const day = 86_400_000;
const one = (value: string | string[] | undefined): string => String(value);
const time = (text: string): number => Date.parse(`${text.slice(2)}T04:00:00Z`);
const owner = (id: string): string => `r${id}/Patient`;
const pair = (id: string, code: string): string => `${owner(id).length}|${owner(id)}C${code}`;

/** Rows whose first value is the id and whose last is the text, one more than the page has. */
function find(type: string, query: Query, limit: number): readonly Row[] {
  switch (type) {
    case 'Observation': {
      if (query['patient'] === undefined) {
        const term = [index('Observation category'), `C${one(query['category'])}`] as const;
        if (query['_after'] === undefined) return all(statements.byTerm, ...term, limit);
        const [ord = '', id = ''] = one(query['_after']).split(',');
        return all(statements.byTermAfter, ...term, Number(ord), id, limit);
      }
      const patient = one(query['patient']);
      if (query['category'] === undefined)
        return all(statements.byTerm, index('Observation patient'), owner(patient), limit);
      return all(
        statements.byTerm,
        index('Observation patient+category'),
        pair(patient, one(query['category'])),
        limit,
      );
    }
    case 'Condition': {
      const term = pair(one(query['patient']), one(query['clinical-status']));
      return all(statements.byTerm, index('Condition patient+clinical-status'), term, limit);
    }
    case 'Patient': {
      const family = foldString(one(query['family']));
      const end = family.slice(0, -1) + String.fromCodePoint((family.codePointAt(family.length - 1) ?? 0) + 1);
      return withTexts(all(statements.byString, index('Patient family'), family, end, limit));
    }
    case 'Encounter': {
      const term = [index('Encounter patient'), owner(one(query['patient']))] as const;
      const since = time(one(query['date']));
      return withTexts(all(statements.byTermAndDate, ...term, index('Encounter date'), '', since, limit));
    }
    case 'Appointment': {
      const [from = 0, to = 0] = [query['date'] ?? []].flat().map(time);
      const term = [index('Appointment status'), `C${one(query['status'])}`] as const;
      const early = from - 26 * (day / 24);
      const check = [from, index('Appointment date'), '', to, from] as const;
      return all(statements.byTermOfADay, ...term, early, to, 2000, ...check, limit);
    }
    default:
      return [];
  }
}

function withTexts(found: readonly Row[]): readonly Row[] {
  const texts = all(statements.texts, JSON.stringify(found.map(row => row[1])));
  return found.map(([id], at) => [id ?? null, ...(texts[at] ?? [])]);
}

const token = 'x'.repeat(200);
const router = new Router();
router.get('/r4/:partition/:type/:id', context => {
  const { type = '', id = '' } = context.params;
  const found = get(statements.read, types.get(type) ?? 0, id);
  if (found === undefined) return;
  context.set('ETag', `W/"${found[1]}"`);
  context.set('Last-Modified', new Date(Number(found[2])).toUTCString());
  context.type = 'application/fhir+json; charset=utf-8';
  context.body = String(found[3]);
});
router.get('/r4/:partition/:type', context => {
  const { type = '', partition = '' } = context.params;
  const count = Number(context.query['_count']);
  const base = `${publicUrl}/r4/${partition}/${type}`;
  const found = find(type, context.query, count + 1);
  const entries = found
    .slice(0, count)
    .map(row => `{"fullUrl":"${base}/${row[0]}","resource":${row.at(-1)},"search":{"mode":"match"}}`);
  const next = found.length > count ? `,{"relation":"next","url":"${base}?_page_token=${token}"}` : '';
  context.type = 'application/fhir+json; charset=utf-8';
  context.body = `{"resourceType":"Bundle","type":"searchset","link":[{"relation":"self","url":"${base}?${context.querystring}"}${next}]${entries.length === 0 ? '' : `,"entry":[${entries.join(',')}]`}}`;
});

const app = new Koa();
app.use(router.routes());
const server = app.listen(0, '127.0.0.1', () => {
  answerQuestions(
    (server.address() as AddressInfo).port,
    async () => server.closeAllConnections(),
    () => Object.values(statements),
  );
});
