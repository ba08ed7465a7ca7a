import { fhirError } from '../fhir/error.ts';
import type { FhirError } from '../fhir/error.ts';
import type { InteractionCode, TypeInteraction } from '../fhir/interaction.ts';
import type { Model, ResourceType } from '../model/model.ts';
import { hasJobs, operationCallOf } from '../model/operation-call.ts';
import type { Route } from './interaction.ts';

/**
 * True if the definitions declare the interaction. Update, patch and delete without an id are the conditional forms,
 * which are declared separately.
 * https://hl7.org/fhir/R4/capabilitystatement-definitions.html#CapabilityStatement.rest.resource.interaction
 */
export function isDeclared(model: Model, asked: Route): boolean {
  if (asked.interaction === 'capabilities') return true;
  if (asked.job !== undefined) return hasJobs(model);
  if (asked.compartment !== undefined && !model.searchedCompartments.has(asked.compartment.type)) return false;
  if (asked.resourceType === undefined && asked.compartment !== undefined) return true;
  if (asked.interaction === 'operation') return operationCallOf(model, asked) !== undefined;
  if (asked.resourceType === undefined) return model.systemInteractions.has(asked.interaction);
  const type = model.types.get(asked.resourceType);
  if (asked.compartment !== undefined && type?.compartmentLinks.has(asked.compartment.type) !== true) return false;
  // a type level one
  if (type === undefined || !type.interactions.has(asked.interaction as TypeInteraction)) return false;
  if (asked.id !== undefined) return true;
  if (asked.interaction === 'update' || asked.interaction === 'patch') return type.conditionalUpdate;
  return asked.interaction !== 'delete' || type.conditionalDelete !== 'not-supported';
}

/** The type of a request; dispatch rejects undeclared ones. */
export function declaredType(model: Model, request: { readonly resourceType?: string | undefined }): ResourceType {
  const type = model.types.get(request.resourceType ?? '');
  if (type === undefined) throw new Error('The request is not about a declared type');
  return type;
}

/** The interaction of a request that the interface does not declare. */
interface Undeclared {
  /** Undefined for a method that no interaction on the path has. */
  readonly interaction: InteractionCode | undefined;
  /** A declared one. */
  readonly resourceType?: string | undefined;
  readonly id?: string | undefined;
}

/**
 * FhirError 405 for a method on a path, with the methods that the path has: what the interface declares instead, and
 * where else it declares the interaction. https://hl7.org/fhir/R4/http.html#Status-Codes
 */
export function notAllowed(
  model: Model,
  method: string,
  { interaction, ...of }: Undeclared,
  allowed: readonly string[],
): FhirError {
  const methods = allowed.length === 0 ? undefined : allowed.join(', ');
  const text =
    interaction === undefined
      ? `\`${method}\` is not supported on this path. It allows ${methods ?? 'no methods'}.`
      : `\`${method}\` (${interaction}) is not supported: ${undeclaredText(model, { interaction, ...of })}` +
        (methods === undefined ? '' : ` This path allows ${methods}.`);
  return fhirError(405, 'not-supported', text, undefined, { Allow: allowed.join(', ') });
}

/** The reason, as the end of a sentence, and what to do instead, as further sentences. */
function undeclaredText(
  model: Model,
  { interaction, resourceType, id }: Undeclared & { readonly interaction: InteractionCode },
): string {
  if (resourceType === undefined) return ofSystem(model, interaction);
  const declared = [...(model.types.get(resourceType)?.interactions ?? [])];
  if (id === undefined && declared.some(one => one === interaction) && interaction !== 'search-type')
    return (
      `without an id it is conditional, which the interface does not declare for ${resourceType}. Send it to ` +
      `\`${resourceType}/{id}\`.`
    );
  const only = declared.length === 0 ? 'no interactions' : `only ${listed(declared, declared.length)}`;
  return `the interface declares ${only} for ${resourceType}${elsewhere(model, interaction)}. ${where}`;
}

const where = '`metadata` lists the interactions of each type.';

function ofSystem(model: Model, interaction: InteractionCode): string {
  if (interaction === 'batch' || interaction === 'transaction')
    return (
      'the interface declares neither batch nor transaction. Send each request on its own, to `{type}` or ' +
      `\`{type}/{id}\`. ${where}`
    );
  const ofType = interaction === 'search-system' ? 'search-type' : 'history-type';
  const types = typesWith(model, ofType);
  const instead =
    types.length === 0 ? '' : ` Add a type to the base URL, as in \`${types[0] ?? ''}${pathOf[ofType]}\`.`;
  return `the interface does not declare it for all types together.${instead} ${where}`;
}

const pathOf = { 'search-type': '?_count=10', 'history-type': '/_history' } as const;

/** The types that declare the interaction, as the end of a sentence. */
function elsewhere(model: Model, interaction: InteractionCode): string {
  const types = typesWith(model, interaction);
  return types.length === 0 ? `, and ${interaction} for no type` : `, and ${interaction} for ${listed(types, 5)}`;
}

const typesWith = ({ types }: Model, interaction: InteractionCode): readonly string[] =>
  [...types.values()].flatMap(({ name, interactions }) =>
    interactions.has(interaction as TypeInteraction) ? [name] : [],
  );

/** The first of a list, with the number of the others: `a, b and 3 others`. */
function listed(all: readonly string[], most: number): string {
  const [shown, others] = [all.slice(0, most), all.length - most];
  const last = others > 0 ? (others === 1 ? 'one other' : `${others} others`) : shown.pop();
  return shown.length === 0 ? (last ?? '') : `${shown.join(', ')} and ${last ?? ''}`;
}

/**
 * FhirError 404 for a path below the base URL that has no interaction: `rest` is the path, as sent. Only a search with
 * parameters may have a slash at its end.
 */
export function noPath(rest = ''): FhirError {
  const whole = rest.replace(/\/{2,}/g, '/').replace(/^\/|\/$/g, '');
  const hint =
    whole === rest || whole === '' || whole.length > 200
      ? ''
      : ` There is a slash too many: \`${whole}\` has none at its end, and none twice.`;
  return fhirError(
    404,
    'not-found',
    `Nothing exists under this path.${hint} Paths are \`{type}\`, \`{type}/_search\`, \`{type}/{id}\` and ` +
      '`metadata`; `metadata` lists the supported compartments and operations.',
  );
}
