import type { Issue } from '../../fhir/outcome.ts';
import { TextDamaged } from '../../fhir/stored-text.ts';
import type { Model } from '../../model/model.ts';
import type { SearchsetEntry } from '../../search/bundle.ts';
import type { ContainedSearch, SearchRequest } from '../../search/request.ts';
import type { StoredVersion } from '../../store/port/records.ts';
import { Turns } from '../../limits/turns.ts';
import { isWhole, subset } from '../subset.ts';
import { scoreOf, scoredParameters } from '../../search/score.ts';
import type { ContainedMatch } from './contained-page.ts';
import { indexedBy } from './joined.ts';
import type { Place } from './joined.ts';

export interface Entries {
  readonly entries: readonly (SearchsetEntry & { readonly type: string })[];
  /** The records in the entries. */
  readonly records: readonly StoredVersion[];
  readonly damaged: Issue[];
}

/** The entries of contained resources: the id is that of the container with the fragment. */
export function containedEntries(
  matches: readonly ContainedMatch[],
  asked: SearchRequest,
  contained: ContainedSearch,
  model: Model,
): Entries {
  const entries = matches.map(({ record: { type, id, text = '' }, resource }) => {
    const { definition } = contained.type;
    const whole = resource?.text ?? text;
    const part = subset(whole, asked, definition, model.definitions);
    return { type, id: resource === undefined ? id : `${id}#${resource.id}`, text: part };
  });
  return { entries, records: [...new Set(matches.map(({ record }) => record))], damaged: [] };
}

/**
 * The entries of a page. If a part of each record is requested, a record with a damaged text is left out, and the
 * client is warned: it must not prevent reading the others.
 */
export async function entriesOf(
  found: readonly StoredVersion[],
  asked: SearchRequest,
  model: Model,
  scores?: ReadonlyMap<StoredVersion, number>,
): Promise<Entries> {
  const [entries, records, damaged]: [Entries['entries'][number][], StoredVersion[], Issue[]] = [[], [], []];
  const turns = isWhole(asked) ? undefined : new Turns();
  for (const record of found) {
    const { type, id, text = '' } = record;
    const turn = turns?.next();
    if (turn !== undefined) await turn;
    try {
      const { definition } = model.types.get(type) ?? asked.type;
      const score = scores?.get(record);
      entries.push({ type, id, text: subset(text, asked, definition, model.definitions), score });
      records.push(record);
    } catch (error) {
      if (!(error instanceof TextDamaged)) throw error;
      const text = `\`${type}/${id}\` matches and is left out: its stored text is damaged.`;
      damaged.push({ severity: 'warning', code: 'incomplete', text });
    }
  }
  return { entries, records, damaged };
}

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
