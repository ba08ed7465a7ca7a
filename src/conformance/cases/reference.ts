import { belowBase } from '../../fhir/reference.ts';
import { asObject, asString } from '../../fhir/json-object.ts';
import type { ReferenceValue } from '../../indexing/entry.ts';
import { escape } from '../../search/parse/escape.ts';
import { isOutsideTargets } from '../target.ts';
import { caseOf } from './case.ts';
import type { Case } from './case.ts';
import { chosen } from './chosen.ts';
import type { CaseSource } from './source.ts';

/** References by type and id, by id, by address, by their identifiers; canonicals with and without versions. */
export function referenceCases({ param, sample, records, base, depth }: CaseSource): readonly Case[] {
  const { code } = param;
  const values = sample.flatMap(({ indexed }) =>
    (indexed[0]?.entries ?? []).flatMap(entry =>
      entry.param === code && entry.value.kind === 'reference' && !isOutsideTargets(param, entry.value)
        ? [entry.value]
        : [],
    ),
  );
  const identifiers = sample
    .flatMap(({ resource }) => records.valuesOf(param, resource))
    .flatMap(({ value }) => {
      const { system, value: text } = asObject(asObject(value)['identifier']);
      return typeof text === 'string' ? [`${escape(asString(system) ?? '')}|${escape(text)}`] : [];
    });
  return [
    ...chosen(values, depth).flatMap(value => casesFor(code, value, base)),
    ...chosen(identifiers, 1).map(text =>
      caseOf('modifier.identifier', `${code}:identifier`, text, { optional: true }),
    ),
  ];
}

function casesFor(code: string, value: ReferenceValue, base: string): readonly Case[] {
  const local = value.url === undefined ? value : belowBase(base, value.url);
  if (local?.type !== undefined && local.id !== undefined) {
    const { type, id } = local;
    return [
      caseOf('search.reference', code, `${type}/${id}`),
      caseOf('search.reference', code, id, { optional: true }),
      caseOf('search.reference', code, `${base}/${type}/${id}`),
      caseOf('modifier.type', `${code}:${type}`, id, { optional: true }),
    ];
  }
  if (value.url === undefined || value.url.startsWith('#')) return [];
  const url = escape(value.url);
  const withVersion = value.version === undefined ? [] : [`${url}|${escape(value.version)}`];
  return [url, ...withVersion].map(text => caseOf('search.reference', code, text, { optional: text !== url }));
}
