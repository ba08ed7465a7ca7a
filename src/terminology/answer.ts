import { asString, objectsOf, asObject } from '../fhir/json-object.ts';
import type { Answer } from './question.ts';

/**
 * The answer in the Parameters of `$validate-code`. A server that does not know the system or the ValueSet returns
 * `false` with an issue: that is no reason to reject a code.
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
  return mentionsDoubt(asString(named('message')?.['valueString']) ?? '') ? 'unsure' : 'out';
}

/**
 * Issue codes of the HL7 terminology servers for unknown systems. https://hl7.org/fhir/tools/terminology-ecosystem.html
 */
const unknownSystem = ['x-unknown-system', 'x-caused-by-unknown-system'];

function isDoubt(issue: Record<string, unknown>): boolean {
  const codes = objectsOf(asObject(issue['details'])['coding']).map(({ code }) => String(code));
  return doubts.has(String(issue['code'])) || codes.some(code => doubts.has(code));
}

const doubts: ReadonlySet<string> = new Set(['not-found', 'not-supported', 'too-costly', 'vs-invalid', 'cannot-infer']);

/** Servers without issues only have a message. */
const mentionsDoubt = (message: string): boolean =>
  /(system|value ?set)/i.test(message) &&
  /(unable to|(can ?not|can't|could not) be|is unknown|not supported)/i.test(message);
