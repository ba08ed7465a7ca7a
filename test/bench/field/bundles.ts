import { randomUUID } from 'node:crypto';
import { generate } from '../../../src/demo/generate.ts';

/** Transaction Bundles as of published synthetic charts: each record is created, references are `urn:uuid:`. */
export interface Bundles {
  /** A transaction that stores what the others refer to. */
  readonly first: string;
  readonly texts: readonly string[];
}

type Json = { [key: string]: unknown };
interface Entry {
  readonly fullUrl: string;
  readonly resource: Json;
  readonly request: { readonly method: string; readonly url: string };
}

/** Entries of a Bundle, at least; one more patient is added until it has as many. */
const mostEntries = 306;

/** So many Bundles of whole patients. */
export function bundlesOf(count: number): Bundles {
  const elsewhere = new Map<string, Entry>();
  const texts: string[] = [];
  let records: Json[] = [];
  for (const { type, text } of generate({ patients: count * 7, seed: 7 })) {
    if (type === 'Patient' && records.length >= mostEntries) {
      texts.push(bundleOf(records, elsewhere));
      records = [];
      if (texts.length === count) break;
    }
    records.push(JSON.parse(text) as Json);
  }
  return { first: transaction([...elsewhere.values()]), texts };
}

function bundleOf(records: readonly Json[], elsewhere: Map<string, Entry>): string {
  const urls = new Map(records.map(record => [referenceTo(record), `urn:uuid:${randomUUID()}`]));
  return transaction(
    records.map(record => {
      const { id: _id, meta: _meta, ...resource } = record;
      return {
        fullUrl: urls.get(referenceTo(record))!,
        resource: linked(resource, urls, elsewhere) as Json,
        request: { method: 'POST', url: String(resource.resourceType) },
      };
    }),
  );
}

const referenceTo = ({ resourceType, id }: Json): string => `${String(resourceType)}/${String(id)}`;

/** The value with references to records of the Bundle as `urn:uuid:`; others are stored by the first transaction. */
function linked(value: unknown, urls: ReadonlyMap<string, string>, elsewhere: Map<string, Entry>): unknown {
  if (Array.isArray(value)) return value.map(one => linked(one, urls, elsewhere));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (key !== 'reference' || typeof inner !== 'string') return [key, linked(inner, urls, elsewhere)];
      const url = urls.get(inner);
      if (url !== undefined) return [key, url];
      const [resourceType = '', id = ''] = inner.split('/');
      elsewhere.set(inner, {
        fullUrl: `urn:uuid:${randomUUID()}`,
        resource: { resourceType, id },
        request: { method: 'PUT', url: inner },
      });
      return [key, inner];
    }),
  );
}

function transaction(entry: readonly Entry[]): string {
  return JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry });
}
