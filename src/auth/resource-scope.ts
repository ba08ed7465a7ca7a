import type { Model, ResourceType } from '../model/model.ts';
import type { Letter, Scope } from './scope.ts';
import { criteriaQuery } from './criteria.ts';
import { parseScope, versionOne } from './scope.ts';

/** Letters of one type with the search that narrows them; undefined without one. */
export interface Piece {
  readonly letters: readonly Letter[];
  readonly criteria: string | undefined;
}

/**
 * The intersection of a scope on one type with a list of scopes (those that the type lists, or those that a client is
 * registered for, where wildcards and version 1 forms cover others): letters that both have, narrowed by the searches
 * of both. A search that is not valid for the type leaves nothing.
 */
export function within(
  pieces: readonly Piece[],
  asked: Pick<Scope, 'context'>,
  type: ResourceType,
  list: readonly string[],
  model: Model,
): readonly Piece[] {
  const fits = list.filter(text => ['*', type.name].includes(parseScope(text)?.resourceType ?? ''));
  return intersection(pieces, asked, fits).filter(
    ({ criteria }) => criteria === undefined || works(criteria, type, model),
  );
}

/**
 * What scopes on the same types have in common, such as those of wildcards, whether their searches are valid or not.
 */
export function intersection(
  pieces: readonly Piece[],
  asked: Pick<Scope, 'context'>,
  list: readonly string[],
): readonly Piece[] {
  const listed = list.map(parseScope).filter(scope => scope?.context === asked.context);
  return joined(
    pieces.flatMap(piece =>
      listed.flatMap(scope =>
        scope === undefined
          ? []
          : {
              letters: piece.letters.filter(letter => scope.letters.includes(letter)),
              criteria: bothOf(piece.criteria, scope.criteria),
            },
      ),
    ),
  );
}

/** True if the search after a `?` is valid for the type. */
export const works = (criteria: string, type: ResourceType, model: Model): boolean =>
  criteriaQuery(type, criteria, { model, base: 'http://localhost', zone: 'UTC', now: 0 }) !== undefined;

/** True if every letter is among those of the pieces that are not narrowed further than requested. */
export const covers = (pieces: readonly Piece[], { letters, criteria }: Piece): boolean =>
  letters.every(letter => pieces.some(piece => piece.letters.includes(letter) && isSame(piece.criteria, criteria)));

/** True if every letter is among those of the pieces with no search, or with searches that the piece has too. */
export const includes = (pieces: readonly Piece[], { letters, criteria }: Piece): boolean =>
  letters.every(letter =>
    pieces.some(piece => piece.letters.includes(letter) && isSame(bothOf(criteria, piece.criteria), criteria)),
  );

/** Version 2 text, letters in their order. */
export function printScope(context: string, resourceType: string, { letters, criteria }: Piece): string {
  const ordered = order.filter(letter => letters.includes(letter)).join('');
  return `${context}/${resourceType}.${ordered}${criteria === undefined ? '' : `?${criteria}`}`;
}

/**
 * Version 1 text if it means exactly the letters; else version 2.
 * https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html#scopes-for-requesting-fhir-resources
 */
export const printVersionOne = (context: string, resourceType: string, piece: Piece): string => {
  const letters = order.filter(letter => piece.letters.includes(letter)).join('');
  const permission = Object.entries(versionOne).find(([, all]) => all === letters)?.[0];
  return permission === undefined || piece.criteria !== undefined
    ? printScope(context, resourceType, piece)
    : `${context}/${resourceType}.${permission}`;
};

const order: readonly Letter[] = ['c', 'r', 'u', 'd', 's'];

/** Merges pieces by their search, and drops letters that a piece without a search has. */
function joined(pieces: readonly Piece[]): readonly Piece[] {
  const all = Map.groupBy(pieces, ({ criteria }) => criteria);
  const free = (all.get(undefined) ?? []).flatMap(({ letters }) => letters);
  return [...all].flatMap(([criteria, of]): Piece[] => {
    const letters = [...new Set(of.flatMap(piece => piece.letters))].filter(
      letter => criteria === undefined || !free.includes(letter),
    );
    return letters.length === 0 ? [] : [{ letters, criteria }];
  });
}

/** Both searches apply: the second follows the first. */
function bothOf(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const first = one.split('&');
  return [...first, ...other.split('&').filter(part => !first.includes(part))].join('&');
}

const isSame = (one: string | undefined, other: string | undefined): boolean =>
  one === other ||
  (one !== undefined && other !== undefined && one.split('&').sort().join('&') === other.split('&').sort().join('&'));
