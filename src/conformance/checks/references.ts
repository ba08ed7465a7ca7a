import { belowBase } from '../../fhir/reference.ts';
import type { SearchParam } from '../../model/model.ts';
import type { TestContext } from '../context.ts';
import type { Known } from '../records.ts';
import { isOutsideTargets } from '../target.ts';

/** The records of the tested server to which a record refers by a parameter, as `Type/id`. */
export function targetsOf({ client }: TestContext, of: SearchParam, { indexed }: Known): readonly string[] {
  const found = (indexed[0]?.entries ?? []).flatMap(({ param, value }) => {
    if (param !== of.code || value.kind !== 'reference' || isOutsideTargets(of, value)) return [];
    const local = value.url === undefined ? value : belowBase(client.base, value.url);
    return local?.type === undefined || local.id === undefined ? [] : [`${local.type}/${local.id}`];
  });
  return [...new Set(found)];
}

/** A record, read from the server if it is not known; undefined if it cannot be read. */
export async function recordAt({ records, client }: TestContext, name: string): Promise<Known | undefined> {
  const [type = '', id = ''] = name.split('/');
  const known = records.find(type, id);
  if (known !== undefined) return known;
  const { status, json } = await client.get(name);
  return status === 200 && json?.['resourceType'] === type ? records.add(json) : undefined;
}

/** The reference parameters of a type whose targets are records. */
export const referenceParameters = ({ model }: TestContext, type: string): readonly SearchParam[] =>
  [...(model.types.get(type)?.parameters.values() ?? [])].filter(
    param => param.type === 'reference' && param.dataTypes.has('Reference'),
  );
