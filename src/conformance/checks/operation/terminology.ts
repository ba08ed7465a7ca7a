import { asObject, asString, objectsOf } from '../../../fhir/json-object.ts';
import type { JsonObject } from '../../../fhir/json-object.ts';
import type { QueryPair } from '../../../search/request.ts';
import type { TestContext } from '../../context.ts';
import type { DeclaredType } from '../../statement.ts';
import { queryOf } from '../../url.ts';
import { call } from './call.ts';

/** A value set of R4 that is small, complete, and the same everywhere. */
const gender = {
  valueSet: 'http://hl7.org/fhir/ValueSet/administrative-gender',
  system: 'http://hl7.org/fhir/administrative-gender',
  codes: ['female', 'male', 'other', 'unknown'],
};
const unknownCode = 'qzxj-no-such-code';

/** https://hl7.org/fhir/R4/valueset-operation-expand.html */
export async function checkExpand(context: TestContext, { name }: DeclaredType): Promise<void> {
  const subject = `${name}/$expand?${queryOf([['url', gender.valueSet]])}`;
  const exchange = await call(context, 'operation.expand', subject);
  if (exchange === undefined) return;
  const { contains } = asObject(exchange.json?.['expansion']);
  const shown = codesIn(contains).toSorted().join(', ');
  const wanted = gender.codes.join(', ');
  const isRight = exchange.json?.['resourceType'] === 'ValueSet' && shown === wanted;
  context.findings.decide(isRight, 'operation.expand', subject, `The codes ${shown}`, `The codes ${wanted}`, exchange);
}

/** Codes may be in a hierarchy. */
const codesIn = (contains: unknown): readonly string[] =>
  objectsOf(contains).flatMap(one => [asString(one['code']) ?? [], codesIn(one['contains'])].flat());

/** https://hl7.org/fhir/R4/codesystem-operation-lookup.html */
export async function checkLookup(context: TestContext, { name }: DeclaredType): Promise<void> {
  const pairs = [
    ['system', gender.system],
    ['code', 'female'],
  ] as const;
  const subject = `${name}/$lookup?${queryOf(pairs)}`;
  const exchange = await call(context, 'operation.lookup', subject);
  if (exchange === undefined) return;
  const missing = ['name', 'display'].filter(
    one => typeof parameterOf(exchange.json, one)?.['valueString'] !== 'string',
  );
  const came = `Parameters without ${missing.join(' and ')}`;
  const isRight = missing.length === 0;
  context.findings.decide(isRight, 'operation.lookup', subject, came, 'Parameters with name and display', exchange);
}

/** A code that is valid, and one that is not. https://hl7.org/fhir/R4/valueset-operation-validate-code.html */
async function checkValidateCode(
  context: TestContext,
  of: readonly QueryPair[],
  { name }: DeclaredType,
): Promise<void> {
  for (const [code, expected] of [
    ['female', true],
    [unknownCode, false],
  ] as const) {
    const subject = `${name}/$validate-code?${queryOf([...of, ['code', code]])}`;
    const exchange = await call(context, 'operation.validate-code', subject);
    if (exchange === undefined) return;
    const result = parameterOf(exchange.json, 'result')?.['valueBoolean'];
    const came = `result is ${String(result)}`;
    const wanted = `result is ${String(expected)}`;
    context.findings.decide(result === expected, 'operation.validate-code', subject, came, wanted, exchange);
  }
}

export const checkCodeOfValueSet = (context: TestContext, type: DeclaredType): Promise<void> => {
  const of: readonly QueryPair[] = [
    ['url', gender.valueSet],
    ['system', gender.system],
  ];
  return checkValidateCode(context, of, type);
};

/** https://hl7.org/fhir/R4/codesystem-operation-validate-code.html */
export const checkCodeOfSystem = (context: TestContext, type: DeclaredType): Promise<void> =>
  checkValidateCode(context, [['url', gender.system]], type);

const parameterOf = (parameters: JsonObject | undefined, name: string): JsonObject | undefined =>
  objectsOf(parameters?.['parameter']).find(one => one['name'] === name);
