import { asString, isObject, objectsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import type { Types } from '../fhirpath/infer.ts';
import { compileExpression } from './expression.ts';
import type { ExpressionContext } from './expression.ts';
import { isViewName, nameRule } from './names.ts';
import type { Cells, Iteration, Select, ViewColumn, ViewExpression } from './view.ts';

interface CompiledSelects {
  readonly selects: readonly Select[];
  readonly columns: readonly ViewColumn[];
}

/** Names of columns so far, with the place of each. */
type Names = ReadonlyMap<string, string>;

const deepest = 32;

/** Compiles a list of selects and their columns, in the order of the rows: own columns, nested selects, the union. */
export function compileSelects(
  list: unknown,
  place: string,
  focus: Types,
  context: ExpressionContext,
  before: Names = new Map(),
): CompiledSelects {
  if (list === undefined) return { selects: [], columns: [] };
  if (!Array.isArray(list)) {
    context.problems.push({ path: place, text: `\`${lastName(place)}\` is a list of objects.` });
    return { selects: [], columns: [] };
  }
  const selects: Select[] = [];
  const columns: ViewColumn[] = [];
  for (const [index, json] of (list as readonly unknown[]).entries()) {
    const names = withNames(before, columns);
    const found = compileSelect(json, `${place}[${index}]`, focus, context, names);
    if (found === undefined) continue;
    selects.push(found.select);
    columns.push(...found.columns);
  }
  return { selects, columns };
}

const lastName = (place: string): string => /\w+$/.exec(place)?.[0] ?? place;

const withNames = (names: Names, columns: readonly ViewColumn[]): Names =>
  new Map([...names, ...columns.map(({ name, place }) => [name, place] as const)]);

function compileSelect(
  json: unknown,
  place: string,
  focus: Types,
  context: ExpressionContext,
  before: Names,
): { readonly select: Select; readonly columns: readonly ViewColumn[] } | undefined {
  const { problems } = context;
  if (!isObject(json)) {
    problems.push({ path: place, text: 'A select is an object with columns.' });
    return undefined;
  }
  if (place.split('.').length > deepest) {
    problems.push({ path: place, text: `Selects are nested more than ${deepest} levels deep.` });
    return undefined;
  }
  const { iteration, types } = compileIteration(json, place, focus, context);
  const cells = compileColumns(json['column'], `${place}.column`, types, context, before);
  const own = cells.map(({ column }) => column);
  const nested = compileSelects(json['select'], `${place}.select`, types, context, withNames(before, own));
  const names = withNames(before, [...own, ...nested.columns]);
  const union = compileUnion(json['unionAll'], `${place}.unionAll`, types, context, names);
  const columns = [...own, ...nested.columns, ...union.columns];
  const nulls = [
    ...cells.map(({ path }) => (isRowIndex(path) ? 0 : null)),
    ...nested.selects.flatMap(one => one.nulls),
    ...(union.selects[0]?.nulls ?? []),
  ];
  return { select: { place, iteration, cells, selects: nested.selects, union: union.selects, nulls }, columns };
}

const isRowIndex = ({ tree }: ViewExpression): boolean => tree.kind === 'variable' && tree.name === 'rowIndex';

function compileIteration(
  json: JsonObject,
  place: string,
  focus: Types,
  context: ExpressionContext,
): { readonly iteration: Iteration | undefined; readonly types: Types } {
  const kinds = (['forEach', 'forEachOrNull', 'repeat'] as const).filter(one => json[one] !== undefined);
  const [kind] = kinds;
  if (kinds.length > 1) {
    const text = `A select has at most one of ${kinds.map(one => `\`${one}\``).join(' and ')}.`;
    context.problems.push({ path: place, text });
  }
  if (kind === undefined) return { iteration: undefined, types: focus };
  if (kind !== 'repeat') {
    const { expression, types } = compileExpression(json[kind], `${place}.${kind}`, focus, context);
    return { iteration: { kind, paths: expression === undefined ? [] : [expression] }, types };
  }
  if (!Array.isArray(json['repeat']) || json['repeat'].length === 0) {
    context.problems.push({ path: `${place}.repeat`, text: '`repeat` is a list of FHIRPath expressions.' });
    return { iteration: undefined, types: undefined };
  }
  return compileRepeat(json['repeat'], place, focus, context);
}

/** The paths are also evaluated on their own results, whose types may be further ones. */
function compileRepeat(
  list: readonly unknown[],
  place: string,
  focus: Types,
  context: ExpressionContext,
): { readonly iteration: Iteration; readonly types: Types } {
  const placeOf = (index: number): string => `${place}.repeat[${index}]`;
  let results = union(list.map((text, index) => compileExpression(text, placeOf(index), focus, silent(context)).types));
  for (let round = 0; round < 3 && results !== undefined; round++) {
    const input: Types = results;
    const next = list.map((text, index) => compileExpression(text, placeOf(index), input, silent(context)).types);
    results = union([input, ...next]);
  }
  const input = union([focus, results]);
  const paths = list.flatMap((text, index) => compileExpression(text, placeOf(index), input, context).expression ?? []);
  return { iteration: { kind: 'repeat', paths }, types: results };
}

/** For expressions that are compiled to know their types; the last compilation reports. */
const silent = (context: ExpressionContext): ExpressionContext => ({
  ...context,
  problems: [],
  warnings: [],
  count: context.count,
});

/** Undefined if one of them is unknown. */
function union(all: readonly Types[]): Types {
  if (all.includes(undefined)) return undefined;
  const found = all.flatMap(types => types ?? []);
  return found.filter(
    (one, at) => found.findIndex(other => other.code === one.code && other.definition === one.definition) === at,
  );
}

function compileColumns(
  list: unknown,
  place: string,
  focus: Types,
  context: ExpressionContext,
  before: Names,
): readonly Cells[] {
  if (list === undefined) return [];
  if (!Array.isArray(list)) {
    context.problems.push({ path: place, text: '`column` is a list of objects with `name` and `path`.' });
    return [];
  }
  const names = new Map(before);
  return (list as readonly unknown[]).flatMap((json, index) => {
    const at = `${place}[${index}]`;
    const report = (part: string, text: string): void => void context.problems.push({ path: `${at}${part}`, text });
    if (!isObject(json)) {
      report('', 'A column is an object with `name` and `path`.');
      return [];
    }
    const name = asString(json['name']) ?? '';
    const there = names.get(name);
    if (!isViewName(name)) report('.name', `The name of a column ${nameRule}`);
    else if (there !== undefined) report('.name', `The column \`${name}\` is also defined at ${there}.`);
    else names.set(name, at);
    if (json['collection'] !== undefined && typeof json['collection'] !== 'boolean')
      report('.collection', '`collection` is `true` or `false`.');
    const declared = json['type'];
    if (declared !== undefined && (typeof declared !== 'string' || declared === ''))
      report('.type', '`type` is the code or the URL of a type.');
    const { expression, types } = compileExpression(json['path'], `${at}.path`, focus, context);
    if (expression === undefined) return [];
    const column: ViewColumn = {
      name,
      type: asString(declared)?.replace(typeBase, '').replace(systemType, lowered) ?? onlyType(types),
      declared: declared !== undefined,
      collection: json['collection'] === true,
      sqlType: sqlTypeOf(json, text => report('.tag', text)),
      place: at,
    };
    return [{ column, path: expression }];
  });
}

