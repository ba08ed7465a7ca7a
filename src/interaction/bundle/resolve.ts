import type { Issue } from '../../fhir/outcome.ts';
import type { Model } from '../../model/model.ts';
import { isStoredElsewhere } from '../../auth/referable.ts';
import { findReferences } from '../../validation/walk.ts';
import type { FoundReference } from '../../validation/walk.ts';
import type { CriteriaMatch } from '../criteria.ts';
import { targetOf } from './head.ts';
import type { Targets } from './head.ts';
import { rewriteLinks } from './link.ts';
import type { EntryLink } from './link.ts';

/** The links of a resource, resolved where possible. */
export interface Resolution {
  /** The text with the resolved links. */
  readonly text: string;
  readonly issues: readonly Issue[];
  /** True if a link leads to a resource that is not settled or does not exist yet: a retry may succeed. */
  readonly open: boolean;
}

export interface ResolveOptions {
  readonly targets: Targets;
  /** `{publicUrl}/r4/{partition}`: conditional references below it are relative ones. */
  readonly base: string;
  /** The fullUrl of the entry, the base of its relative references. */
  readonly fullUrl: string | undefined;
  readonly model: Model;
  /** The place of the resource for errors, as `Bundle.entry[3].resource`. */
  readonly root: string;
  /** True in a batch or transaction, where a urn:uuid or urn:oid must be the fullUrl of an entry. */
  readonly strict: boolean;
  /** Links that need not lead to an entry or a match, since the record had them before. */
  readonly known?: ReadonlySet<string> | undefined;
  find(type: string, criteria: string): Promise<CriteriaMatch>;
}

/**
 * Rewrites links to entries of the same Bundle by fullUrl, and conditional references, to `Type/id`. A conditional
 * reference to a type in another system, or to an undeclared type, stays unchanged.
 * https://hl7.org/fhir/R4/http.html#transaction, https://hl7.org/fhir/R4/bundle.html#references
 */
export async function resolveLinks(text: string, options: ResolveOptions): Promise<Resolution> {
  const { targets, base, model, known } = options;
  const { definitions } = model;
  const placeOf = createLinkPlaces(model, options.root, () => JSON.parse(text));
  const issues: Issue[] = [];
  const found = new Map<string, string>();
  let open = false;
  const complain = (link: EntryLink, what: string, code: Issue['code'] = 'not-found'): void => {
    const expression = placeOf(link);
    issues.push({ severity: 'error', code, text: `The reference \`${link.text.slice(0, 200)}\` ${what}.`, expression });
  };

  const conditional: EntryLink[] = [];
  const urls = new Map<string, string>();
  rewriteLinks(text, definitions, link => {
    if (link.property !== 'reference' || known?.has(link.text) === true) return undefined;
    const url = link.text.startsWith(`${base}/`) ? link.text.slice(base.length + 1) : link.text;
    if (!conditionalReference.test(url)) return undefined;
    conditional.push(link);
    urls.set(link.text, url);
    return undefined;
  });
  const results = urls.size === 0 ? new Map<string, CriteriaMatch>() : await findAll(urls, options);
  for (const link of conditional) {
    if (found.has(link.text)) continue;
    const result = results.get(link.text);
    if (result === undefined) continue;
    const [type = ''] = (urls.get(link.text) ?? '').split('?');
    switch (result.kind) {
      case 'one':
        found.set(link.text, `${type}/${result.id}`);
        break;
      case 'none':
        if (isElsewhere(model, type)) break;
        open = true;
        complain(link, 'finds nothing');
        break;
      case 'many':
        complain(link, 'matches more than one resource', 'multiple-matches');
        break;
      case 'bad':
        for (const { text: why, code } of result.issues)
          complain(link, `cannot be searched: ${why.replace(/\.$/, '')}`, code);
        break;
      case 'undeclared':
        break;
      default:
        result satisfies never;
    }
  }

  const resolved = rewriteLinks(text, definitions, link => {
    // Relative are references alone: an element such as a `uri` has no base.
    const fullUrl = link.property === 'reference' ? options.fullUrl : undefined;
    const target = targets.size === 0 ? undefined : targetOf(link.text, fullUrl, url => targets.get(url));
    if (target !== undefined) {
      if (!target.settled) open = true;
      return target.reference === link.text ? undefined : target.reference;
    }
    if (link.property !== 'reference') return undefined;
    if (options.strict && known?.has(link.text) !== true && /^urn:(?:uuid|oid):/.test(link.text))
      complain(link, 'is the fullUrl of no entry of the Bundle');
    return found.get(link.text);
  });
  return { text: resolved, issues, open };
}

/** Whether a type has resources in another system, so that a missing one may exist there. */
function isElsewhere({ types }: Model, name: string): boolean {
  const type = types.get(name);
  return type !== undefined && isStoredElsewhere(type);
}

/** Conditional references that are searched at the same time. */
const atOnce = 8;

/** What conditional references find, by their texts; `urls` are relative. */
async function findAll(
  urls: ReadonlyMap<string, string>,
  options: Pick<ResolveOptions, 'find'>,
): Promise<ReadonlyMap<string, CriteriaMatch>> {
  const results = new Map<string, CriteriaMatch>();
  const rest = urls.entries();
  const work = async (): Promise<void> => {
    for (const [text, url] of rest) {
      const query = url.indexOf('?');
      results.set(text, await options.find(url.slice(0, query), url.slice(query + 1)));
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, urls.size) }, work));
  return results;
}

const conditionalReference = /^[A-Z][A-Za-z]{0,63}\?/;

/** The place of a link, as `Observation.subject.reference`; that of its resource if it is unknown. */
type PlaceOfLink = (link: EntryLink) => string;

/**
 * The places of the references of a resource, for errors: they are found at the first call. `root` is the place of the
 * resource. Links with the same text have their places in the order of the calls.
 * https://hl7.org/fhir/R4/operationoutcome.html
 */
function createLinkPlaces(model: Pick<Model, 'definitions'>, root: string, resourceOf: () => unknown): PlaceOfLink {
  const known = new Map<EntryLink, string>();
  let left: Map<string, Iterator<string>> | undefined;
  return link => {
    left ??= placesByText(model, root, resourceOf());
    const place = known.get(link) ?? left.get(link.text)?.next().value ?? root;
    known.set(link, place);
    return place;
  };
}

function placesByText(
  model: Pick<Model, 'definitions'>,
  root: string,
  resource: unknown,
): Map<string, Iterator<string>> {
  const found = Map.groupBy(findReferences(resource, plain, model), ({ text }) => text);
  const place = ({ expression }: FoundReference): string => root + expression.slice(plain.name.length);
  return new Map([...found].map(([text, all]) => [text, all.map(place).values()]));
}

/** What each expression begins with. */
const plain = { name: 'Resource' };
