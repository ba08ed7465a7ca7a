import { TextDamaged } from '../../fhir/stored-text.ts';
import type { SearchRequest } from '../../search/request.ts';
import { scoredParameters, scoreOf } from '../../search/score.ts';
import type { StoredVersion } from '../../store/port/records.ts';
import { indexedBy, type Place } from './joined.ts';

/** The scores of the records of a page, if the type has such and the search wants them; none for a damaged text. */
export function scoresOf(
  records: readonly StoredVersion[],
  requests: readonly SearchRequest[],
  place: Place,
): ReadonlyMap<StoredVersion, number> {
  const scores = new Map<StoredVersion, number>();
  for (const { type, scored, scores: shown } of requests) {
    if (scored === undefined || !shown) continue;
    const params = scoredParameters(scored);
    for (const record of records) {
      const score = record.type === type.name ? scoreOf(scored, entriesOf(record)) : undefined;
      if (score !== undefined) scores.set(record, score);
    }

    function entriesOf(record: StoredVersion) {
      try {
        return indexedBy(params, [record], type, place)[0]?.entries ?? [];
      } catch (error) {
        if (error instanceof TextDamaged) return [];
        throw error;
      }
    }
  }
  return scores;
}
