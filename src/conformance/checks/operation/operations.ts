import { isDeepStrictEqual } from 'node:util';
import { sampleOf } from '../../context.ts';
import type { TestContext } from '../../context.ts';
import type { DeclaredType } from '../../statement.ts';
import { asObject, asString, objectsOf, stringsOf } from '../../../fhir/json-object.ts';
import type { JsonObject } from '../../../fhir/json-object.ts';
import { linkOf } from '../answer.ts';
import { versionOf } from '../../write/created.ts';
import { checkLastn } from './lastn.ts';
// The operations of R4 that are tested, by their definitions; those that a server defines itself are not.
import definitions from './definitions.json' with { type: 'json' };
import { checkCodeOfSystem, checkCodeOfValueSet, checkExpand, checkLookup } from './terminology.ts';
import { call } from './call.ts';

/** Pages that are read. */
const mostPages = 3;

/**
 * `$everything` of a record: a searchset that has the record itself, as a read shows it. Which others are returned is
 * the choice of the server ("should"). https://hl7.org/fhir/R4/patient-operation-everything.html
 */
async function checkEverything(context: TestContext, { name }: DeclaredType): Promise<void> {
  const [known] = sampleOf(context, name);
  if (known === undefined) return;
  const { client, findings } = context;
  const own = `${name}/${known.id}`;
  const subject = `${own}/$everything`;
  const first = await call(context, 'operation.everything', subject);
  if (first === undefined) return;
  const isBundle = first.json?.['resourceType'] === 'Bundle' && first.json['type'] === 'searchset';
  const came = `${String(first.json?.['resourceType'])} of type ${String(first.json?.['type'])}`;
  if (!findings.decide(isBundle, 'operation.everything', subject, came, 'A Bundle of type searchset', first)) return;
  const resources: JsonObject[] = [];
  let page: typeof first | undefined = first;
  let isWhole = false;
  for (let count = 1; page !== undefined; count += 1) {
    resources.push(...objectsOf(page.json?.['entry']).map(({ resource }) => asObject(resource)));
    const next = linkOf(page, 'next');
    isWhole = next === undefined;
    page =
      next === undefined || count === mostPages ? undefined : await client.get(new URL(next, `${client.base}/`).href);
  }
  const shown = resources.find(({ resourceType, id }) => resourceType === name && id === known.id);
  if (shown === undefined && !isWhole) {
    findings.open('operation.everything', own, `${mostPages} pages were read, of more`);
    return;
  }
  const isOlder = versionOf(shown) !== versionOf(known.resource); // it was changed meanwhile
  const isRight = shown !== undefined && (isOlder || isDeepStrictEqual(shown, known.resource));
  const text = shown === undefined ? `None of ${resources.length} records is ${own}` : `${own} with other content`;
  findings.decide(isRight, 'operation.everything', own, text, 'The record itself among the entries', first);
}

const checks: Readonly<Record<keyof typeof definitions, (context: TestContext, type: DeclaredType) => Promise<void>>> =
  {
    everything: checkEverything,
    meta: checkMeta,
    lastn: checkLastn,
    expand: checkExpand,
    lookup: checkLookup,
    codeOfValueSet: checkCodeOfValueSet,
    codeOfSystem: checkCodeOfSystem,
  };

/**
 * The declared operations of a type that change nothing, by GET. A refusal is open: a server may require POST, other
 * parameters, or definitions that it has. https://hl7.org/fhir/R4/operations.html
 */
export async function checkOperations(context: TestContext, type: DeclaredType): Promise<void> {
  for (const { definition } of type.operations) {
    const id = /^http:\/\/hl7\.org\/fhir\/OperationDefinition\/(.+)$/.exec(definition)?.[1];
    for (const [name, check] of Object.entries(checks))
      if (id !== undefined && definitions[name as keyof typeof checks].includes(id)) await check(context, type);
  }
}

/**
 * `$meta` of a record: the profiles, security labels and tags that a read shows, and no others; of a record with labels
 * if the sample has one. https://hl7.org/fhir/R4/resource-operation-meta.html
 */
async function checkMeta(context: TestContext, { name }: DeclaredType): Promise<void> {
  const sample = sampleOf(context, name);
  const known = sample.find(({ resource }) => labelsOf(asObject(resource['meta'])).length > 0) ?? sample[0];
  if (known === undefined) return;
  const { client, findings } = context;
  const subject = `${name}/${known.id}/$meta`;
  const exchange = await call(context, 'operation.meta', subject);
  if (exchange === undefined) return;
  const { resourceType, parameter } = exchange.json ?? {};
  const [answer] = objectsOf(parameter).filter(one => one['name'] === 'return');
  const isRight = resourceType === 'Parameters' && answer?.['valueMeta'] !== undefined;
  const came = `${String(resourceType)} ${answer === undefined ? 'without `return`' : 'without `valueMeta`'}`;
  if (!findings.decide(isRight, 'operation.meta', subject, came, 'Parameters with `return` as Meta', exchange)) return;
  const read = await client.get(`${name}/${known.id}`); // its present labels
  if (read.status !== 200) return;
  const wanted = labelsOf(asObject(read.json?.['meta'])).join(', ');
  const shown = labelsOf(asObject(answer?.['valueMeta'])).join(', ');
  findings.decide(shown === wanted, 'operation.meta', `labels of ${subject}`, shown, wanted, exchange);
}

/** Each label once, in one order. */
function labelsOf({ profile, security, tag }: JsonObject): readonly string[] {
  const codings = [security, tag].map((list, at) =>
    objectsOf(list).map(
      one => `${at === 0 ? 'security' : 'tag'} ${asString(one['system']) ?? ''}|${asString(one['code']) ?? ''}`,
    ),
  );
  return [...new Set([...stringsOf(profile).map(url => `profile ${url}`), ...codings.flat()])].toSorted();
}
