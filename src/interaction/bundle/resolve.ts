import type { Issue } from '../../fhir/outcome.ts';
import type { TypeDefinitions } from '../../model/element.ts';
import { targetOf } from './head.ts';
import type { Targets } from './head.ts';
import type { CriteriaMatch } from './criteria.ts';
import { type Link, rewriteLinks } from './link.ts';
import type { PlaceOfLink } from './link-places.ts';

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
  readonly definitions: TypeDefinitions;
  /** For errors. */
  readonly placeOf: PlaceOfLink;
  /** True in a batch or transaction, where a urn:uuid or urn:oid must be the fullUrl of an entry. */
  readonly strict: boolean;
  /** Links that need not lead to an entry or a match, since the record had them before. */
  readonly known?: ReadonlySet<string> | undefined;
  find(type: string, criteria: string): Promise<CriteriaMatch>;
  /** True for a type with resources in another system, so that a missing one may exist there. */
  elsewhere(type: string): boolean;
}

/**
 * Rewrites links to entries of the same Bundle by fullUrl, and conditional references, to `Type/id`. A conditional
 * reference to a type in another system, or to an undeclared type, stays unchanged.
 * https://hl7.org/fhir/R4/http.html#transaction, https://hl7.org/fhir/R4/bundle.html#references
 */
export async function resolveLinks(text: string, options: ResolveOptions): Promise<Resolution> {
  const { targets, base, definitions, known } = options;
  const issues: Issue[] = [];
  const found = new Map<string, string>();
  let open = false;
  const complain = (link: Link, what: string, code: Issue['code'] = 'not-found'): void => {
    const expression = options.placeOf(link);
    issues.push({ severity: 'error', code, text: `The reference \`${link.text.slice(0, 200)}\` ${what}.`, expression });
  };

  const conditional: { readonly link: Link; readonly url: string }[] = [];
  rewriteLinks(text, definitions, link => {
    if (link.property !== 'reference' || known?.has(link.text) === true) return undefined;
    const url = link.text.startsWith(`${base}/`) ? link.text.slice(base.length + 1) : link.text;
    if (conditionalReference.test(url)) conditional.push({ link, url });
    return undefined;
  });
  for (const { link, url } of conditional) {
    if (found.has(link.text)) continue;
    const query = url.indexOf('?');
    const type = url.slice(0, query);
    const result = await options.find(type, url.slice(query + 1));
    switch (result.kind) {
      case 'one':
        found.set(link.text, `${type}/${result.id}`);
        break;
      case 'none':
        if (options.elsewhere(type)) break;
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

const conditionalReference = /^[A-Z][A-Za-z]{0,63}\?/;
