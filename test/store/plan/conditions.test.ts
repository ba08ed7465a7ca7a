// Each declared parameter in each of its forms: an index of MongoDB finds its matches, wherever an index can. What the
// server does with each shape of them is in store/mongo/plans.
import { describe, expect, it } from 'vitest';
import { isNone, partsOf } from '../../../src/store/plan/clause.ts';
import { lower } from '../../../src/store/plan/lower.ts';
import { conditionOf } from '../../../src/store/mongo/filter.ts';
import { indexesOf } from '../../../src/store/mongo/lower.ts';
import { eachForm, oneOf, someTypes } from '../support/each-form.ts';
import { modelOfR4, shippedModel } from '../support/shipped.ts';

describe.each([
  ['of the shipped capability', shippedModel, 1],
  ['of all of R4', modelOfR4, oneOf],
])('the parameters %s', (_, load, every) => {
  it('have an index of MongoDB in each form that an index can serve, and none for a complement', async () => {
    const model = await load();
    const [bad, complements] = [[] as string[], new Set<string>()];
    for (const { type, param, form, query } of eachForm(model, someTypes(model, every))) {
      const indexes = indexesOf(type, 'p', new Set(type.indexed.keys()));
      const clause = lower(query, indexes);
      const by = partsOf(clause).map(part => conditionOf(part, 'p').by);
      // An id has no system.
      const isUnserved = isNone(clause) ? param.code !== '_id' : by.includes('none');
      if (form.by === 'index' && isUnserved) bad.push(`${type.name}?${form.name}=${form.value}`);
      if (form.by === undefined && by.includes('none')) complements.add(form.name.split(':')[1] ?? '');
    }
    expect(bad).toEqual([]);
    expect([...complements]).toEqual(expect.arrayContaining(['missing', 'not']));
  });
});
