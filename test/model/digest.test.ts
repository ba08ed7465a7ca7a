import { hash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { join } from 'node:path';
import { requireModel } from '../../src/engine/definitions/load-model.ts';
import type { Model } from '../../src/model/model.ts';

/** What the digest of a parameter was before `revisionOf` named any. */
const former = ({ type, expression, targets }: { type: string; expression: string; targets: readonly string[] }) =>
  hash('sha256', JSON.stringify([1, type, expression, targets, [], []])).slice(0, 32);

describe('the digest of a parameter', () => {
  let model: Model;
  beforeAll(async () => {
    ({ model } = await requireModel({ definitions: [join(import.meta.dirname, '../fixtures/searched')] }));
  });

  it.each([
    ['whose times have finer digits now', 'Observation', 'date', false],
    ['on dates and other types', 'Basic', 'seen', false],
    ['on canonicals', 'QuestionnaireResponse', 'questionnaire', false],
    ['on the URL of a definition', 'CapabilityStatement', 'url', false],
    ['on dates alone', 'Patient', 'birthdate', true],
    ['on references, some of which have no entry', 'Basic', 'subject', false],
    ['on family names of several words', 'Patient', 'family', false],
    ['on other texts', 'Patient', 'given', true],
  ])('%s is the former one or not: %s %s', (_, type, code, isFormer) => {
    const param = model.types.get(type)?.indexed.get(code);
    expect(param && param.digest === former(param)).toBe(isFormer);
  });

  it('on quantities is another one, since base units are stored', async () => {
    const capability = join(import.meta.dirname, '../fixtures/all-r4/capability');
    const all = await requireModel({ definitions: [], capability });
    const param = all.model.types.get('Observation')?.indexed.get('value-quantity');
    expect(param && param.digest === former(param)).toBe(false);
  });
});
