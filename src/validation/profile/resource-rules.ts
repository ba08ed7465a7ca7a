import { asObject, asString, isObject, objectsOf } from '../../fhir/json-object.ts';
import { parseReference } from '../../fhir/reference.ts';
import { shorten } from '../report.ts';
import type { Node } from '../../fhirpath/evaluate/node.ts';
import { entryOf } from './resolve.ts';
import type { ValueCheck, Walk } from './walk.ts';

/** Rules in the text of R4 for resources that are not in their definitions. */
export const checkResource: ValueCheck = (node, walk) => {
  const { value, code } = node;
  if (!isObject(value)) return;
  if (value['contained'] !== undefined) checkContained(objectsOf(value['contained']), walk);
  if (code === 'Bundle') checkEntries(objectsOf(value['entry']), asString(value['type']) ?? '', walk);
  if (code !== 'Bundle' || value['type'] !== 'document') return;
  const entries = objectsOf(value['entry']);
  checkDocument(node, entries[0], walk);
  checkContent(node, entries, walk);
};

function report(
  { findings }: Walk,
  path: readonly (string | number)[],
  rule: string,
  text: string,
  severity: 'error' | 'warning' = 'error',
): void {
  const { length } = findings.path;
  findings.path.push(...path);
  findings.add({ severity, code: 'value', text, rule });
  findings.path.length = length;
}

/** A contained resource is identified by its id only. https://hl7.org/fhir/R4/references.html#contained */
function checkContained(resources: readonly Record<string, unknown>[], walk: Walk): void {
  const ids = new Set<unknown>();
  walk.budget.spend(resources.length);
  for (const [index, { id }] of resources.entries()) {
    if (typeof id !== 'string') continue;
    if (ids.has(id)) {
      const text = `Another contained resource has the id \`${shorten(id)}\`, so references to it are ambiguous.`;
      report(walk, ['contained', index, 'id'], 'contained id', text);
    }
    ids.add(id);
  }
}

/**
 * The identity of an entry is its fullUrl, which agrees with its resource.
 * https://hl7.org/fhir/R4/bundle.html#bundle-unique
 */
function checkEntries(entries: readonly Record<string, unknown>[], type: string, walk: Walk): void {
  const needed = !/^(transaction|batch)(-response)?$/.test(type);
  walk.budget.spend(entries.length);
  for (const [index, entry] of entries.entries()) {
    const { resource, fullUrl } = entry;
    if (!isObject(resource) || asObject(entry['search'])['mode'] === 'outcome') continue; // which has no identity
    if (typeof fullUrl !== 'string') {
      const text = 'An entry with a resource needs a `fullUrl`, except in transactions and batches.';
      if (needed) report(walk, ['entry', index], 'Bundle.entry.fullUrl', text);
      continue;
    }
    const wrong = problemOf(fullUrl, resource, walk);
    if (wrong !== undefined) report(walk, ['entry', index, 'fullUrl'], 'Bundle.entry.fullUrl', wrong);
  }
}

/**
 * A document contains the targets of its first entry's references, except the documents to which `relatesTo` refers.
 * https://hl7.org/fhir/R4/documents.html#content
 */
function checkDocument(bundle: Node, first: Record<string, unknown> | undefined, walk: Walk): void {
  const find = (value: unknown, path: readonly (string | number)[]): void => {
    walk.budget.spend(1);
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) find(item, [...path, index]);
      return;
    }
    if (!isObject(value)) return;
    const { reference } = value;
    if (typeof reference === 'string') {
      if (reference.startsWith('#') || entryOf(bundle, first?.['resource'], reference, walk) !== undefined) return;
      const text = `\`${shorten(reference)}\` is not in the document, although its first entry references it.`;
      report(walk, [...path, 'reference'], 'document', text);
      return;
    }
    for (const name in value) if (!apart.has(name)) find(value[name], [...path, name]);
  };
  find(first?.['resource'], ['entry', 0, 'resource']);
}

/** Elements whose targets a document need not contain. */
const apart: ReadonlySet<string> = new Set(['contained', 'extension', 'modifierExtension', 'relatesTo']);

/**
 * The content of a document is what its first entry references, directly or through other entries; a stylesheet, and
 * resources whose `target` is content, such as its provenance. https://hl7.org/fhir/R4/documents.html#content
 */
function checkContent(bundle: Node, entries: readonly Record<string, unknown>[], walk: Walk): void {
  const resources = entries.map(({ resource }) => resource);
  const content = new Set<unknown>();
  const reach = (resource: unknown): void => {
    const left = [resource];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      if (content.has(next)) continue;
      content.add(next);
      left.push(...referencedIn(next, { bundle, from: next }, walk));
    }
  };
  reach(resources[0]);
  const isAbout = (resource: unknown): boolean =>
    referencedIn(asObject(resource)['target'], { bundle, from: resource }, walk).some(target => content.has(target));
  for (const resource of resources) if (!content.has(resource) && isAbout(resource)) reach(resource);
  for (const [index, resource] of resources.entries()) {
    if (!isObject(resource) || content.has(resource) || resource['contentType'] === 'text/css') continue;
    const text =
      'The first entry of the document does not reference this entry, directly or through others, so it is not ' +
      'content of the document. Reference it, or omit it.';
    report(walk, ['entry', index], 'document content', text, 'warning');
  }
}

/** The resources of a Bundle that the references and URLs in a value are to. */
function referencedIn(
  value: unknown,
  { bundle, from }: { readonly bundle: Node; readonly from: unknown },
  walk: Walk,
): readonly unknown[] {
  const found: unknown[] = [];
  const visit = (inner: unknown): void => {
    walk.budget.spend(1);
    if (typeof inner === 'string') {
      if (inner.length > longestReference || !/[/:]/.test(inner)) return;
      const target = entryOf(bundle, from, inner, walk);
      if (target !== undefined) found.push(target);
    } else if (typeof inner === 'object' && inner !== null) for (const one of Object.values(inner)) visit(one);
  };
  visit(value);
  return found;
}

/** Longer texts are no references. */
const longestReference = 2_000;

function problemOf(
  fullUrl: string,
  resource: Record<string, unknown>,
  { rulebook: { types } }: Walk,
): string | undefined {
  if (!/^[A-Za-z][A-Za-z0-9+.-]{0,30}:/.test(fullUrl)) return `\`${shorten(fullUrl)}\` must be absolute.`;
  const parsed = parseReference(fullUrl);
  if (parsed?.kind !== 'absolute' || !types.resourceTypes.has(parsed.type)) return undefined;
  const { resourceType, id } = resource;
  if (resourceType === parsed.type && (id === undefined || id === parsed.id)) return undefined;
  return (
    `\`${shorten(fullUrl)}\` must name the resource of the entry, which is ` +
    `\`${shorten(`${String(resourceType)}/${String(id)}`)}\`.`
  );
}
