import { describe, expect, it } from 'vitest';
import { loadModel } from '../../src/engine/definitions/load-model.ts';
import { lazyValidator } from '../../src/validation/lazy.ts';
import { warmValidator } from '../../src/validation/warm.ts';
import type { ValidateOptions, Validator } from '../../src/validation/profile/validator.ts';

const { model, definitions } = await loadModel({ definitions: [] });
if (model === undefined) throw new Error('The shipped definitions do not load.');
const { types } = model;

/** The validator, and what it was asked. */
function listening() {
  const asked: [unknown, ValidateOptions | undefined][] = [];
  const made = lazyValidator(definitions, model ?? never());
  let times = 0;
  const validator = async (): Promise<Validator> => {
    times += 1;
    const real = await made();
    return {
      ...real,
      validate: (resource, options) => {
        asked.push([resource, options]);
        return real.validate(resource, options);
      },
    };
  };
  return { validator, asked, times: () => times };
}

const never = (): never => {
  throw new Error('There is a model.');
};

describe('warming the validator', () => {
  it('holds an empty record of each type that is created against its profile', async () => {
    const { validator, asked } = listening();
    await warmValidator(validator, types.values());
    const profile = 'https://clinical-records.example/fhir/StructureDefinition/media-capture';
    expect(asked).toEqual([[{ resourceType: 'Media' }, { type: 'Media', profiles: [profile] }]]);
  });

  it('takes a type without a profile too', async () => {
    const { validator, asked } = listening();
    await warmValidator(validator, [{ name: 'Patient', profile: undefined, interactions: new Set(['create']) }]);
    expect(asked).toEqual([[{ resourceType: 'Patient' }, { type: 'Patient', profiles: [] }]]);
  });

  it('makes no validator where nothing is created', async () => {
    const { validator, times } = listening();
    const read = [...types.values()].filter(({ interactions }) => !interactions.has('create'));
    expect(read.length).toBeGreaterThan(0);
    await warmValidator(validator, read);
    expect(times()).toBe(0);
  });
});
