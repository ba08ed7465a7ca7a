import { request as httpRequest } from 'node:http';
import { Session } from 'node:inspector/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { grantToken } from '../../../src/auth/token/grant.ts';
import { issueToken, tokenCollection } from '../../../src/auth/token/own-tokens.ts';
import { readConfig } from '../../../src/config/read.ts';
import { startEngine } from '../../../src/engine/engine.ts';

// A program: starts a server on the store of its argument, with the interface of all of R4, and prints as JSON which
// files of `src` each of three requests touches when the same request has been answered before.

const [store = ''] = process.argv.slice(2);
const flags = ['--port', '0', '--store', store, '--log', 'off', '--interface', 'r4', '--authorization-server', 'off'];
const running = await startEngine(readConfig(flags));
const { engine, url, port } = running;
await engine.store.partitions.add('demo', { zone: 'America/Toronto' });
const place = { model: engine.model, base: `${url}/r4/demo`, zone: 'America/Toronto', now: Date.now() };
const asked = { client: 'app', subject: undefined, fhirUser: undefined, patient: undefined, lifetime: 600_000 };
const grant = grantToken({ ...asked, scopes: ['system/*.cruds'] }, 'demo', place);
const token = await issueToken(engine.store.documents(tokenCollection), grant);

const source = fileURLToPath(new URL('../../../src/', import.meta.url));
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

const patient = { resourceType: 'Patient', gender: 'female', birthDate: '1980-02-29', name: [{ family: 'Tremblay' }] };
const created = await send('POST', 'Patient', patient);
const id: unknown = JSON.parse(created).id;
if (typeof id !== 'string') throw new Error(created);

// The server compiles what checks records when it is idle.
for (let seconds = 0; seconds < 20; seconds++) {
  await sleep(1_000);
  await filesSince();
  await sleep(200);
  if (!(await filesSince()).some(file => file.startsWith('validation/'))) break;
}

console.log(
  JSON.stringify({
    read: await touched('GET', `Patient/${id}`),
    search: await touched('GET', 'Patient?name=trem&birthdate=ge1980&gender=female'),
    create: await touched('POST', 'Patient', patient),
  }),
);
session.disconnect();
await running.close();

/**
 * The files, relative to `src`, of which a function runs from a request to its answer, each time of five: timers of
 * the server run now and then.
 */
async function touched(method: string, path: string, body?: object): Promise<readonly string[]> {
  for (let times = 0; times < 20; times++) await send(method, path, body);
  const samples: (readonly string[])[] = [];
  while (samples.length < 5) {
    await sleep(100); // what follows answers is done
    await filesSince(); // sets the counts to zero
    await send(method, path, body);
    samples.push(await filesSince());
  }
  const [first = [], ...others] = samples;
  return first.filter(file => others.every(sample => sample.includes(file)));
}

/** The files of which a function has run since this was called before. */
async function filesSince(): Promise<readonly string[]> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const called = result.filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0));
  const files = called.filter(one => one.url.startsWith('file:')).map(one => fileURLToPath(one.url));
  return files.flatMap(file => (file.startsWith(source) ? [file.slice(source.length)] : [])).sort();
}

function send(method: string, path: string, body?: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/fhir+json' };
    const request = httpRequest({ port, path: `/r4/demo/${path}`, method, headers }, response => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () =>
        response.statusCode === 200 || response.statusCode === 201 ? resolve(text) : reject(new Error(text)),
      );
    });
    request.on('error', reject).end(body && JSON.stringify(body));
  });
}
