import { parseETag } from '../../fhir/etag.ts';
import { isId } from '../../fhir/id.ts';
import type { VersionPrecondition } from '../../store/records.ts';
import type { ContainerType } from '../read/container-type.ts';
import { isObject } from '../../fhir/json-object.ts';

/** What an entry of a Bundle asks for. Criteria are the part of a URL behind `?`. */
export type Plan =
  | { readonly kind: 'put'; readonly type: string; readonly id: string; readonly precondition?: VersionPrecondition }
  /** Conditional create and update; `id` where nothing matches. https://hl7.org/fhir/R4/http.html#ccreate */
  | { readonly kind: 'create' | 'update'; readonly type: string; readonly criteria: string; readonly id: string }
  | { readonly kind: 'remove'; readonly type: string; readonly id: string; readonly precondition?: VersionPrecondition }
  | { readonly kind: 'delete'; readonly type: string; readonly criteria: string };

/** An entry that cannot be carried out, and the element of it that is to blame. */
export interface PlanProblem {
  readonly kind: 'problem';
  readonly element: string;
  readonly text: string;
}

/**
 * What to do for an entry. In a batch and a transaction its request says so (PUT, POST, DELETE); in other Bundles the
 * resource is put. Ids are kept, also those that a POST brings, since loading is no create; `newId` gives one where there
 * is none. https://hl7.org/fhir/R4/http.html#transaction
 */
export function planEntry(
  entry: Readonly<Record<string, unknown>>,
  bundle: ContainerType,
  base: string,
  newId: () => string,
): Plan | PlanProblem {
  const { request, resource } = entry;
  const type = isObject(resource) ? resource['resourceType'] : undefined;
  const id = isObject(resource) ? resource['id'] : undefined;
  const ownId = (): string => (typeof id === 'string' && isId(id) ? id : (urnId(entry['fullUrl']) ?? newId()));
  if (bundle !== 'batch' && bundle !== 'transaction') {
    if (typeof type !== 'string') return problem('resource', 'The entry has no resource.');
    return { kind: 'put', type, id: ownId() };
  }
  if (!isObject(request)) return problem('request', `An entry of a ${bundle} must have a \`request\`.`);
  const { method } = request;
  const url = parseUrl(request['url'], base);
  if (url === undefined) {
    const wanted = 'must be `Type`, `Type/id` or `Type?criteria`';
    return problem('request.url', `\`request.url\` ${wanted}, not \`${String(request['url']).slice(0, 100)}\`.`);
  }
  switch (method) {
    case 'DELETE':
      if (url.id !== undefined) return { kind: 'remove', type: url.type, id: url.id, ...precondition(request) };
      if (url.criteria !== undefined) return { kind: 'delete', type: url.type, criteria: url.criteria };
      return problem('request.url', 'A DELETE needs `Type/id` or `Type?criteria`.');
    case 'PUT':
      if (type !== url.type) return wrongType(type, url.type);
      if (url.criteria !== undefined) return { kind: 'update', type, criteria: url.criteria, id: ownId() };
      if (url.id === undefined) return problem('request.url', 'A PUT needs `Type/id` or `Type?criteria`.');
      if (id !== undefined && id !== url.id) {
        return problem('resource.id', `The id of the resource is not the one in \`request.url\`, \`${url.id}\`.`);
      }
      return { kind: 'put', type, id: url.id, ...precondition(request) };
    case 'POST': {
      if (type !== url.type) return wrongType(type, url.type);
      if (url.id !== undefined || url.criteria !== undefined) {
        return problem('request.url', 'A POST needs the type alone in `request.url`.');
      }
      const criteria = request['ifNoneExist'];
      if (typeof criteria !== 'string') return { kind: 'put', type, id: ownId() };
      return { kind: 'create', type, criteria: criteria.slice(criteria.indexOf('?') + 1), id: ownId() };
    }
    default:
      return problem('request.method', 'Only PUT, POST and DELETE can be loaded.');
  }
}

const problem = (element: string, text: string): PlanProblem => ({ kind: 'problem', element, text });

const wrongType = (given: unknown, wanted: string): PlanProblem =>
  given === undefined
    ? problem('resource', 'The entry has no resource.')
    : problem('request.url', `\`request.url\` names \`${wanted}\`, but the resource is of another type.`);

/** The id that a `urn:uuid:` fullUrl is good for: it stays the same wherever the entry is loaded from. */
function urnId(fullUrl: unknown): string | undefined {
  if (typeof fullUrl !== 'string' || !fullUrl.startsWith('urn:uuid:')) return undefined;
  const id = fullUrl.slice('urn:uuid:'.length);
  return isId(id) ? id : undefined;
}

/** https://hl7.org/fhir/R4/http.html#concurrency, https://hl7.org/fhir/R4/bundle-definitions.html#Bundle.entry.request.ifMatch */
function precondition(request: Readonly<Record<string, unknown>>): { precondition?: VersionPrecondition } {
  if (request['ifNoneMatch'] === '*') return { precondition: { is: 'absent' } };
  const [tag] = typeof request['ifMatch'] === 'string' ? parseETag(request['ifMatch']) : [];
  // A version that is no number never was one of ours: nothing is at version -1.
  return tag === undefined
    ? {}
    : { precondition: { is: 'version', version: /^\d{1,15}$/.test(tag) ? Number(tag) : -1 } };
}

interface RequestUrl {
  readonly type: string;
  readonly id: string | undefined;
  readonly criteria: string | undefined;
}

function parseUrl(url: unknown, base: string): RequestUrl | undefined {
  if (typeof url !== 'string') return undefined;
  const relative = url.startsWith(`${base}/`) ? url.slice(base.length + 1) : url.replace(/^\//, '');
  const query = relative.indexOf('?');
  const criteria = query === -1 ? undefined : relative.slice(query + 1);
  const [type = '', id, ...more] = (query === -1 ? relative : relative.slice(0, query)).split('/');
  if (!/^[A-Za-z]{1,64}$/.test(type) || more.length > 0) return undefined;
  if (id !== undefined && (!isId(id) || criteria !== undefined)) return undefined;
  return { type, id, criteria };
}
