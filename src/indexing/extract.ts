import type { ParsedJson } from '../fhir/json.ts';
import { parseStored } from '../fhir/stored-text.ts';
import { ExpressionError } from '../fhirpath/syntax.ts';
import { NotEvaluated } from '../fhirpath/extract/delegated.ts';
import { compileExpression } from '../fhirpath/extract/expression.ts';
import type { ResourceType, SearchParam } from '../model/model.ts';
import { mayBeUnsearchable } from '../model/search-parameter.ts';
import { compositeEntries } from './composite.ts';
import type { IndexEntry, IndexValue } from './entry.ts';
import { entriesOf } from './index.ts';
import { failureOf } from './not-indexed.ts';
import type { ReportNotIndexed } from './not-indexed.ts';
import type { Meanings, Reading } from './reading.ts';
import { joinWords } from './words.ts';

/** Extracts the index entries of a resource's text; `parsed` is its value if the caller has it. */
export type Extract = (
  type: ResourceType,
  text: string,
  partition: { readonly id: string; readonly zone: string },
  parsed?: Pick<ParsedJson, 'value'>,
) => readonly IndexEntry[];

/**
 * Extracts index entries of resources, for the indexed parameters of their types; each value of a parameter once.
 * Invalid values have no entry; a text that is not JSON throws `TextDamaged`. A parameter is compiled at its first
 * use. `report` is called for a parameter whose expression fails on a resource, which then has no entries of it.
 */
export function createExtract(model: Meanings, report: ReportNotIndexed = () => {}): Extract {
  const reading: Reading = { resource: {}, zone: 'UTC' };
  const compiled = new WeakMap<SearchParam, IndexParameter>();
  const collects = new WeakMap<ResourceType, Collect>();
  const collector = new Collector();
  const runOf = (param: SearchParam): IndexParameter => {
    const run = compiled.get(param) ?? compileParam(param, collector, reading, model);
    compiled.set(param, run);
    return run;
  };
  return (type, text, partition, parsed) => {
    const resource: unknown = parsed === undefined ? parseStored(text) : parsed.value;
    if (typeof resource !== 'object' || resource === null) return [];
    let collect = collects.get(type);
    if (collect === undefined) {
      collect = collectOf(type, runOf, collector, report);
      collects.set(type, collect);
    }
    reading.resource = resource;
    reading.zone = partition.zone;
    const entries = collect(resource);
    reading.resource = {};
    return entries;
  };
}

type Collect = (resource: object) => readonly IndexEntry[];

type IndexParameter = (resource: object) => void;

function collectOf(
  type: ResourceType,
  runOf: (param: SearchParam) => IndexParameter,
  collector: Collector,
  report: ReportNotIndexed,
): Collect {
  const params = [...type.indexed.values()].filter(({ expression }) => expression !== '');
  const runs = params.map(param => ({
    param: param.code,
    delegated: param.delegated,
    run: runOf(param),
  }));
  return resource => {
    for (const { param, delegated, run } of runs) {
      collector.begin(param);
      if (delegated) tryRun(run, resource, error => report(failureOf(type.name, param, resource, error)));
      else run(resource);
      collector.end();
    }
    return collector.take();
  };
}

function compileParam(param: SearchParam, collector: Collector, reading: Reading, model: Meanings): IndexParameter {
  const { emit } = collector;
  const expression = compileExpression(param.expression, param.resourceType, model.definitions);
  return expression.bind(type => {
    if (param.type === 'composite' && param.reads === undefined)
      return compositeEntries(param, type, emit, reading, model);
    const entries = entriesOf(param, type, emit, reading, model);
    if (entries === undefined || !mayBeUnsearchable(param)) return entries;
    return (value, ...rest) => {
      if (value !== undefined && value !== null) collector.hasValue = true;
      entries(value, ...rest);
    };
  });
}

/** fhirpath.js fails on data that does not fit an expression, such as several values instead of one. */
function tryRun(run: IndexParameter, resource: object, failed: (error: Error) => void): void {
  try {
    run(resource);
  } catch (error) {
    // A result may have a type on which the expressions of components do not compile.
    if (!(error instanceof NotEvaluated || error instanceof ExpressionError)) throw error;
    failed(error);
  }
}

const unsearchable: IndexValue = Object.freeze({ kind: 'unsearchable' });

/** Entries of one resource, without duplicate values of a parameter. */
class Collector {
  private entries: IndexEntry[] = [];
  private param = '';
  private first = 0;
  /** Whether the current parameter has a value, with entries or without. */
  hasValue = false;
  private readonly seen = new Set<string>();

  begin(param: string): void {
    this.param = param;
    this.first = this.entries.length;
    this.hasValue = false;
    if (this.seen.size > 0) this.seen.clear();
  }

  end(): void {
    if (this.hasValue && this.entries.length === this.first)
      this.entries.push({ param: this.param, value: unsearchable });
  }

  /** Most parameters have one value, so values are compared from the second on. All words are one value. */
  readonly emit = (value: IndexValue): void => {
    const known = this.entries[this.first];
    if (value.kind === 'words' && known?.value.kind === 'words') {
      const text = joinWords(known.value.text, value.text);
      this.entries[this.first] = { param: this.param, value: { kind: 'words', text } };
      return;
    }
    if (known !== undefined) {
      if (this.seen.size === 0) this.seen.add(JSON.stringify(known.value));
      const key = JSON.stringify(value);
      if (this.seen.has(key)) return;
      this.seen.add(key);
    }
    this.entries.push({ param: this.param, value });
  };

  take(): readonly IndexEntry[] {
    const { entries } = this;
    this.entries = [];
    return entries;
  }
}
