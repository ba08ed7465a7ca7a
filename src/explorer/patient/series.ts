import { asObject, asString, isObject, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { ElementDefinition, TypeDefinition } from '../../model/element.ts';
import { fiveWsOf } from '../definition/notes.ts';
import { marksOf } from '../record/title.ts';
import { conceptText } from '../record/values/coding.ts';
import { quantityText } from '../record/values/quantity.ts';
import type { RecordView } from '../record/view.ts';
import type { Member } from './members.ts';
import { timeSpanOf } from './time-span.ts';

/** One measured value. */
export interface Point {
  /** Milliseconds since 1970 UTC. */
  readonly time: number;
  readonly value: number;
  /** With unit, digits as written. */
  readonly text: string;
  /** The time as recorded. */
  readonly when: string;
  /** `Observation/o1`. */
  readonly target: string;
}

/** The values of one code in one unit, oldest first. */
export interface Series {
  readonly title: string;
  readonly unit: string;
  /** The code as a search value, `system|code`; undefined without one. */
  readonly token: string | undefined;
  readonly member: Member;
  readonly points: readonly Point[];
  /** The reference range of the newest value that has one. */
  readonly range: { readonly low: number | undefined; readonly high: number | undefined } | undefined;
}

/** The parts of a type that have values: the elements with the code, the value and the reference range. */
export interface Measured {
  /** Properties from the record to the part; empty for the record itself. */
  readonly path: readonly string[];
  readonly code: string;
  readonly value: string;
  readonly range: string;
}

/**
 * Where records of a type have measured values, by its definition: beside a concept that says what the record or a part
 * of it is about ("five Ws": what), a `value[x]` that may be a Quantity, and an element with a low and a high Quantity.
 */
export function measuredOf(type: TypeDefinition): readonly Measured[] {
  const found = known.get(type) ?? measuredIn(type, []);
  known.set(type, found);
  return found;
}

const known = new WeakMap<TypeDefinition, readonly Measured[]>();

function measuredIn(type: TypeDefinition, path: readonly string[]): readonly Measured[] {
  const elements = [...type.elements.values()];
  const code = fiveWsOf(type, 'what').find(one => hasType(one, 'CodeableConcept'));
  const value = elements.find(({ name, choice }) => name === 'value' && choice)?.types.find(isQuantity);
  const range = elements.find(({ types }) => types.some(({ content }) => isRange(content)));
  const own =
    code === undefined || value === undefined || range === undefined
      ? []
      : [{ path, code: code.name, value: value.property, range: range.name }];
  const parts = elements.flatMap(({ name, types }) =>
    types.flatMap(({ content }) =>
      content === undefined || path.length > 1 ? [] : measuredIn(content, [...path, name]),
    ),
  );
  return [...own, ...parts];
}

const isQuantity = ({ code }: { readonly code: string }): boolean => code === 'Quantity';

const hasType = ({ types }: ElementDefinition, code: string): boolean => types.some(one => one.code === code);

const isRange = (content: TypeDefinition | undefined): boolean =>
  ['low', 'high'].every(end => content?.elements.get(end)?.types.some(isQuantity) === true);

/**
 * The series of records of one type, those with the most values first; records that are marked as not current, such as
 * those entered in error, are left out. `zone`: IANA name.
 */
export function seriesOf(
  resources: readonly JsonObject[],
  member: Member,
  view: Pick<RecordView, 'model' | 'system' | 'decimals' | 'language'>,
  zone: string,
): readonly Series[] {
  const found = new Map<string, { series: Omit<Series, 'points' | 'range'>; points: RangedPoint[] }>();
  const parts = measuredOf(member.type.definition);
  for (const resource of resources) {
    const { type, date } = member;
    const when = timeSpanOf(resource, { type: type.definition, param: date }, view.model.definitions, zone);
    if (when === undefined || marksOf(resource, view).length > 0) continue;
    for (const part of parts)
      for (const node of nodesAt(resource, part.path)) {
        const quantity = asObject(node[part.value]);
        const { value } = quantity;
        const title = conceptText(node[part.code], view);
        if (typeof value !== 'number' || title === undefined) continue;
        const unit = asString(quantity['unit']) ?? asString(quantity['code']) ?? '';
        const token = tokenOf(node[part.code]);
        const key = JSON.stringify([token ?? title, asString(quantity['code']) ?? unit]);
        const target = `${member.type.name}/${asString(resource['id']) ?? ''}`;
        const one = found.get(key) ?? { series: { title, unit, token, member }, points: [] };
        const range = rangeOf(node[part.range], quantity);
        one.points.push({
          time: when.start,
          value,
          text: quantityText(quantity, view),
          when: when.text,
          target,
          range,
        });
        found.set(key, one);
      }
  }
  return [...found.values()]
    .map(({ series, points }) => withPoints(series, points))
    .toSorted((a, b) => b.points.length - a.points.length);
}

type RangedPoint = Point & { readonly range: Series['range'] };

function withPoints(series: Omit<Series, 'points' | 'range'>, points: readonly RangedPoint[]): Series {
  const sorted = points.toSorted((a, b) => a.time - b.time);
  return { ...series, points: sorted, range: sorted.findLast(({ range }) => range !== undefined)?.range };
}

/** The objects at a path of properties, through lists. */
function nodesAt(resource: JsonObject, path: readonly string[]): readonly JsonObject[] {
  return path.reduce<readonly JsonObject[]>(
    (nodes, name) => nodes.flatMap(node => (isObject(node[name]) ? [node[name]] : objectsOf(node[name]))),
    [resource],
  );
}

function tokenOf(concept: unknown): string | undefined {
  const [coding] = objectsOf(asObject(concept)['coding']);
  const code = asString(coding?.['code']);
  return code === undefined ? undefined : `${asString(coding?.['system']) ?? ''}|${code}`;
}

/** The normal range in the unit of the value; undefined without one. */
function rangeOf(ranges: unknown, { unit, code }: JsonObject): Series['range'] {
  for (const range of objectsOf(ranges)) {
    const kinds = objectsOf(asObject(range['type'])['coding']).map(one => one['code']);
    if (kinds.length > 0 && !kinds.includes('normal')) continue;
    const ends = ['low', 'high'].map(end => asObject(range[end]));
    const isSame = ends.every(end => end['value'] === undefined || end['unit'] === unit || end['code'] === code);
    const [low, high] = ends.map(({ value }) => (typeof value === 'number' ? value : undefined));
    if (isSame && (low !== undefined || high !== undefined)) return { low, high };
  }
  return undefined;
}
