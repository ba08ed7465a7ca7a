import { asString, objectsOf, asObject } from '../fhir/json-object.ts';
import type { Answer } from './question.ts';

/**
 * What the Parameters that answer `$validate-code` say. A server that does not know the system or the ValueSet says `false`
 * too, with a word on why: that is no reason to refuse a code.
 * https://hl7.org/fhir/R4/valueset-operation-validate-code.html
 */
export function readAnswer(body: unknown): Answer {
  const parameters = objectsOf(asObject(body)['parameter']);
  const named = (name: string) => parameters.find(parameter => parameter['name'] === name);
  const result = named('result')?.['valueBoolean'];
  if (result === true) return 'in';
  if (result !== false) return 'unsure';
  if (unknownSystem.some(name => named(name) !== undefined)) return 'unsure';
  const issues = objectsOf(asObject(named('issues')?.['resource'])['issue']);
  if (issues.some(isDoubt)) return 'unsure';
  return saysDoubt(asString(named('message')?.['valueString']) ?? '') ? 'unsure' : 'out';
}

/** As the HL7 terminology servers name what they do not know. https://hl7.org/fhir/tools/terminology-ecosystem.html */
const unknownSystem = ['x-unknown-system', 'x-caused-by-unknown-system'];

function isDoubt(issue: Record<string, unknown>): boolean {
  const codes = objectsOf(asObject(issue['details'])['coding']).map(({ code }) => String(code));
  return doubts.has(String(issue['code'])) || codes.some(code => doubts.has(code));
}

const doubts: ReadonlySet<string> = new Set(['not-found', 'not-supported', 'too-costly', 'vs-invalid', 'cannot-infer']);

/** Servers without issues say it in words alone. */
const saysDoubt = (message: string): boolean =>
  /(system|value ?set)/i.test(message) &&
  /(unable to|(can ?not|can't|could not) be|is unknown|not supported)/i.test(message);
