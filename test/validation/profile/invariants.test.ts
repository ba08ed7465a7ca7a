import { compile } from 'fhirpath';
import r4 from 'fhirpath/fhir-context/r4';
import { describe, expect, it } from 'vitest';
import { asObject, objectsOf } from '../../../src/fhir/json-object.ts';
import type { JsonObject } from '../../../src/fhir/json-object.ts';
import { readTypeDefinitions } from '../../../src/model/type-definitions.ts';
import { compileTree } from '../../../src/fhirpath/evaluate/compile.ts';
import { Budget } from '../../../src/fhirpath/evaluate/environment.ts';
import { parseExpression } from '../../../src/fhirpath/parse.ts';
import { plain } from '../../../src/fhirpath/evaluate/item.ts';
import { fastRules } from '../../../src/validation/profile/fast-rules.ts';
import type { Walk } from '../../../src/validation/profile/walk.ts';
import { environmentOn, nodeOf } from '../../fhirpath/evaluating.ts';
import { asOfType } from '../../../src/fhirpath/extract/delegated.ts';
import { exampleNames, readExample } from './support/examples.ts';
import { against, observation, patient, problems, profile, url, validatorOf } from './support/validator.ts';

// Invariants: https://hl7.org/fhir/R4/conformance-rules.html#constraints, and the FHIRPath that they are written in

const types = readTypeDefinitions();

/** What an expression yields on a resource, as plain values. */
function evaluate(expression: string, resource: JsonObject): readonly unknown[] {
  const node = nodeOf(resource, types);
  return compileTree(
    parseExpression(expression),
    expression,
    types,
  )([node], environmentOn(node, types)).map(item => {
    const value = plain(item);
    return typeof value === 'object' ? ('text' in value ? value.text : value.value) : value;
  });
}

const bundle = (entry: JsonObject): JsonObject => ({
  resourceType: 'Bundle',
  type: 'transaction',
  entry: [{ resource: observation(), ...entry }],
});

// https://hl7.org/fhir/R5/datatypes.html#Period: per-1 by boundaries
describe('dates in an order', () => {
  const validator = validatorOf();
  const broken = (resource: JsonObject, key: string): boolean =>
    problems(validator, resource).some(text => text.includes(` ${key} `));

  it.each<[from: string, to: string, holds: boolean]>([
    ['2015', '2015-06-30', true],
    ['2015-06-30', '2015', true],
    ['2015-06', '2015-06-30T10:00:00Z', true],
    ['2015-06-30T10:00:00Z', '2015-06-30', true],
    ['2015-06-30', '2015-06-30T01:00:00+05:00', true],
    ['2015-06-30T23:30:00-05:00', '2015-06-30', true],
    ['2015-06-30', '2015-06-30', true],
    ['2015-06-30T10:00:00Z', '2015-06-30T12:00:00+02:00', true],
    ['2015-06-30T10:00Z', '2015-06-30T10:00:00Z', true],
    ['2015-07', '2015-06-30', false],
    ['2016', '2015-06-30', false],
    ['2015-07-01', '2015-06-30', false],
    ['2015-07-02', '2015-06-30T10:00:00Z', false],
    ['2015-06-30T10:00:01Z', '2015-06-30T12:00:00+02:00', false],
  ])('%s and %s: %s', (from, to, holds) => {
    expect(broken(patient({ name: [{ text: 'A', period: { start: from, end: to } }] }), 'per-1')).toBe(!holds);
    const task = { resourceType: 'Task', status: 'draft', intent: 'plan', authoredOn: from, lastModified: to };
    expect(broken(task, 'inv-1')).toBe(!holds);
    const dispense = {
      resourceType: 'MedicationDispense',
      status: 'completed',
      medicationCodeableConcept: { text: 'x' },
      whenPrepared: from,
      whenHandedOver: to,
    };
    expect(broken(dispense, 'mdd-1')).toBe(!holds);
  });

  it('takes one date, and none', () => {
    for (const period of [
      { start: '2015' },
      { end: '2015' },
      { _start: { extension: [{ url: 'u', valueCode: 'x' }] } },
    ])
      expect(broken(patient({ name: [{ text: 'A', period }] }), 'per-1')).toBe(false);
  });
});

