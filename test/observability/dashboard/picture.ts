// Draws src/observability/dashboard.svg: `node test/observability/dashboard/picture.ts`. A server with synthetic
// records is scraped while it answers the requests of several clients, and rejects some of them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { launch, root, run } from '../../cli/process.ts';
import { panels, title } from './dashboard.ts';
import { drawDashboard } from './draw.ts';
import { parseScrape } from './promql.ts';
import type { Scrape } from './promql.ts';

const seconds = 120;
const interval = 2_000;
/** The range of a rate, in scrapes. */
const window = 5;

/** A searchset, or an outcome. */
interface Answer {
  readonly entry?: readonly { readonly resource: { readonly id: string } }[];
}

const folder = mkdtempSync(join(tmpdir(), 'dashboard-'));
const store = ['--store', `sqlite:${join(folder, 'records.sqlite')}`];
const server = launch(['serve', '--demo', '--port', '0', '--metrics-port', '0', '--log-format', 'json', ...store]);
try {
  const [, base = ''] = await server.until(/Serves (http:\S+\/r4\/demo) /);
  const [, metrics = ''] = await server.until(/Metrics are served at (\S+)\./, 'stderr');
  const at = ['--public-url', base.replace('/r4/demo', '')];
  const token = (
    await run([
      'token',
      '--client',
      'demo-backend',
      '--partition',
      'demo',
      '--scope',
      'system/*.cruds',
      '--i-am-operator',
      ...store,
    ])
  ).stdout.trim();
  const headers = { Authorization: `Bearer ${token}` };
  const ask = async (path: string, init: { method?: string; body?: string } = {}): Promise<Answer> => {
    const type = { 'Content-Type': 'application/fhir+json' };
    const answer = await fetch(`${base}${path}`, { ...init, headers: { ...headers, ...type } });
    return (await answer.json()) as Answer;
  };
  const patients = ((await ask('/Patient?_count=50')).entry ?? []).map(({ resource }) => resource.id);
  const pick = (): string => patients[Math.floor(Math.random() * patients.length)] ?? '';
  const media = (id: string): string =>
    JSON.stringify({
      resourceType: 'Media',
      status: 'completed',
      type: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/media-type', code: 'image' }] },
      subject: { reference: `Patient/${id}` },
      content: { contentType: 'image/png', data: 'iVBORw0KGgo=', title: 'Picture' },
    });
  const paths: readonly (() => string)[] = [
    () => `/Patient/${pick()}`,
    () => `/Patient/${pick()}`,
    () => `/Observation?patient=${pick()}&_count=20`,
    () => `/Appointment?patient=${pick()}`,
    () => '/Condition?code=nothing&_count=20',
    () => `/Encounter?subject=${pick()}&_summary=count`,
    () => '/Patient/nobody',
    () => '/Patient?unknown=1',
  ];
  const end = Date.now() + seconds * 1_000;
  /** More and fewer requests in turn, as on a day. */
  const pace = (): number => 4 + 30 * (1 + Math.sin(Date.now() / 9_000));
  const client = async (): Promise<void> => {
    while (Date.now() < end) {
      await ask((paths[Math.floor(Math.random() * paths.length)] ?? (() => '/Patient'))());
      await sleep(pace());
    }
  };
  const writer = async (): Promise<void> => {
    while (Date.now() < end) {
      await ask('/Media', { method: 'POST', body: media(pick()) });
      await sleep(3 * pace());
    }
  };
  const tokens = async (): Promise<void> => {
    while (Date.now() < end) {
      const issuer = base.replace('/r4/demo', '/auth');
      const assertion = (await run(['client', 'assertion', 'demo-backend', ...store, ...at])).stdout.trim();
      for (const client_assertion of [assertion, assertion]) {
        // The second one is a replay, which is refused.
        const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
        const form = { grant_type: 'client_credentials', scope: 'system/*.rs', client_assertion_type: type };
        await fetch(`${issuer}/token`, { method: 'POST', body: new URLSearchParams({ ...form, client_assertion }) });
      }
      await sleep(2_000);
    }
  };
  const rebuild = async (): Promise<void> => {
    await sleep((seconds / 3) * 1_000);
    await run(['index', 'rebuild', '--partition', 'demo', ...store]);
  };
  const scrapes: Scrape[] = [];
  const scraper = async (): Promise<void> => {
    while (Date.now() < end) {
      scrapes.push(parseScrape(await (await fetch(metrics)).text(), Date.now()));
      await sleep(interval);
    }
  };
  await Promise.all([client(), client(), client(), writer(), tokens(), rebuild(), scraper()]);
  const image = drawDashboard(title, panels, scrapes, window);
  writeFileSync(join(root, 'src/observability/dashboard.svg'), image);
  console.log(`${scrapes.length} scrapes, ${image.length} bytes`);
} finally {
  server.process.kill('SIGTERM');
  await server.ended;
  rmSync(folder, { recursive: true, force: true });
}
