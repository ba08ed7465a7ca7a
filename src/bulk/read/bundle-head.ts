import type { Addressing, BundleHead, Targets } from '../../interaction/bundle/head.ts';
import { containerType } from '../../interaction/bundle/head.ts';
import { readLoadRequest } from '../../interaction/bundle/load-request.ts';
import { isObject } from '../../fhir/json-object.ts';
import { parseJson } from '../../fhir/json.ts';
import { decodeUtf8 } from '../../fhir/utf8.ts';
import { BundleScanner } from '../../interaction/bundle/bundle-scanner.ts';

/**
 * Reads a document for the data that loading its entries needs in advance. Undefined if it is not a Bundle that
 * contains records, or not strict JSON. Throws BrokenInput if the entries cannot be separated.
 */
export async function surveyBundle(
  chunks: AsyncIterable<Uint8Array>,
  addressing: Addressing,
): Promise<BundleHead | undefined> {
  const survey = new Survey();
  for await (const chunk of chunks) survey.push(chunk);
  return survey.head(addressing);
}

/** Reads a Bundle in memory as `surveyBundle` does; with the texts of its entries. */
export function readBundle(
  bytes: Uint8Array,
  addressing: Addressing,
): { readonly head: BundleHead; readonly entries: readonly Uint8Array[] } | undefined {
  const survey = new Survey();
  const entries = survey.push(bytes);
  const head = survey.head(addressing);
  return head === undefined ? undefined : { head, entries };
}

class Survey {
  readonly #scanner = new BundleScanner();
  /** Entry number → its essence as text, which takes a fraction of the memory of objects. */
  readonly #addressed = new Map<number, string>();
  #number = 0;

  push(chunk: Uint8Array): readonly Uint8Array[] {
    const members = this.#scanner.push(chunk);
    for (const bytes of members) {
      this.#number++;
      if (!Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes('"fullUrl"')) continue;
      const entry = parsed(bytes);
      if (!isObject(entry) || !isAddressed(entry)) continue;
      this.#addressed.set(this.#number, JSON.stringify(essence(entry)));
    }
    return members;
  }

  head(addressing: Addressing): BundleHead | undefined {
    const bundle = parsed(this.#scanner.envelope());
    const type = containerType(bundle);
    if (!isObject(bundle) || type === undefined) return undefined;
    const { entry: _entry, ...envelope } = bundle;
    const targets: Targets = new Map();
    for (const [number, text] of this.#addressed) {
      this.#addressed.delete(number);
      const entry = JSON.parse(text) as JsonObject; // it was printed above
      const request = readLoadRequest(entry, type, addressing.base, () => addressing.newId(`entry ${number}`));
      if ('kind' in request || request.interaction === 'delete') continue;
      const { resourceType, id, newId } = request;
      targets.set(String(entry['fullUrl']), { reference: `${resourceType}/${newId}`, settled: id !== undefined });
    }
    return { type, envelope, independent: type !== 'transaction', targets };
  }
}

type JsonObject = Readonly<Record<string, unknown>>;

/** True if the fullUrl differs from type and id of the resource. */
function isAddressed({ fullUrl, request, resource }: JsonObject): boolean {
  if (typeof fullUrl !== 'string') return false;
  const { resourceType, id } = isObject(resource) ? resource : {};
  const conditional =
    isObject(request) && (request['ifNoneExist'] !== undefined || String(request['url']).includes('?'));
  return conditional || !fullUrl.endsWith(`/${String(resourceType)}/${String(id)}`);
}

/** The properties that decide where the entry is stored: its request, and type and id of its resource. */
function essence({ fullUrl, request, resource }: JsonObject): JsonObject {
  const { resourceType, id } = isObject(resource) ? resource : {};
  return { fullUrl, request, resource: { resourceType, id } };
}

/** Undefined for invalid JSON: it is rejected when it is loaded. */
function parsed(bytes: Uint8Array): unknown {
  try {
    return parseJson(decodeUtf8(bytes)).value;
  } catch {
    return undefined;
  }
}
