import { asObject, asString, objectsOf } from '../fhir/json-object.ts';
import { Cache } from '../limits/cache.ts';
import type { Membership } from './question.ts';

/** A cache of answers by question, with expiry. */
interface Answers {
  get(key: string): Membership | undefined;
  set(key: string, answer: Membership): void;
}

const hour = 3_600_000;
/** Milliseconds; a server may learn a system. `unreachable` is not cached. */
const lifetimes: Readonly<Record<Exclude<Membership, 'unreachable'>, number>> = {
  in: 24 * hour,
  out: 24 * hour,
  unsure: hour,
};

/** Caches `most` answers at most. `now` returns milliseconds since 1970 UTC. */
export function createAnswers(now: () => number, most = 20_000): Answers {
  const kept = new Cache<Membership>(most);
  return {
    get: key => kept.get(key, now()),
    set: (key, answer) => {
      if (answer !== 'unreachable') kept.put(key, answer, now() + lifetimes[answer]);
    },
  };
}

/**
 * The answer in the Parameters of `$validate-code`. A server that does not know the system or the ValueSet returns
 * `false` with an issue: that is no reason to reject a code.
 * https://hl7.org/fhir/R4/valueset-operation-validate-code.html
 */
export function readAnswer(body: unknown): Membership {
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
