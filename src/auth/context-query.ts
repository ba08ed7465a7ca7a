import type { Model, ResourceType } from '../model/model.ts';
import type { Query } from '../search/ast.ts';
import { escape } from '../search/parse/escape.ts';
import { withIndexed } from '../search/with-indexed.ts';
import { none } from '../search/simplify.ts';
import type { Context } from './scope.ts';
import { criteriaQuery } from './criteria.ts';
import type { AccessPlace } from './criteria.ts';
import type { LocalReference } from './fhir-user.ts';
import { isClinician } from './fhir-user.ts';
import { ownedBy } from './owned-by.ts';

/** The caller for whom the rules of a context are evaluated. */
export interface Who {
  readonly client: string;
  /** Id of the patient in context. */
  readonly patient: string | undefined;
  readonly fhirUser: LocalReference | undefined;
}

/**
 * The resources of a type that a context covers, whatever its scopes are: those of the patient in context
 * (`access-link`); for clinicians and systems the whole partition, or the resources that match every `access-criteria`
 * of the context; the user's own resource. Empty if the token lacks what the rule needs.
 */
export function contextQuery(context: Context, type: ResourceType, who: Who, place: AccessPlace): Query {
  switch (context) {
    case 'patient':
      return who.patient === undefined ? none : (ownedBy(place, type, who.patient) ?? none);
    case 'user':
      return isClinician(who.fhirUser, place.model) ? byCriteria(context, type, who, place) : none;
    case 'system':
      return byCriteria(context, type, who, place);
    case 'fhirUser':
      return who.fhirUser?.here === true && who.fhirUser.resourceType === type.name
        ? { kind: 'id', anyOf: [who.fhirUser.id] }
        : none;
    default:
      return context satisfies never;
  }
}

function byCriteria(context: 'user' | 'system', type: ResourceType, who: Who, place: AccessPlace): Query {
  const own = withIndexed(type);
  const of = type.accessCriteria
    .filter(one => one.context === context)
    .map(({ criteria }) => criteriaQuery(own, criteria, place, value => filled(value, who)) ?? none);
  return { kind: 'and', of };
}

/**
 * The value with its placeholders replaced; undefined if the token has no value for one: `urn:x|` followed by nothing
 * would match everything.
 */
function filled(value: string, { client, fhirUser }: Pick<Who, 'client' | 'fhirUser'>): string | undefined {
  if (value.includes('{fhirUser}') && fhirUser === undefined) return undefined;
  if (value.includes('{clientId}') && client.trim() === '') return undefined;
  return value
    .split(/(\{fhirUser\}|\{clientId\})/)
    .map(part =>
      part === '{fhirUser}' ? escape(fhirUser?.reference ?? '') : part === '{clientId}' ? escape(client) : part,
    )
    .join('');
}

/** Every invalid `access-criteria`, as one sentence each: tokens of its context would see nothing. */
export function unusableCriteria(model: Model): readonly string[] {
  const place = { model, base: 'http://localhost', zone: 'UTC', now: 0 };
  const anyCaller = Array.from(model.clinicians, resourceType => ({
    resourceType,
    id: 'x',
    reference: `${resourceType}/x`,
    here: true,
  }));
  return [...model.types.values()].flatMap(type => {
    const own = withIndexed(type);
    const works = (criteria: string): boolean =>
      anyCaller.some(
        fhirUser =>
          criteriaQuery(own, criteria, place, value => filled(value, { client: 'x', fhirUser })) !== undefined,
      );
    return type.accessCriteria
      .filter(({ criteria }) => !works(criteria))
      .map(
        ({ criteria }) => `The \`access-criteria\` \`${criteria}\` of ${type.name} is not a valid search on the type.`,
      );
  });
}