describe('FHIRPath', () => {
  const resource = patient({
    birthDate: '2020-05',
    _birthDate: { extension: [{ url: 'urn:x', valueInteger: 7 }] },
    multipleBirthInteger: 2,
    name: [
      { use: 'official', family: 'Ang', given: ['A', 'B'], period: { start: '2020-01-01', end: '2021' } },
      { use: 'usual', given: ['A'] },
    ],
    contact: [{ name: { family: 'Cee' } }],
  });

  it.each<[expression: string, expected: readonly unknown[]]>([
    ['name.given', ['A', 'B', 'A']],
    ['Patient.name.family', ['Ang']],
    ['Observation.code', []],
    ['name.given.distinct()', ['A', 'B']],
    ['name.given.isDistinct()', [false]],
    ["name.where(use = 'usual').given", ['A']],
    ['name[0].given[1]', ['B']],
    ['name.given.first() | name.given.last()', ['A']],
    ['name.given.skip(1).take(1)', ['B']],
    ['name.given.tail().count()', [2]],
    ['name.select(given.count())', [2, 1]],
    ['name.all(given.exists())', [true]],
    ['name.all(family.exists())', [false]],
    ["name.given contains 'B'", [true]],
    ["'C' in name.given", [false]],
    ['name.family & name.missing', ['Ang']],
    ['name.count() + 1', [3]],
    ['7 div 2 + 7 mod 2', [4]],
    ['-multipleBirth', [-2]],
    ['multipleBirth is integer', [true]],
    ['multipleBirth is dateTime', [false]],
    ['multipleBirth.ofType(integer)', [2]],
    ["birthDate.extension('urn:x').value", [7]],
    ['birthDate < @2021', [true]],
    ['birthDate < @2020-06', [true]],
    ['birthDate < @2020-05-03', []],
    ['name[0].period.start <= name[0].period.end', [true]],
    ['{} = 1', []],
    ['({} = 1) or true', [true]],
    ['({} = 1) and false', [false]],
    ['({} = 1) implies true', [true]],
    ['false implies ({} = 1)', [true]],
    ['true xor false', [true]],
    ["iif(name.exists(), 'yes', 'no')", ['yes']],
    ["name.family.startsWith('A') and name.family.endsWith('g')", [true]],
    ["name.family.matches('^A.g$')", [true]],
    ["name.family.replaceMatches('[a-z]', '-')", ['A--']],
    ['name.family.substring(1, 1)', ['n']],
    ['name.family.length()', [3]],
    ["'12'.toInteger() + 1", [13]],
    ["'x'.toInteger()", []],
    ['name.given.select($index)', [0, 1, 2]],
    ['name.select($index)', [0, 1]],
    ['(1 | 2 | 3).aggregate($this + $total, 0)', [6]],
    ["name.given.exclude('A')", ['B']],
    ["name.given.intersect('A')", ['A']],
    ['%resource.contact.name.family', ['Cee']],
    ['descendants().where($this is HumanName).count()', [3]],
    ['repeat(name).count()', [2]],
  ])('%s', (expression, expected) => {
    expect(evaluate(expression, resource)).toEqual(expected);
  });
});

/** Rules that fhirpath.js does not take as R4 writes them: `as` on several values, functions that it lacks. */
const beyond = new Set(['dom-3', 'txt-1', 'txt-2', 'ref-1', 'ctm-1']);

