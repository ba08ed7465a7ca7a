import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { contentOf, openTarget } from './support/target.ts';

const child = fileURLToPath(new URL('support/load-child.ts', import.meta.url));

/** Lines of patients and their observations; some of them are wrong. */
const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => {
    if (index % 1000 === 999) return `{"resourceType":"Patient","id":"wrong${index}","nonsense":true}`;
    const subject = `,"subject":{"reference":"Patient/p${index - (index % 10)}"}`;
    return index % 10 === 0
      ? `{"resourceType":"Patient","id":"p${index}"}`
      : `{"resourceType":"Observation","id":"o${index}","status":"final","code":{"text":"x"}${subject}}`;
  }).join('\n');

/**
 * Runs a load in a process of its own and kills it when it has created so many; true where it was killed before its
 * end.
 */
async function killedLoad(folder: string, paths: readonly string[], after: number): Promise<boolean> {
  const loading = spawn(process.execPath, [child, folder, ...paths], { stdio: ['pipe', 'pipe', 'inherit'] });
  loading.stdin.on('error', () => {}); // it has ended
  loading.stdout.on('data', (text: Buffer) => {
    if (Number(text.toString().trim().split('\n').at(-1)) >= after) loading.kill('SIGKILL');
    else loading.stdin.write('\n');
  });
  await once(loading, 'exit');
  return loading.signalCode === 'SIGKILL';
}

it('a load that was killed continues, and ends as if nothing had happened', { timeout: 180_000 }, async () => {
  const whole = await openTarget();
  const first = lines(4_000);
  const second = `{"resourceType":"Bundle","type":"collection","entry":[${lines(12_000)
    .split('\n')
    .slice(4_000)
    .map(line => `{"resource":${line}}`)
    .join(',')}]}`;
  await whole.load([whole.file('a.ndjson', first), whole.file('b.json', second)]);
  const expected = await contentOf(whole.partition, whole.model.types.keys());
  expect(expected).toHaveLength(12_000 - 12);
  await whole.close();

  const target = await openTarget();
  const paths = [target.file('a.ndjson', first), target.file('b.json', second)];
  await target.store.close();
  for (const after of [1_500, 3_000]) expect(await killedLoad(target.folder, paths, after)).toBe(true);

  const again = await openTarget(target.folder);
  const result = await again.load(paths);
  // `resumed` may be 0: the last kill may have been between the two files.
  expect(result.records).toBeLessThan(12_000);
  expect(result.records + result.resumed).toBeGreaterThanOrEqual(8_000);
  expect(await contentOf(again.partition, again.model.types.keys())).toEqual(expected);
  // What was rejected before the kill is still in the file.
  expect(new Set(again.rejects().map(({ record }) => record)).size).toBe(12);

  const third = await again.load(paths);
  expect(third).toMatchObject({
    resumed: 0,
    records: 12_000,
    created: 0,
    updated: 0,
    unchanged: 12_000 - 12,
    rejected: 12,
  });
  await again.close();
});
