// https://hl7.org/fhir/R4/capabilitystatement.html: a server lists what it does, also where its store does less.
import { expect, it } from 'vitest';
import { offeredModel } from '../../src/engine/definitions/interface.ts';
import { objectsOf } from '../../src/fhir/json-object.ts';
import { loadOnly, statement } from '../support/definition-files.ts';

const group = { type: 'Group', interaction: [{ code: 'read' }] };
const why = 'The store cannot.';
const lacking = { lacks: [{ promise: 'several-at-once', why } as const] };

async function modelWith(...codes: readonly string[]) {
  const { model } = await loadOnly(statement([group], { interaction: codes.map(code => ({ code })) }));
  if (model === undefined) throw new Error('The definitions do not load');
  return model;
}

it('a store that cannot write several records at once has no transactions', async () => {
  const model = await modelWith('batch', 'transaction');
  const notices: string[] = [];
  const offered = offeredModel(model, lacking, text => notices.push(text));
  expect([...offered.systemInteractions]).toEqual(['batch']);
  expect(objectsOf(offered.statement['rest'])[0]).toMatchObject({ mode: 'server', interaction: [{ code: 'batch' }] });
  expect(notices).toEqual([`Transactions are declared, but not offered; batches are. ${why}`]);
  expect([...model.systemInteractions]).toContain('transaction');
});

it('nothing changes for another store, and without a declaration', async () => {
  const notices: string[] = [];
  const [both, batch] = [await modelWith('batch', 'transaction'), await modelWith('batch')];
  expect(offeredModel(both, { lacks: [] }, text => notices.push(text))).toBe(both);
  expect(offeredModel(batch, lacking, text => notices.push(text))).toBe(batch);
  expect(notices).toEqual([]);
});
