import { type ParsedJson, compactJson, parseJson } from '../../fhir/json.ts';
import type { Issue } from '../../fhir/outcome.ts';
import { properties } from '../../fhir/resource-text.ts';
import { decodeUtf8 } from '../../fhir/utf8.ts';
import { checkStructure } from '../../validation/structure.ts';
import type { LoadContext } from '../write/context.ts';
import type { ContainerType } from './container-type.ts';
import { isObject } from '../../fhir/json-object.ts';

/** A parsed entry of a Bundle. https://hl7.org/fhir/R4/bundle-definitions.html#Bundle.entry */
export interface Entry {
  /** Its index in the Bundle, from 0. */
  readonly index: number;
  readonly value: Readonly<Record<string, unknown>>;
  readonly fullUrl: string | undefined;
  readonly resource: { readonly text: string; readonly parsed: ParsedJson } | undefined;
  /** Issues of the entry outside of its resource. */
  readonly issues: readonly Issue[];
}

/** Parses the text of an entry. Throws JsonError if it is not strict JSON. */
export function readEntry(context: LoadContext, bundle: ContainerType, bytes: Uint8Array, index: number): Entry {
  const text = compactJson(decodeUtf8(bytes));
  const parsed = parseJson(text);
  const value = isObject(parsed.value) ? parsed.value : {};
  const resourceText = properties(text).find(({ name }) => name === '"resource"')?.value;
  return {
    index,
    value,
    fullUrl: typeof value['fullUrl'] === 'string' ? value['fullUrl'] : undefined,
    resource:
      resourceText === undefined
        ? undefined
        : { text: resourceText, parsed: { value: value['resource'], decimals: parsed.decimals, compact: true } },
    issues: checkAround(context, bundle, value, index),
  };
}

/** Checks an entry around its resource, as a Bundle with this one entry. */
export function checkAround(
  { model }: Pick<LoadContext, 'model'>,
  type: ContainerType,
  value: Readonly<Record<string, unknown>>,
  index: number,
): readonly Issue[] {
  const { resource: _resource, ...around } = value;
  if (Object.keys(around).length === 0) return [];
  const bundle = { resourceType: 'Bundle', type, entry: [around] };
  return checkStructure(bundle, model).map(issue => movedTo(issue, 'Bundle.entry[0]', entryPath(index)));
}

/** Issues of the resource of an entry, with their places in the Bundle. */
export function issuesOfEntry(issues: readonly Issue[], entry: Entry): readonly Issue[] {
  const parsed = entry.resource?.parsed.value;
  const type = isObject(parsed) ? parsed['resourceType'] : undefined;
  const root = typeof type === 'string' ? type : 'Resource';
  return issues.map(issue => movedTo(issue, root, `${entryPath(entry.index)}.resource`));
}

/** An issue of an entry. */
export function entryIssue(index: number, element: string, text: string, code: Issue['code'] = 'structure'): Issue {
  return { severity: 'error', code, text, expression: `${entryPath(index)}.${element}` };
}

/** The place of an entry. */
export const entryPath = (index: number): string => `Bundle.entry[${index}]`;

function movedTo(issue: Issue, from: string, to: string): Issue {
  const { expression } = issue;
  if (expression !== from && expression?.startsWith(`${from}.`) !== true) return issue;
  return { ...issue, expression: to + expression.slice(from.length) };
}