describe('the invariants of R4 on its own examples', () => {
  const names = exampleNames.filter(
    name =>
      !/^(ValueSet|CodeSystem|SearchParameter|StructureDefinition|OperationDefinition|Bundle|ConceptMap|ImplementationGuide)-/.test(
        name,
      ),
  );
  const byType = Map.groupBy(names, name => name.slice(0, name.indexOf('-')));
  const rulesOf = (type: string): readonly JsonObject[] => {
    const root = objectsOf(asObject(readExample(`StructureDefinition-${type}`)['snapshot'])['element'])[0];
    return objectsOf(root?.['constraint']).filter(
      ({ key, expression }) => typeof expression === 'string' && !beyond.has(String(key)),
    );
  };

  it('decide as fhirpath.js does', () => {
    const different: string[] = [];
    let compared = 0;
    for (const [type, all] of byType) {
      if (!types.resourceTypes.has(type)) continue;
      for (const { key, expression } of rulesOf(type)) {
        const judge = compile(String(expression), r4);
        for (const name of all.slice(0, 5)) {
          const resource = readExample(name);
          const theirs = judge(resource, { resource }) as readonly unknown[]; // untyped there
          const ours = evaluate(String(expression), resource);
          compared++;
          if (JSON.stringify(theirs) !== JSON.stringify(ours))
            different.push(`${name} ${String(key)}: ${JSON.stringify(theirs)} and ${JSON.stringify(ours)}`);
        }
      }
    }
    expect(compared).toBeGreaterThan(500);
    expect(different).toEqual([]);
  }, 60_000);
});

describe('rules that are decided without FHIRPath', () => {
  const constraints = objectsOf(
    objectsOf(asObject(readExample('StructureDefinition-DomainResource')['snapshot'])['element'])[0]?.['constraint'],
  );
  const decided = constraints.filter(({ key }) => /^dom-[2345]$/.test(String(key)));
  const rest = { status: 'final', code: { text: 'x' } };
  const inner = (more: JsonObject = {}): JsonObject => ({ resourceType: 'Observation', id: 'a', ...rest, ...more });
  const made = [
    observation({ contained: [inner()] }),
    observation({ contained: [inner()], hasMember: [{ reference: '#a' }] }),
    observation({ contained: [inner({ hasMember: [{ reference: '#' }] })] }),
    observation({ contained: [inner({ contained: [inner()] })], hasMember: [{ reference: '#a' }] }),
    observation({ contained: [inner({ meta: { versionId: '1' } })] }),
    observation({ contained: [inner({ meta: { lastUpdated: '2024-01-01T00:00:00Z' } })] }),
    observation({ contained: [inner({ meta: { security: [{ code: 'x' }] } })] }),
    observation({ contained: [inner(), inner({ id: 'b', hasMember: [{ reference: '#a' }] })] }),
    observation({ contained: [inner()], extension: [{ url: 'urn:x', valueCanonical: '#a' }] }),
    observation({ contained: [inner()], note: [{ text: '#a' }] }),
  ];
  const examples = exampleNames
    .filter(
      name => !/^(ValueSet|CodeSystem|SearchParameter|StructureDefinition|Bundle|ImplementationGuide)-/.test(name),
    )
    .map(readExample)
    .filter(({ contained }) => contained !== undefined);

  it.each(decided.map(({ key, expression }) => [String(key), String(expression)] as const))(
    '%s says what its expression says',
    (key, expression) => {
      const fast = fastRules.get(`${key} ${expression}`);
      const results = [...made, ...examples].map(resource => {
        const node = nodeOf(resource, types);
        // all that the rules read
        const walk = { rulebook: { types }, budget: new Budget(10_000_000) } as unknown as Walk;
        // R4 writes `as` for `ofType` here.
        const theirs = compile(asOfType(expression), r4, { traceFn: () => {} })(resource, { resource }) as unknown[];
        return [theirs[0] === true, fast?.(node, walk)];
      });
      expect(results.filter(([slow, quick]) => slow !== quick)).toEqual([]);
      expect(new Set(results.map(([slow]) => slow)).size).toBe(2);
    },
  );
});

