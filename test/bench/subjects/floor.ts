import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { Router } from '@koa/router';
import Koa from 'koa';
import type { Context } from 'koa';
import type { Ran, Recording } from '../protocol.ts';
import { publicUrl } from '../public-url.ts';
import { answerQuestions } from './serve.ts';

// A child process: the least that a koa app must do to answer the same from the same file. One route a path shape,
// whose handler runs the statements that the service runs for the request, in their order, and puts the stored texts
// together; it checks nothing. Arguments: the file of the store, the recording (recorder.ts), and `page` where only
// what fetches the page is to be run.

type Row = readonly (string | number | null)[];

const [file = '', recorded = '', only] = process.argv.slice(2);
const database = new DatabaseSync(file, { returnArrays: true, timeout: 30_000 });
database.exec('PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY; PRAGMA query_only = 1');
const recording = JSON.parse(readFileSync(recorded, 'utf8')) as Recording; // of recorder.ts

/** What a statement is for: the rows of the page, the texts of these rows, or anything else. */
const uses = recording.statements.map(text => {
  if (text.includes('u.text FROM json_each')) return 'texts';
  return /^(?:WITH m |SELECT\s+(?:DISTINCT\s+)?c\.id, c\.r|SELECT id, version)/.test(text) ? 'page' : 'other';
});
const prepared = recording.statements.map(text => database.prepare(text));
const requests = new Map(
  Object.entries(recording.requests).map(([path, ran]): [string, readonly Ran[]] => [
    path,
    only === 'page' ? ran.filter(([statement]) => uses[statement] !== 'other') : ran,
  ]),
);

/** Rows whose first value is the id and whose last is the text, one more than the page has. */
function find(ran: readonly Ran[]): readonly Row[] {
  let found: readonly Row[] = [];
  for (const [number, how, values] of ran) {
    const statement = prepared[number];
    if (statement === undefined) continue;
    const use = uses[number];
    if (how === 'run') statement.run(...values);
    else if (how === 'get') {
      const row = statement.get(...values) as unknown as Row | undefined; // the connection returns arrays
      if (use === 'page' && row !== undefined) found = [row];
    } else if (use === 'texts') {
      const texts = statement.all(JSON.stringify(found.map(row => row[1]))) as unknown as readonly Row[];
      found = found.map(([id], at) => [id ?? null, ...(texts[at] ?? [])]);
    } else {
      const rows = statement.all(...values) as unknown as readonly Row[];
      if (use === 'page') found = found.length === 0 ? rows : [...found, ...rows];
    }
  }
  return found;
}

const ranFor = ({ url }: Context): readonly Ran[] => requests.get(url) ?? [];
const token = 'x'.repeat(200);
const router = new Router();
router.get('/r4/:partition/:type/:id', context => {
  const [found] = find(ranFor(context));
  if (found === undefined) return;
  context.set('ETag', `W/"${found[1]}"`);
  context.set('Last-Modified', new Date(Number(found[2])).toUTCString());
  context.type = 'application/fhir+json; charset=utf-8';
  context.body = String(found.at(-1));
});
router.get('/r4/:partition/:type', context => {
  const { type = '', partition = '' } = context.params;
  const count = Number(context.query['_count'] ?? 20);
  const base = `${publicUrl}/r4/${partition}/${type}`;
  const found = find(ranFor(context));
  const entries = found
    .slice(0, count)
    .map(row => `{"fullUrl":"${base}/${row[0]}","resource":${row.at(-1)},"search":{"mode":"match"}}`);
  const next = found.length > count ? `,{"relation":"next","url":"${base}?_page_token=${token}"}` : '';
  context.type = 'application/fhir+json; charset=utf-8';
  const links = `[{"relation":"self","url":"${base}?${context.querystring}"}${next}]`;
  const list = entries.length === 0 ? '' : `,"entry":[${entries.join(',')}]`;
  context.body = `{"resourceType":"Bundle","type":"searchset","link":${links}${list}}`;
});

const app = new Koa();
app.use(router.routes());
const server = app.listen(0, '127.0.0.1', () => {
  answerQuestions((server.address() as AddressInfo).port, async () => server.closeAllConnections());
});
