import { isAllowed } from '../../../auth/may.ts';
import { requireScopeToExplain } from '../../../auth/explain.ts';
import { restriction } from '../../../auth/restrict.ts';
import type { Access } from '../../../auth/access.ts';
import type { Model, ResourceType } from '../../../model/model.ts';
import { containerTypes, joinedTypes } from '../../../search/walk.ts';
import type { FhirResponse } from '../../interaction.ts';
import type { LimitedPlace } from '../find-all.ts';
import { type AskedBoth, explainSearch } from './explanation.ts';
import { explanationParameters } from './parameters.ts';

/**
 * The answer to a search with `_explain=true`, instead of the searchset. Throws FhirError 403 without the scope that
 * the capability files name (`search-explain`).
 */
export async function answerExplained(asked: readonly AskedBoth[], place: LimitedPlace): Promise<FhirResponse> {
  const { model, access, base } = place;
  const types = [...new Set(asked.flatMap(({ given }) => [given.type, ...joinedTypes(given.query)]))];
  requireScopeToExplain(
    access,
    model.explainScopes,
    types.map(({ name }) => name),
    base,
  );
  const includes = asked.some(({ given }) => given.includes.length > 0);
  // The restricted query has no types without a scope, which are not read.
  const containers = asked.flatMap(one => containerTypes(one.asked.query));
  const explanation = await explainSearch(asked, place, {
    steps:
      [...types, ...containers].every(type => seesAll(access, type, 's')) &&
      (!includes || seesAllIncluded(model, access)),
    isRestricted: ({ type }) => !seesAll(access, type, 's'),
  });
  return { status: 200, body: JSON.stringify(explanationParameters(explanation)), records: [] };
}

/** Rows of records outside of the caller's context are neither counted nor do they decide on a shown statement. */
const seesAll = (access: Access, type: ResourceType, letter: 'r' | 's'): boolean =>
  restriction(access, type, letter).kind === 'all';

/** An include may lead to any type; types without a scope are not read. */
const seesAllIncluded = (model: Model, access: Access): boolean =>
  [...model.types.values()].every(type => {
    const reads = isAllowed(access, { interaction: 'read', resourceType: type.name });
    const searches = isAllowed(access, { interaction: 'search-type', resourceType: type.name });
    return (!reads || seesAll(access, type, 'r')) && (!searches || seesAll(access, type, 's'));
  });
