import { asObject, asString, objectsOf } from '../../fhir/json-object.ts';
import { escape } from '../../search/parse/escape.ts';
import type { RawValue } from '../records.ts';
import { caseOf } from './case.ts';
import type { Case } from './case.ts';
import { chosen } from './chosen.ts';
import type { CaseSource } from './source.ts';

/** Codes and identifiers with and without their systems. */
export function tokenCases({ param, sample, records, depth }: CaseSource): readonly Case[] {
  const { code: name } = param;
  if (name === '_id')
    return chosen(
      sample.map(({ id }) => id),
      depth,
    ).map(id => caseOf('search.token', name, id));
  const values = chosen(
    sample.flatMap(({ resource }) => records.valuesOf(param, resource)),
    depth,
  );
  return values.flatMap(raw => [...tokensIn(raw).flatMap(token => casesFor(name, token)), ...ofTypeCases(name, raw)]);
}

interface Token {
  readonly system: string | undefined;
  readonly code: string;
  readonly text: string | undefined;
  /** False where R4 implies the system. */
  readonly hasSystem: boolean;
}

function casesFor(name: string, { system, code, text, hasSystem }: Token): readonly Case[] {
  const plain = escape(code);
  const word = /^[\p{L}\p{N}]{2,}/u.exec(text ?? '')?.[0];
  const full = system === undefined ? `|${plain}` : `${escape(system)}|${plain}`;
  return [
    caseOf('search.token', name, plain),
    ...(hasSystem ? [caseOf('search.token', name, full, { optional: system === undefined })] : []),
    ...(hasSystem && system !== undefined
      ? [caseOf('search.token', name, `${escape(system)}|`, { optional: true })]
      : []),
    caseOf('modifier.not', `${name}:not`, hasSystem ? full : plain, { optional: true }),
    ...(word === undefined
      ? []
      : [caseOf('modifier.text', `${name}:text`, word, { optional: true, mayFindMore: true })]),
  ];
}

/** The tokens of a value: its first coding, or the value itself. */
function tokensIn({ type, value }: RawValue): readonly Token[] {
  switch (type) {
    case 'CodeableConcept':
      return objectsOf(asObject(value)['coding']).slice(0, 1).flatMap(codingToken);
    case 'Coding':
      return codingToken(asObject(value));
    case 'Identifier': {
      const { system, value: code } = asObject(value);
      const text = asString(code);
      return text === undefined ? [] : [{ system: asString(system), code: text, text: undefined, hasSystem: true }];
    }
    case 'ContactPoint': {
      const code = asString(asObject(value)['value']);
      return code === undefined ? [] : [{ system: undefined, code, text: undefined, hasSystem: false }];
    }
    default:
      return typeof value === 'string' || typeof value === 'boolean'
        ? [{ system: undefined, code: String(value), text: undefined, hasSystem: false }]
        : [];
  }
}

function codingToken({ system, code, display }: Readonly<Record<string, unknown>>): readonly Token[] {
  const text = asString(code);
  if (text === undefined || text === '') return [];
  return [{ system: asString(system), code: text, text: asString(display), hasSystem: true }];
}

/** https://hl7.org/fhir/R4/search.html#token */
function ofTypeCases(name: string, { type, value }: RawValue): readonly Case[] {
  if (type !== 'Identifier') return [];
  const { type: concept, value: identifier } = asObject(value);
  const { system, code } = objectsOf(asObject(concept)['coding'])[0] ?? {};
  if (typeof system !== 'string' || typeof code !== 'string' || typeof identifier !== 'string') return [];
  const text = [system, code, identifier].map(escape).join('|');
  return [caseOf('modifier.of-type', `${name}:of-type`, text, { optional: true })];
}
