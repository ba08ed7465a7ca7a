// https://hl7.org/fhir/R4/terminologies.html#strength, with code systems that a terminology server has
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/fhir/json-object.ts';
import { createTerminologyServer } from '../../../src/terminology/server.ts';
import type { ValidateOptions } from '../../../src/validation/profile/validator.ts';
import { terminologyServer } from '../../support/terminology-server.ts';
import type { Behaviour } from '../../support/terminology-server.ts';
import { observation, profile, validatorWith } from './support/validator.ts';

const system = 'https://example.org/elsewhere';
const valueSet = {
  resourceType: 'ValueSet',
  url: 'https://example.org/ValueSet/v',
  compose: { include: [{ system }] },
};
const bound = (strength: string): JsonObject & { readonly url: string } =>
  profile('Observation', { 'Observation.code': { binding: { strength, valueSet: valueSet.url } } });
const coded = (...codes: readonly string[]): JsonObject =>
  observation({ code: { coding: codes.map(code => ({ system, code, display: 'Ann Smith' })), text: 'Ann Smith' } });

async function world(
  behaviour: Behaviour,
  definitions: readonly (JsonObject & { readonly url: string })[],
  timeout = 5_000,
) {
  const there = await terminologyServer(behaviour);
  const validator = validatorWith(createTerminologyServer({ url: there.url, timeout }), ...definitions);
  const validate = async (resource: JsonObject, options: ValidateOptions = {}): Promise<readonly string[]> => {
    const profiles = definitions
      .filter(({ resourceType }) => resourceType === 'StructureDefinition')
      .map(({ url }) => url);
    const issues = await validator.validateWithServer(resource, { profiles, ...options });
    return issues
      .filter(({ rule }) => rule !== 'dom-6')
      .map(({ severity, code, expression }) => `${severity} ${code} ${expression}`);
  };
  return { ...there, validator, validate };
}

describe('a code of a system that is not loaded', () => {
  it.each<[string, string, readonly string[]]>([
    ['required', 'a', []],
    ['required', 'b', ['error code-invalid Observation.code']],
    ['extensible', 'a', []],
    ['extensible', 'b', ['warning code-invalid Observation.code']],
    ['preferred', 'b', []],
    ['example', 'b', []],
  ])('under a %s binding: %s gives %j', async (strength, code, issues) => {
    const { validate, received } = await world({ in: ['a'] }, [bound(strength), valueSet]);
    expect(await validate(coded(code))).toEqual(issues);
    expect(received).toHaveLength(strength === 'required' || strength === 'extensible' ? 1 : 0);
  });

  it('is enough where it is one of several that are asked for at once', async () => {
    const { validate, received } = await world({ in: ['a'] }, [bound('required'), valueSet]);
    expect(await validate(coded('b', 'a', 'b'))).toEqual([]);
    expect(new Set(received.map(({ query }) => query['code']))).toEqual(new Set(['a', 'b']));
  });

  it('is asked for alone: nothing else of the resource leaves', async () => {
    const { validate, received } = await world({ in: ['a'] }, [bound('required'), valueSet]);
    await validate({ ...coded('a'), id: 'ann-1', subject: { reference: 'Patient/ann' }, note: [{ text: 'Ann' }] });
    const [request] = received;
    expect(request?.query).toEqual({ url: valueSet.url, system, code: 'a' });
    expect(request?.all).not.toMatch(/Smith|Observation|Patient/);
  });

  it('finds the slice that it belongs to', async () => {
    const category = {
      'Observation.category': { slicing: { discriminator: [{ type: 'value', path: '$this' }], rules: 'closed' } },
      'Observation.category:mine': { min: 1, binding: { strength: 'required', valueSet: valueSet.url } },
    };
    const { validate } = await world({ in: ['a'] }, [profile('Observation', category), valueSet]);
    const of = (code: string): JsonObject => observation({ category: [{ coding: [{ system, code }] }] });
    const beside = 'information code-invalid Observation.category[0]'; // R4's own set, which is preferred
    expect(await validate(of('a'))).toEqual([beside]);
    expect((await validate(of('b'))).filter(text => text !== beside)).toEqual([
      'error structure Observation.category[0]',
      'error required Observation.category',
    ]);
  });

  it.each<[string, Behaviour]>([
    ['answers with a fault', { status: 500 }],
    ['says nothing', 'silence'],
    ['answers no JSON', { text: 'x' }],
  ])('is a warning, never an error, where the server %s', async (_title, behaviour) => {
    const { validate } = await world(behaviour, [bound('required'), valueSet], 100);
    expect(await validate(coded('a'))).toEqual(['warning transient Observation.code']);
  });

  it('is a note where the server does not know it either', async () => {
    const { validate } = await world({ status: 404 }, [bound('required'), valueSet]);
    expect(await validate(coded('a'))).toEqual(['information informational Observation.code']);
  });

  it('is asked for by no more than 200 questions, however many there are', async () => {
    const { validate, received } = await world({ in: [] }, [
      profile('Observation', { 'Observation.category': { binding: { strength: 'required', valueSet: valueSet.url } } }),
      valueSet,
    ]);
    const category = Array.from({ length: 1_000 }, (_, at) => ({ coding: [{ system, code: `c${at}` }] }));
    expect((await validate(observation({ category }))).length).toBeGreaterThan(0);
    expect(received).toHaveLength(200);
  });
});

describe('what the loaded terminology decides', () => {
  it('is decided without a promise and without a question', async () => {
    const { validator, received } = await world({ in: [] }, [bound('required'), valueSet]);
    const none = validator.validateWithServer(observation({ status: 'nonsense' }));
    expect(none).toMatchObject([{ rule: 'dom-6' }, { severity: 'error', rule: 'Observation.status binding' }]);
    expect(received).toEqual([]);
  });

  it('and what was answered already makes no promise either', async () => {
    const { validator, validate, received } = await world({ in: ['a'] }, [bound('required'), valueSet]);
    await validate(coded('a'));
    expect(validator.validateWithServer(coded('a'), { profiles: [bound('required').url] })).toBeInstanceOf(Array);
    expect(received).toHaveLength(1);
  });

  it('is that of the validator without a server', async () => {
    const { validator, received } = await world({ in: [] }, [bound('required'), valueSet]);
    const issues = validator.validate(coded('b'), { profiles: [bound('required').url] });
    expect(issues.map(({ severity }) => severity)).not.toContain('error');
    expect(received).toEqual([]);
  });
});
