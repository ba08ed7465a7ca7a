import { FhirError, fhirError } from '../../fhir/error.ts';
import { asString, isObject } from '../../fhir/json-object.ts';
import { belowBase, parseReference } from '../../fhir/reference.ts';
import type { Engine, FhirRequest } from '../../interaction/interaction.ts';
import type { Arguments } from '../../interaction/operation/arguments.ts';
import type { ResourceType } from '../../model/model.ts';
import { shorten } from '../../validation/report.ts';
import { compileView } from '../../views/compile.ts';
import type { View } from '../../views/view.ts';

/** The parameters that name a view, of each version of the guide. */
const canonicals = ['subjectCanonical'] as const;
const references = ['subjectReference', 'viewReference'] as const;
const resources = ['subjectResource', 'viewResource'] as const;

/** A view, and how it was named: the definition itself, if the request has it. */
export interface Subject {
  readonly view: View;
  readonly canonical?: string | undefined;
  readonly reference?: string | undefined;
  readonly resource?: object | undefined;
}

/**
 * The view that a call names. Throws FhirError 400 for none or several, 404 for one that is not loaded, 422 for one
 * that is not valid. https://build.fhir.org/ig/HL7/sql-on-fhir/en/OperationDefinition-SQLRun.html
 */
export function subjectOf(
  engine: Pick<Engine, 'views' | 'model'>,
  { base }: Pick<FhirRequest, 'base'>,
  given: Pick<Arguments, 'all'>,
): Subject {
  const canonical = canonicals.flatMap(name => given.all(name));
  const reference = references.flatMap(name => given.all(name));
  const resource = resources.flatMap(name => given.all(name));
  const count = canonical.length + reference.length + resource.length;
  if (count === 0)
    throw fhirError(400, 'required', 'No view is named: send its canonical, a reference, or itself.', 'subject');
  if (count > 1) throw fhirError(400, 'invalid', 'Several views are named: send one of them.', 'subject');
  const [name] = canonical;
  if (typeof name === 'string') return { view: found(engine.views.byCanonical(name), name), canonical: name };
  if (reference.length > 0) {
    const text = (isObject(reference[0]) ? asString(reference[0]['reference']) : undefined) ?? '';
    return { view: referred(engine, base, text), reference: text };
  }
  const [own] = resource;
  return { view: sent(engine, own), resource: isObject(own) ? own : {} };
}

function found(view: View | undefined, name: string): View {
  if (view !== undefined) return view;
  throw fhirError(404, 'not-found', `No ViewDefinition \`${shorten(name)}\` is loaded.`, 'subject');
}

function referred({ views }: Pick<Engine, 'views'>, base: string, text: string): View {
  const parsed = parseReference(text);
  const { type, id } = (parsed?.kind === 'relative' ? parsed : belowBase(base, text)) ?? {};
  if (isQuery(type)) throw queryRefused();
  if (type === 'ViewDefinition' && id !== undefined) return found(views.byId(id), text);
  return found(/^(https?|urn):/.test(text) ? views.byCanonical(text) : undefined, text);
}

/** The view of the request. Its `resourceType` may be the URL of the first version of the guide. */
function sent({ model }: Pick<Engine, 'model'>, resource: unknown): View {
  const json = isObject(resource) ? resource : {};
  const type = asString(json['resourceType']) ?? '';
  if (isQuery(type)) throw queryRefused();
  if (!/^(?:https?:\/\/.*\/StructureDefinition\/)?ViewDefinition$/.test(type)) {
    const text = `A resource of type \`${shorten(type)}\` is no view: send a ViewDefinition.`;
    throw fhirError(422, 'invalid', text, 'resourceType');
  }
  const { view, problems } = compileView(json, model.definitions);
  if (view !== undefined) return view;
  const issues = problems.slice(0, mostIssues).map(({ path, text }) => ({
    severity: 'error' as const,
    code: 'invalid' as const,
    text,
    ...(path === '' ? {} : { expression: path }),
  }));
  throw new FhirError(422, issues);
}

/** Mistakes that are listed. */
const mostIssues = 50;

/** SQL queries are Libraries. */
const isQuery = (type: string | undefined): boolean => type === 'Library';

const queryRefused = (): FhirError =>
  fhirError(400, 'not-supported', 'SQL queries (a Library) are not supported: send a ViewDefinition.', 'subject');

/** The type of the records of a view. Throws FhirError 422 if they cannot be searched here. */
export function requireSearched({ model }: Pick<Engine, 'model'>, { resourceType }: View): ResourceType {
  const type = model.types.get(resourceType);
  if (type?.interactions.has('search-type') === true) return type;
  const text = `Records of the type ${resourceType} cannot be searched here: choose another view.`;
  throw fhirError(422, 'invalid', text, 'resource');
}
