import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import { indexStructureDefinitionBundle, validateResource } from '@medplum/core';
import type { ValidatorOptions } from '@medplum/core';
import { loadModel } from '../../../src/engine/definitions/load-model.ts';
import type { Model } from '../../../src/model/model.ts';
import { createValidator } from '../../../src/validation/profile/validator.ts';
import type { Validator } from '../../../src/validation/profile/validator.ts';
import { checkStructure } from '../../../src/validation/structure.ts';
import { median } from '../statistics.ts';
import { jsonSchemaOf } from './json-schema.ts';
import type { ValidationCase } from '../validation-cases.ts';

/** One resource against one profile: milliseconds of processor time. */
export interface ValidationRow {
  readonly name: string;
  readonly ours: number;
  /** Our structure check alone: types, required elements, unknown properties, formats. */
  readonly structure: number;
  /**
   * ajv with a JSON Schema of the type that is made of the same definitions: the structure, and nothing of the profile.
   */
  readonly ajv: number;
  /**
   * `validateResource` of @medplum/core with the same profile: structure, slices, invariants; no bindings or targets.
   */
  readonly medplum: number;
  /** The first one, with everything that is compiled for it. */
  readonly first: number;
}

const folder = dirname(createRequire(import.meta.url).resolve('hl7.fhir.r4.examples/package.json'));
// official examples
const read = (name: string): Json => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as Json;

type Json = Readonly<Record<string, unknown>>;

/** Validates official examples many times, side by side with others; the medians of the rounds. */
export async function measureValidation(
  cases: readonly ValidationCase[],
  { rounds, duration }: { readonly rounds: number; readonly duration: number },
  say: (text: string) => void,
): Promise<readonly ValidationRow[]> {
  const { model, definitions } = await loadModel({ definitions: [] });
  if (model === undefined) throw new Error('The shipped definitions do not load.');
  indexStructureDefinitionBundle(
    readdirSync(folder)
      .filter(name => /^StructureDefinition-\w+\.json$/.test(name))
      .map(name => read(name.slice(0, -5)))
      .filter(({ derivation, kind }) => derivation !== 'constraint' && kind !== 'logical') as Parameters<
      typeof indexStructureDefinitionBundle
    >[0], // as published
  );
  const validator = createValidator(definitions, model.definitions);
  return cases.map(({ name, example, profile }) => {
    say(`Validating: ${name} …`);
    const resource = read(example);
    const begin = performance.now();
    validator.validate(resource, { profiles: [profile] });
    const first = performance.now() - begin;
    const subjects = subjectsOf(resource, profile, validator, model);
    const times = subjects.map((): number[] => []);
    for (let round = 0; round <= rounds; round++)
      for (const [at, subject] of subjects.entries()) {
        const time = timeOf(subject, duration);
        if (round > 0) times[at]?.push(time); // the first one warms up
      }
    const [ours = NaN, structure = NaN, ajv = NaN, medplum = NaN] = times.map(median);
    return { name, ours, structure, ajv, medplum, first };
  });
}

function subjectsOf(resource: Json, profile: string, validator: Validator, model: Model): readonly (() => unknown)[] {
  const snapshot = model.snapshot(profile);
  if (snapshot === undefined) throw new Error(`${profile} is not loaded.`);
  const schema = new Ajv({ allErrors: true }).compile(
    jsonSchemaOf(String(resource['resourceType']), model.definitions, folder),
  );
  if (!schema(resource)) throw new Error(`ajv refuses the example: ${JSON.stringify(schema.errors?.slice(0, 3))}`);
  const structure = { ...snapshot.structure, snapshot: { element: snapshot.elements } };
  return [
    () => validator.validate(resource, { profiles: [profile] }),
    () => checkStructure(resource, { definitions: model.definitions }),
    () => schema(resource),
    () => {
      try {
        return validateResource(resource as Parameters<typeof validateResource>[0], {
          profile: structure as ValidatorOptions['profile'],
        }); // types of its own
      } catch {
        return undefined; // it throws where it finds errors
      }
    },
  ];
}

/** Milliseconds of this thread's processor time for one run, which others on the machine do not change. */
function timeOf(work: () => unknown, duration: number): number {
  const end = performance.now() + duration;
  const start = process.threadCpuUsage();
  let runs = 0;
  for (; performance.now() < end; runs++) work();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1_000 / runs;
}
