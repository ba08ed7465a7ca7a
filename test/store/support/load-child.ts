// Loads batches until it is killed, and says on stdout how many are acknowledged; or only serves, with changed
// definitions, so that it rebuilds.
import { flushCompileCache } from 'node:module';
import { setTimeout } from 'node:timers/promises';
import * as t from './fixture.ts';
import { say } from '../../support/say.ts';

const [url = '', what = '', from = '0'] = process.argv.slice(2);
const changed = t.modelOf([t.owner, { ...t.code, digest: `changed ${from}` }, t.name, t.date], `changed ${from}`);
const { demo } = await t.openDemo(url, what === 'rebuild' ? { model: changed } : {});
flushCompileCache(); // it will be killed
say('ready');
if (what !== 'load') await setTimeout(60_000);
for (let batch = Number(from); ; batch += 1) {
  await demo.write(t.batch(batch), { unit: 'each', mark: { key: 'load', value: String(batch) } });
  say(`done ${batch}`);
}
