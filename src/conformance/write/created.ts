import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { asObject, asString, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { Exchange } from '../client.ts';
import type { TestContext } from '../context.ts';
import { queryOf } from '../url.ts';
import { smallestResource } from './smallest.ts';

/** A resource that can be found by a criterion which no other record of the server meets. */
export interface Draft {
  readonly type: string;
  readonly resource: JsonObject;
  /** `identifier=urn:…|…` or `_tag=…`; undefined if the type has neither parameter. */
  readonly criterion: string | undefined;
}

const system = 'urn:ietf:rfc:3986';
const tagSystem = 'https://clinical-records.example/conformance-test';

/** A new resource of a type, with an identifier or a tag of its own; undefined for a type of an unknown definition. */
export function draftOf({ model, statement }: TestContext, type: string): Draft | undefined {
  const smallest = smallestResource(type, model);
  if (smallest === undefined) return undefined;
  const value = randomUUID();
  const element = model.definitions.get(type)?.elements.get('identifier');
  const hasIdentifier = element?.types[0]?.code === 'Identifier';
  const identifier = { system, value: `urn:uuid:${value}` };
  const offered = new Set(statement.types.get(type)?.parameters.map(({ name }) => name));
  const pair: readonly [string, string] | undefined =
    hasIdentifier && offered.has('identifier')
      ? ['identifier', `${system}|${identifier.value}`]
      : offered.has('_tag')
        ? ['_tag', `${tagSystem}|${value}`]
        : undefined;
  return {
    type,
    resource: {
      ...smallest,
      meta: { tag: [{ system: tagSystem, code: value }] },
      language: 'en',
      ...(hasIdentifier ? { identifier: element.max > 1 ? [identifier] : identifier } : {}),
    },
    criterion: pair === undefined ? undefined : queryOf([pair]),
  };
}

/** The records that a run has made, so that it can remove them. */
export class Created {
  private readonly names = new Set<string>();
  private readonly context: TestContext;

  constructor(context: TestContext) {
    this.context = context;
  }

  /** Notes the record of a Location or of the answer itself; returns `Type/id`. */
  note({ json, headers }: Exchange, type: string): string | undefined {
    const location = headers.get('Location') ?? headers.get('Content-Location') ?? '';
    const id = idIn(location, type) ?? (json?.['resourceType'] === type ? json['id'] : undefined);
    return typeof id === 'string' ? this.noteName(`${type}/${id}`) : undefined;
  }

  noteName(name: string): string {
    this.names.add(name);
    return name;
  }

  forget(name: string): void {
    this.names.delete(name);
  }

  /** Removes what is left, the latest first, since it may refer to the others. */
  async removeAll(): Promise<void> {
    const { client, findings } = this.context;
    for (const name of [...this.names].toReversed()) {
      const exchange = await client.send('DELETE', name);
      const { status } = exchange;
      if (status >= 300 && status !== 404 && status !== 410)
        findings.fail('write.delete', name, `Status ${status}: the record is left`, 'Status 200, 202 or 204', exchange);
      else this.names.delete(name);
    }
  }
}

/** The id in `[base]/Type/id/_history/version`. */
export const idIn = (location: string, type: string): string | undefined =>
  new RegExp(`(?:^|/)${type}/([A-Za-z0-9.-]{1,64})(?:/_history/[^/]+)?$`).exec(location)?.[1];

/** Waits until a search finds a record by its criterion, since a server may index later; false if it never does. */
export async function isSearchable({ client }: TestContext, { type, criterion }: Draft, id: string): Promise<boolean> {
  for (const pause of [0, 200, 1000, 3000]) {
    await sleep(pause);
    const { json } = await client.get(`${type}?${criterion ?? ''}`);
    const found = objectsOf(json?.['entry']).map(({ resource }) => objectsOf([resource])[0]?.['id']);
    if (found.length === 1 && found[0] === id) return true;
  }
  return false;
}

/** The `meta.versionId` of a resource. */
export const versionOf = (resource: JsonObject | undefined): string | undefined =>
  asString(asObject(resource?.['meta'])['versionId']);
