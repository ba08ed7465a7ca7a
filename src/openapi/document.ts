import { createHash } from 'node:crypto';
import { asString } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { program } from '../model/capability-statement.ts';
import type { Model, ResourceType } from '../model/model.ts';
import type { Offered } from '../auth/offered.ts';
import { inTurn } from '../validation/turns.ts';
import { callObject, pathParameters, systemTag } from './call-object.ts';
import { callsOf } from './calls.ts';
import type { Call } from './calls.ts';
import { createComponents } from './components.ts';
import { fewCodesOf } from './few-codes.ts';
import { queryParameters } from './fields.ts';
import { createSecurity } from './security.ts';
import type { Source } from './source.ts';

/** The description of an interface at one base URL. */
export interface OpenApi {
  /** JSON. */
  readonly text: string;
  /** Without `W/` and quotes. */
  readonly etag: string;
}

/** What a description depends on besides the base URL. */
export interface Interface {
  readonly model: Model;
  /** True if requests need a token. */
  readonly secured: boolean;
  /** Undefined without an authorization server here. */
  readonly offered?: Offered | undefined;
}

/**
 * Makes the OpenAPI description of the declared interface, which takes turns with other work. The result prints it for
 * a base URL (no trailing slash); the same arguments always give the same text.
 * https://spec.openapis.org/oas/v3.1.1.html
 */
export async function createOpenApi({ model, secured, offered }: Interface): Promise<(base: string) => OpenApi> {
  const components = createComponents();
  const security = createSecurity(model, secured, offered);
  const source: Source = { model, components, fewCodes: fewCodesOf(model), securityOf: security.of };
  for (const [name, scheme] of Object.entries(security.schemes))
    components.share('securitySchemes', name, () => scheme);
  const paths: Record<string, JsonObject> = {};
  for (const call of callsOf(model)) {
    await inTurn(() => {
      const item = (paths[call.path] ??= pathItem(call, source));
      paths[call.path] = { ...item, [call.method]: callObject(call, source) };
    });
  }
  const rest = { tags: tagsOf(model), paths, components: components.toJson() };
  const head = { openapi: '3.1.1', info: infoOf(model) };
  const [start, end] = [JSON.stringify(head).slice(0, -1), JSON.stringify(rest).slice(1)];
  const digest = createHash('sha256').update(start).update(end).digest();
  return base => {
    const ofBase = JSON.stringify({
      servers: [{ url: base }],
      externalDocs: { description: 'CapabilityStatement', url: `${base}/metadata` },
    });
    const etag = createHash('sha256').update(digest).update(ofBase).digest('base64url').slice(0, 22);
    return { text: `${start},${ofBase.slice(1, -1)},${end}`, etag };
  };
}

const pathItem = (call: Call, source: Source): JsonObject => ({
  parameters: [...pathParameters(call, source), ...queryParameters([prettyField], source)],
});

const prettyField = { name: '_pretty', description: 'Indented JSON.', schema: { type: 'boolean' }, example: false };

/** https://spec.openapis.org/oas/v3.1.1.html#info-object */
function infoOf({ statement }: Model): JsonObject {
  const [title, description] = [asString(statement['title']), asString(statement['description'])];
  return {
    title: title ?? asString(statement['name']) ?? program.name,
    version: program.version,
    ...(description === undefined ? {} : { description }),
  };
}

/** https://spec.openapis.org/oas/v3.1.1.html#tag-object */
const tagsOf = ({ types }: Model): readonly JsonObject[] => [
  { name: systemTag, description: 'The whole system.' },
  ...[...types.values()].map(({ name, plainNames }: ResourceType) => {
    const description = plainNames.get('en');
    return { name, ...(description === undefined ? {} : { description }) };
  }),
];
