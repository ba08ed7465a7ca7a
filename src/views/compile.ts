import { asString, isObject, objectsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { didYouMean } from '../fhir/suggest.ts';
import type { Types } from '../fhirpath/infer.ts';
import { rootType } from '../fhirpath/result-type.ts';
import type { TypeDefinitions } from '../model/element.ts';
import { readConstants } from './constants.ts';
import { compileExpression } from './expression.ts';
import type { ExpressionContext } from './expression.ts';
import { viewFunctions } from './functions.ts';
import { isViewName, nameRule } from './names.ts';
import { compileSelects } from './select.ts';
import type { View, ViewExpression, ViewProblem, ViewState } from './view.ts';

/** The extension of a view whose rows the store keeps. */
export const viewTableUrl = 'https://clinical-records.example/fhir/StructureDefinition/view-table';

export interface CompiledView {
  /** Undefined if there are problems. */
  readonly view: View | undefined;
  readonly problems: readonly ViewProblem[];
  /** Expressions that are always empty. */
  readonly warnings: readonly ViewProblem[];
}

/**
 * Compiles a ViewDefinition, and reports every mistake that is known without a record. Elements that describe the view
 * (`status`, `profile`, `contact`) are not read.
 * https://sql-on-fhir.org/ig/2.0.0/StructureDefinition-ViewDefinition.html
 */
export function compileView(json: JsonObject, types: TypeDefinitions): CompiledView {
  const problems: ViewProblem[] = [];
  const warnings: ViewProblem[] = [];
  const report = (path: string, text: string): void => void problems.push({ path, text });
  const name = asString(json['name']);
  if (json['name'] !== undefined && (name === undefined || !isViewName(name)))
    report('name', `The name of a view ${nameRule}`);
  const resourceType = asString(json['resource']);
  const root = resourceType === undefined ? undefined : types.get(resourceType);
  if (resourceType === undefined) report('resource', 'The view has no `resource`: name the type of its records.');
  else if (root === undefined || !types.resourceTypes.has(resourceType))
    report(
      'resource',
      `\`${resourceType}\` is not a resource type of FHIR R4.${didYouMean(resourceType, types.resourceTypes)}`,
    );
  if (root === undefined || !types.resourceTypes.has(root.name)) {
    if (!isFilled(json['select'])) report('select', noSelect);
    return { view: undefined, problems, warnings };
  }
  const state: ViewState = { rowIndex: 0, now: '' };
  const context: ExpressionContext = {
    types,
    root,
    constants: readConstants(json['constant'], problems),
    functions: viewFunctions(state),
    state,
    problems,
    warnings,
    readsClock: false,
    count: 0,
  };
  const focus: Types = [rootType(root)];
  const where = compileWhere(json['where'], focus, context);
  if (!isFilled(json['select'])) report('select', noSelect);
  const { selects, columns } = compileSelects(json['select'], 'select', focus, context);
  if (problems.length === 0 && columns.length === 0) report('select', 'The view has no column.');
  const hasTable = objectsOf(json['extension']).some(
    ({ url, valueBoolean }) => url === viewTableUrl && valueBoolean === true,
  );
  if (hasTable && context.readsClock)
    report('extension', 'A view that reads the clock cannot have a table, since its rows change without the record.');
  if (hasTable && name === undefined) report('name', 'A view with a table has a name.');
  if (problems.length > 0) return { view: undefined, problems, warnings };
  const view: View = {
    name,
    url: asString(json['url']),
    version: asString(json['version']),
    id: asString(json['id']),
    title: asString(json['title']) ?? asString(json['description']),
    resourceType: root.name,
    columns,
    where,
    selects,
    readsClock: context.readsClock,
    hasTable,
    types,
    root,
    state,
  };
  return { view, problems, warnings };
}

const noSelect = 'The view has no `select`: write at least one, with the columns of its rows.';

const isFilled = (list: unknown): boolean => Array.isArray(list) && list.length > 0;

function compileWhere(list: unknown, focus: Types, context: ExpressionContext): readonly ViewExpression[] {
  if (list === undefined) return [];
  const { problems } = context;
  if (!Array.isArray(list)) {
    problems.push({ path: 'where', text: '`where` is a list of objects with `path`.' });
    return [];
  }
  return (list as readonly unknown[]).flatMap((one, index) => {
    const path = `where[${index}].path`;
    const { expression, types } = compileExpression(isObject(one) ? one['path'] : undefined, path, focus, context);
    if (expression === undefined) return [];
    if (types !== undefined && types.length > 0 && !types.some(({ code }) => code === 'boolean'))
      problems.push({ path, text: `A criterion is a boolean, not ${types.map(({ code }) => code).join(' or ')}.` });
    return [expression];
  });
}