describe('invariants', () => {
  const rule = (expression: string, severity = 'error') =>
    profile('Observation', {
      'Observation.code': { constraint: [{ key: 'x-1', severity, human: 'Be good', expression }] },
    });

  it.each<[title: string, expression: string, good: JsonObject, bad: JsonObject]>([
    ['of their element', 'coding.exists()', { code: { coding: [{ code: 'x' }] } }, {}],
    ['that look at the resource', "%resource.status = 'final'", {}, { status: 'amended' }],
  ])('%s', (_title, expression, good, bad) => {
    expect(against(rule(expression), observation(good))).toEqual([]);
    expect(against(rule(expression), observation(bad))).toEqual(['error x-1 at Observation.code']);
    expect(against(rule(expression, 'warning'), observation(bad))).toEqual(['warning x-1 at Observation.code']);
  });

  it.each([
    ['not implemented anywhere', 'coding.elementDefinition()'],
    ['about a target that is not available', '%resource.subject.resolve().active'],
    ['about several values where one is meant', '%resource.category is Coding'],
    ['with invalid FHIRPath', 'coding..code'],
    ['about an element that does not exist', 'coding.nmae.exists()'],
    ['with a function that does not exist', 'coding.exist()'],
    ['with texts added to numbers', "'a' - 1 > 2"],
  ])('are reported as not checked: %s', (_title, expression) => {
    const resource = observation({ subject: { reference: 'Patient/1' }, category: [{ text: 'a' }, { text: 'b' }] });
    const found = validatorOf(rule(expression)).validate(resource, { profiles: [rule(expression).url] });
    expect(found.filter(({ severity, rule: by }) => severity !== 'information' && by !== 'dom-6')).toEqual([]);
    expect(found.map(({ text }) => text)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^The rule x-1 was not checked: .+\.$/)]),
    );
  });

  it('that fhirpath.js decides make a promise of it, and no others do', async () => {
    const [own, delegated] = [rule('text.exists()'), rule("text.join('') = 'x'")];
    const validator = validatorOf(own, { ...delegated, url: url('delegated') });
    const errors = async (text: string, ...profiles: readonly string[]): Promise<readonly unknown[]> => {
      const found = validator.validateWithServer(observation({ code: { text } }), { profiles });
      expect(found instanceof Promise).toBe(profiles.includes(url('delegated')));
      return (await found).filter(({ severity }) => severity === 'error').map(({ rule: by }) => by);
    };
    expect(await errors('x', own.url)).toEqual([]);
    expect(await errors('x', own.url, url('delegated'))).toEqual([]);
    expect(await errors('y', own.url, url('delegated'))).toEqual(['x-1']);
  });

  it('of a choice are about all of its types', () => {
    const definition = profile('Observation', {
      'Observation.value[x]': {
        constraint: [{ key: 'x-1', severity: 'error', human: 'x', expression: "unit.empty() or unit = 'g'" }],
      },
    });
    const found = validatorOf(definition).validate(observation({ valueString: 'x' }), { profiles: [definition.url] });
    expect(found.map(({ rule: by }) => by)).toEqual(['dom-6']);
  });

  it('that yield nothing are not held', () => {
    expect(against(rule('coding.code.first().length() > 1'), observation())).toEqual(['error x-1 at Observation.code']);
  });

  it.each<[title: string, expression: string, good: JsonObject, bad: JsonObject]>([
    [
      'exact decimals',
      '0.1 + 0.2 = 0.3 and (%resource.value as Quantity).value + 0.2 = 0.3',
      { valueQuantity: { value: 0.1 } },
      { valueQuantity: { value: 0.10000001 } },
    ],
    [
      'dates with quantities of time',
      '(%resource.effective as dateTime) + 18 years <= @2020-06-01T00:00:00Z',
      { effectiveDateTime: '2000-01-01T00:00:00Z' },
      { effectiveDateTime: '2019-01-01T00:00:00Z' },
    ],
    [
      'quantities with units',
      "(%resource.value as Quantity) <= 10 'kg'",
      { valueQuantity: { value: 9000, unit: 'g', system: 'http://unitsofmeasure.org', code: 'g' } },
      { valueQuantity: { value: 20_000, unit: 'g', system: 'http://unitsofmeasure.org', code: 'g' } },
    ],
    [
      'the current date',
      '(%resource.effective as dateTime) < today()',
      { effectiveDateTime: '2000-01-01' },
      { effectiveDateTime: '2999-01-01' },
    ],
    ['a type by its name', "%resource.value.type().name = 'string'", { valueString: 'a' }, { valueInteger: 1 }],
    [
      '$this in iif',
      "coding.all(iif($this.code = 'x', true, false))",
      { code: { coding: [{ code: 'x' }] } },
      { code: { coding: [{ code: 'y' }] } },
    ],
    [
      'texts that are joined',
      "coding.code.join('-') = 'a-b'",
      { code: { coding: [{ code: 'a' }, { code: 'b' }] } },
      { code: { coding: [{ code: 'a' }] } },
    ],
    ['texts as quantities', "text.toQuantity() > 4 'mg'", { code: { text: "5 'mg'" } }, { code: { text: "3 'mg'" } }],
  ])('mean what the standard says of %s', (_title, expression, good, bad) => {
    const rest = { effectiveDateTime: '2000-01-01' };
    const resource = (more: JsonObject): JsonObject => {
      const { effectiveDateTime: _, ...without } = observation(rest);
      return { ...without, effectiveDateTime: '2000-01-01', ...more };
    };
    expect(against(rule(expression), resource(good))).toEqual([]);
    expect(against(rule(expression), resource(bad))).toEqual(['error x-1 at Observation.code']);
  });

  it.each<[key: string, good: JsonObject, bad: JsonObject, place: string]>([
    [
      'bdl-8',
      bundle({ request: { method: 'POST', url: 'Observation' } }),
      bundle({
        request: { method: 'POST', url: 'Observation' },
        fullUrl: 'https://x.example/Observation/1/_history/2',
      }),
      'Bundle.entry[0]',
    ],
    [
      'ras-2',
      {
        resourceType: 'RiskAssessment',
        status: 'final',
        subject: { display: 'x' },
        prediction: [{ outcome: { text: 'x' } }],
      },
      {
        resourceType: 'RiskAssessment',
        status: 'final',
        subject: { display: 'x' },
        prediction: [{ probabilityDecimal: 101 }],
      },
      'RiskAssessment.prediction[0]',
    ],
  ])('of R4 are corrected where they yield nothing for good records: %s', (key, good, bad, place) => {
    const errors = (resource: JsonObject): readonly string[] =>
      problems(validatorOf(), resource).filter(problem => problem.startsWith('error'));
    expect(errors(good)).toEqual([]);
    expect(errors(bad)).toContain(`error ${key} at ${place}`);
  });

  it('of R4 are held against every resource', () => {
    const validator = validatorOf();
    const range = (low: number, high: number): JsonObject => ({ low: { value: low }, high: { value: high } });
    expect(problems(validator, observation({ valueRange: range(1, 2) }))).toEqual([]);
    expect(problems(validator, observation({ valueRange: range(2, 1) }))).toEqual(['error rng-2 at Observation.value']);
    expect(problems(validator, observation({ valueString: 'x', dataAbsentReason: { text: 'x' } }))).toEqual([
      'error obs-6 at Observation',
    ]);
    expect(problems(validator, patient({ contact: [{ gender: 'male' }] }))).toEqual([
      'error pat-1 at Patient.contact[0]',
    ]);
    expect(problems(validator, patient({ maritalStatus: { id: 'a' } }))).toEqual([
      'error ele-1 at Patient.maritalStatus',
    ]);
  });
});