const typeBase = /^http:\/\/hl7\.org\/fhir\/StructureDefinition\//;

/** `http://hl7.org/fhirpath/System.String` means `string`. */
const systemType = /^http:\/\/hl7\.org\/fhirpath\/System\.([A-Z])(\w*)$/;
const lowered = (_all: string, first: string, rest: string): string => first.toLowerCase() + rest;

function onlyType(types: Types): string | undefined {
  const codes = new Set(types?.map(({ code }) => code));
  const [code] = codes;
  return codes.size === 1 ? code : undefined;
}

/** The SQL type of the tag `ansi/type`, which is printed into a schema as it is. */
function sqlTypeOf(json: JsonObject, report: (text: string) => void): string | undefined {
  const type = objectsOf(json['tag']).find(({ name }) => name === 'ansi/type')?.['value'];
  if (type === undefined) return undefined;
  if (typeof type === 'string' && /^[A-Za-z][A-Za-z ]{0,60}(\(\d{1,5}(, ?\d{1,5})?\))?( [A-Za-z ]{1,60})?$/.test(type))
    return type;
  report('The value of the tag `ansi/type` is an SQL type, such as `DECIMAL(10, 2)`.');
  return undefined;
}

/** The branches of a union, which have the same names and types in the same order. */
function compileUnion(
  list: unknown,
  place: string,
  focus: Types,
  context: ExpressionContext,
  before: Names,
): CompiledSelects {
  if (list === undefined) return { selects: [], columns: [] };
  if (!Array.isArray(list) || list.length === 0) {
    context.problems.push({ path: place, text: '`unionAll` is a list of at least one select.' });
    return { selects: [], columns: [] };
  }
  const branches = (list as readonly unknown[]).flatMap((json, index) => {
    const found = compileSelect(json, `${place}[${index}]`, focus, context, before);
    return found === undefined ? [] : [found];
  });
  const columns = branches[0]?.columns ?? [];
  for (const branch of branches.slice(1)) compareColumns(columns, branch.columns, branch.select.place, context);
  return { selects: branches.map(({ select }) => select), columns };
}

function compareColumns(
  first: readonly ViewColumn[],
  other: readonly ViewColumn[],
  place: string,
  { problems }: ExpressionContext,
): void {
  const listed = (columns: readonly ViewColumn[]): string => columns.map(({ name }) => `\`${name}\``).join(', ');
  if (first.length !== other.length || first.some(({ name }, at) => name !== other[at]?.name)) {
    const text =
      `The columns of this branch are ${listed(other) || 'none'}, and those of the first are ` +
      `${listed(first) || 'none'}: all branches have the same names in the same order.`;
    problems.push({ path: place, text });
    return;
  }
  for (const [at, { name, type, declared, collection }] of first.entries()) {
    const column = other[at] as ViewColumn; // of the same length
    if (declared && column.declared && type !== column.type)
      problems.push({
        path: column.place,
        text: `\`${name}\` has the type ${column.type} here and ${type} in the first branch; give both one \`type\`.`,
      });
    else if (collection !== column.collection)
      problems.push({ path: column.place, text: `\`${name}\` is a collection in one branch only.` });
  }
}
