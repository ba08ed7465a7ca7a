import { compileExpression } from '../fhirpath/extract/expression.ts';
import { NotEvaluated } from '../fhirpath/extract/delegated.ts';
import { ExpressionError } from '../fhirpath/syntax.ts';
import { asObject, asString, stringsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { parseJson } from '../fhir/json.ts';
import type { IndexEntry } from '../indexing/entry.ts';
import { createExtract } from '../indexing/extract.ts';
import type { Model, ResourceType, SearchParam } from '../model/model.ts';
import type { Indexed } from '../search/matches.ts';
import { literalEntries, readings } from './readings.ts';
import { isOutsideTargets } from './target.ts';

/** A value of a parameter with its FHIR type, as it is written in a resource. */
export interface RawValue {
  readonly type: string;
  readonly value: unknown;
}

/** A record that the server has shown, with its entries in each reading. */
export interface Known {
  readonly type: string;
  readonly id: string;
  readonly resource: JsonObject;
  /** The values of each reading, by its position. */
  readonly indexed: readonly Indexed[];
  /** Codes of parameters that this tester cannot decide for the record. */
  readonly undecided: ReadonlySet<string>;
}

/** The records that are known, and the values of their parameters. */
export class Records {
  private readonly byType = new Map<string, Map<string, Known>>();
  /** The records by their texts: answers show the same records again and again. */
  private readonly seen = new Map<string, Known>();
  private readonly failed = new Set<string>();
  private readonly extracts: readonly ReturnType<typeof createExtract>[];
  private readonly collects = new WeakMap<SearchParam, (resource: object) => readonly RawValue[]>();
  private readonly model: Model;

  constructor(model: Model) {
    this.model = model;
    this.extracts = readings.map(({ literal }) => {
      return createExtract({ ...model, caseSensitive: () => literal }, ({ param }) => this.failed.add(param));
    });
  }

  of(type: string): readonly Known[] {
    return [...(this.byType.get(type)?.values() ?? [])];
  }

  find(type: string, id: string): Known | undefined {
    return this.byType.get(type)?.get(id);
  }

  /** Adds a record, or replaces it by a later version; undefined without type and id. */
  add(resource: JsonObject): Known | undefined {
    const known = this.read(resource);
    if (known === undefined) return undefined;
    const ofType = this.byType.get(known.type) ?? new Map<string, Known>();
    this.byType.set(known.type, ofType.set(known.id, known));
    return known;
  }

  /** A record with its entries, which is not added. */
  read(resource: JsonObject): Known | undefined {
    const { resourceType: type, id, meta } = resource;
    if (typeof type !== 'string' || typeof id !== 'string') return undefined;
    const text = JSON.stringify(resource);
    const seen = this.seen.get(text);
    if (seen !== undefined) return seen;
    const definition = this.model.types.get(type);
    this.failed.clear();
    const entries = readings.map((reading, at) => this.entriesOf(definition, text, reading.zone, reading.literal, at));
    const lastUpdated = Date.parse(asString(asObject(meta)['lastUpdated']) ?? '');
    const known = {
      type,
      id,
      resource,
      indexed: entries.map(of => ({ id, lastUpdated, entries: of })),
      undecided: new Set([
        ...this.failed,
        ...(Number.isNaN(lastUpdated) ? ['_lastUpdated'] : []),
        ...this.withoutEntries(definition, resource, entries[0] ?? []),
        ...outsideTargets(definition, entries[0] ?? []),
      ]),
    };
    if (this.seen.size >= mostSeen) this.seen.clear();
    this.seen.set(text, known);
    return known;
  }

  /** The values of a parameter in a resource, as written. */
  valuesOf(param: SearchParam, resource: JsonObject): readonly RawValue[] {
    if (param.expression === '') return [];
    let collect = this.collects.get(param);
    if (collect === undefined) {
      collect = collectOf(param, this.model);
      this.collects.set(param, collect);
    }
    return collect(resource);
  }

  private entriesOf(
    type: ResourceType | undefined,
    text: string,
    zone: string,
    literal: boolean,
    at: number,
  ): readonly IndexEntry[] {
    const extract = this.extracts[at];
    if (type === undefined || extract === undefined) return [];
    const parsed = parseJson(text);
    const entries = extract(type, text, { id: 'tested', zone }, parsed);
    return literal ? this.literal(type, entries, parsed.value) : entries;
  }

  /** R4 names the parts of names and addresses that a search may cover; these are covered by every server. */
  private literal(type: ResourceType, entries: readonly IndexEntry[], resource: unknown): readonly IndexEntry[] {
    const found = literalEntries(entries, resource);
    const parts = new Map(
      [...type.parameters.values()]
        .filter(({ type: kind, dataTypes }) => kind === 'string' && partly.some(name => dataTypes.has(name)))
        .map(param => [param.code, new Set(this.valuesOf(param, asObject(resource)).flatMap(surePartsOf))]),
    );
    return found.filter(({ param, value }) => value.kind !== 'string' || (parts.get(param)?.has(value.text) ?? true));
  }

  /**
   * Parameters with values from which no entry is made, such as a concept with a text alone, and with quantities such
   * as `< 5`, for which R4 gives no comparison.
   */
  private withoutEntries(
    type: ResourceType | undefined,
    resource: JsonObject,
    entries: readonly IndexEntry[],
  ): readonly string[] {
    const found = new Set(entries.map(({ param }) => param));
    return [...(type?.parameters.values() ?? [])]
      .filter(param => !fixed.has(param.code))
      .filter(param => {
        const values = this.valuesOf(param, resource);
        return found.has(param.code) ? values.some(hasComparator) : values.length > 0;
      })
      .map(({ code }) => code);
  }
}

/** Reference parameters with a value that leads outside of their targets. */
const outsideTargets = (type: ResourceType | undefined, entries: readonly IndexEntry[]): readonly string[] =>
  entries.flatMap(({ param: code, value }) => {
    const param = type?.parameters.get(code);
    return param !== undefined && value.kind === 'reference' && isOutsideTargets(param, value) ? [code] : [];
  });

const mostSeen = 5_000;

const hasComparator = ({ value }: RawValue): boolean => asObject(value)['comparator'] !== undefined;

const partly = ['HumanName', 'Address'];

/** The texts of a value that every server searches. */
function surePartsOf({ type, value }: RawValue): readonly string[] {
  if (typeof value === 'string') return [value];
  const { family, given, line, city, state, postalCode, country } = asObject(value);
  if (type === 'HumanName') return [...stringsOf(given), ...stringsOf([family])];
  if (type === 'Address') return [...stringsOf(line), ...stringsOf([city, state, postalCode, country])];
  return Object.values(asObject(value)).filter(text => typeof text === 'string');
}

const fixed: ReadonlySet<string> = new Set(['_id', '_lastUpdated']);

function collectOf(param: SearchParam, model: Model): (resource: object) => readonly RawValue[] {
  let found: RawValue[] = [];
  let run: ReturnType<ReturnType<typeof compileExpression>['bind']>;
  try {
    const expression = compileExpression(param.expression, param.resourceType, model.definitions);
    run = expression.bind(type => value => found.push({ type: type.code, value }));
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return () => [];
  }
  return resource => {
    found = [];
    try {
      run(resource);
    } catch (error) {
      if (!(error instanceof NotEvaluated || error instanceof ExpressionError)) throw error;
    }
    return found;
  };
}
