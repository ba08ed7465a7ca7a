import { sharedTypes } from '../definitions/definition.ts';
import type { InteractionCode } from '../fhir/interaction.ts';
import type { Model, ResourceType } from '../model/model.ts';
import { operationCallOf } from '../model/operation-call.ts';
import type { Extract } from '../indexing/extract.ts';
import type { Query } from '../search/ast.ts';
import type { Partition } from '../store/port/partitions.ts';
import { together } from './access.ts';
import type { Access } from './access.ts';
import { parseScope } from './scope.ts';
import type { Letter } from './scope.ts';
import { scopeInsufficient } from './refusals.ts';
import { ownersOfRecord } from './owned-by.ts';
import { isWithin, restriction } from './restrict.ts';
import type { OwnedRecord } from './restrict.ts';

/** An interaction on a type or on the whole system. */
export interface RequestedInteraction {
  readonly interaction: InteractionCode;
  readonly resourceType?: string | undefined;
  readonly id?: string | undefined;
  /** The code of the operation, if it is one. */
  readonly operation?: string | undefined;
}

interface RequestedTypeInteraction {
  readonly interaction: Exclude<InteractionCode, 'operation'>;
  readonly resourceType?: string | undefined;
}

/**
 * Allows what the scopes of the caller grant on the type; restrict.ts decides which records. Interactions on the whole
 * system are allowed, since their parts are decided one by one. Throws FhirError 403 with the scopes that would
 * suffice; `realm` is the base URL of the partition, `expression` the part of the request that needs them.
 * https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html
 */
export function requireScope(
  access: Access,
  model: Model,
  asked: RequestedInteraction,
  realm: string,
  expression?: string,
): void {
  const { interaction, resourceType = '', operation } = asked;
  if (hasLetter(access, lettersFor(model, asked), asked.resourceType)) return;
  const scopes = scopesFor(model, asked) ?? [];
  const what = operation === undefined ? interaction : `$${operation}`;
  const text =
    scopes.length === 0
      ? `No scope on this server grants ${what} on ${resourceType}.`
      : `The token has no scope for ${what} of ${resourceType}.`;
  throw scopeInsufficient(realm, text, scopes, expression);
}

/**
 * The scopes for the interaction, each of them enough; undefined if its parts are decided one by one, or it needs none.
 */
export function scopesFor(model: Model, asked: RequestedInteraction): readonly string[] | undefined {
  const letters = lettersFor(model, asked);
  const type = model.types.get(asked.resourceType ?? '');
  return letters === undefined || type === undefined ? undefined : scopesWith(letters, type);
}

const lettersFor = (model: Model, asked: RequestedInteraction): readonly Letter[] | undefined =>
  asked.interaction === 'operation' ? lettersOfOperation(model, asked) : lettersOf(asked.interaction);

/** Whether the scopes of the caller grant the interaction, which is no operation, on the type. */
export const isAllowed = (access: Access, { interaction, resourceType }: RequestedTypeInteraction): boolean =>
  hasLetter(access, lettersOf(interaction), resourceType);

/** Whether the caller has one of the letters on the type. */
function hasLetter(access: Access, letters: readonly Letter[] | undefined, resourceType: string | undefined): boolean {
  if (access === 'open' || letters === undefined || resourceType === undefined) return true;
  const given = access.restrictions.get(resourceType);
  return given !== undefined && letters.some(letter => given[letter] !== undefined);
}

/** The letters; one suffices; undefined if its parts are decided one by one, or it needs no scope. */
function lettersOf(interaction: Exclude<InteractionCode, 'operation'>): readonly Letter[] | undefined {
  const letter = letterOf(interaction);
  return letter === undefined ? undefined : alone[letter];
}

const alone: Readonly<Record<Letter, readonly Letter[]>> = { c: ['c'], r: ['r'], u: ['u'], d: ['d'], s: ['s'] };

/** The letters that the implementation of an operation names; one that is not declared is never granted. */
function lettersOfOperation(model: Model, asked: RequestedInteraction): readonly Letter[] | undefined {
  const { scopes = [] } = operationCallOf(model, asked) ?? {};
  return typeof scopes === 'string' ? undefined : scopes;
}

function letterOf(interaction: Exclude<InteractionCode, 'operation'>): Letter | undefined {
  switch (interaction) {
    case 'read':
    case 'vread':
    case 'history-instance':
      return 'r';
    case 'search-type':
    case 'history-type':
      return 's';
    case 'create':
      return 'c';
    case 'update':
    case 'patch':
      return 'u';
    case 'delete':
      return 'd';
    case 'capabilities':
    case 'job-status':
    case 'job-cancel':
    case 'job-file':
    case 'search-system':
    case 'history-system':
    case 'batch':
    case 'transaction':
      return undefined;
    default:
      return interaction satisfies never;
  }
}

/** The scopes of a type that grant one of the letters. */
const scopesWith = (letters: readonly Letter[], { name, smartScopes }: ResourceType): readonly string[] =>
  smartScopes.filter(scope => {
    if (sharedTypes.has(name) && scope.includes('/*.')) return false; // it writes none of them
    const given = scope === 'fhirUser' ? (['r'] as const) : (parseScope(scope)?.letters ?? []);
    return letters.some(letter => given.includes(letter));
  });

/** The partition of a write, and what reads its records. */
interface WritePlace {
  readonly model: Model;
  readonly extract: Extract;
  /** `{publicUrl}/r4/{partition}`. */
  readonly base: string;
  readonly partition: Pick<Partition, 'id' | 'settings'>;
}

/** A record before and after a write; undefined if there is none. */
interface RecordChange {
  readonly before?: OwnedRecord | undefined;
  readonly after?: OwnedRecord | undefined;
}

/**
 * True if the caller may change a record of a type: the rules of its scopes cover it before and after. A change that
 * only scopes of the context `patient` cover must not move the record into the compartment of another patient, or out
 * of it. https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html
 */
export function isWritable(
  access: Access,
  type: ResourceType,
  letter: Letter,
  { before, after }: RecordChange,
  place: WritePlace,
): boolean {
  const records = [before, after].filter(record => record !== undefined);
  const covers = (rule: Query): boolean =>
    records.every(record => isWithin(rule, type, record, place.extract, place.partition));
  const rule = restriction(access, type, letter);
  if (!covers(rule)) return false;
  if (access === 'open' || rule.kind === 'all') return true;
  const grants = access.grants.filter(one => one.resourceType === type.name && one.letters.includes(letter));
  if (covers(together(grants.filter(({ context }) => context !== 'patient')))) return true;
  const others = (record: OwnedRecord | undefined): string =>
    (record === undefined ? [] : ownersOfRecord(type, record, place))
      .filter(id => id !== access.patient)
      .toSorted()
      .join(' ');
  return others(before) === others(after);
}
