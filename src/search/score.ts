import type { IndexEntry } from '../indexing/entry.ts';
import { writtenPhrase, type Phrase } from '../indexing/words.ts';
import type { SearchParam } from '../model/model.ts';
import type { Query } from './ast.ts';
import { parametersOf } from './walk.ts';

/** The parameters whose words a query searches: those by which records have a score. */
export function scoredParameters(query: Query): readonly SearchParam[] {
  return parametersOf(query, false).filter(({ reads }) => reads === 'words');
}

/**
 * The relevance of a record that matches a full-text search, from 0 to 1: the part of BM25 that depends on one record.
 * It grows with the occurrences of the phrases, and falls with the length of the text. How frequent a word is in other
 * records does not count, since it would say something about records that the caller may not see. Of all that must
 * match, the mean counts; of alternatives, the highest. Undefined if no words of the query match.
 * https://hl7.org/fhir/R4/search.html#score
 */
export function scoreOf(query: Query, entries: readonly IndexEntry[]): number | undefined {
  const score = unrounded(query, entries);
  return score === undefined ? undefined : Math.round(score * 10_000) / 10_000;
}

function unrounded(query: Query, entries: readonly IndexEntry[]): number | undefined {
  switch (query.kind) {
    case 'and':
    case 'or': {
      const scores = query.of.flatMap(part => unrounded(part, entries) ?? []);
      if (scores.length === 0) return undefined;
      return query.kind === 'or' ? Math.max(...scores) : meanOf(scores);
    }
    case 'param': {
      const { param, test } = query;
      if (test.kind !== 'words') return undefined;
      const found = entries.find(entry => entry.param === param.code)?.value;
      return found?.kind === 'words' ? scoreOfText(test.phrases, found.text) : undefined;
    }
    case 'all':
    case 'not':
    case 'id':
    case 'lastUpdated':
    case 'owner':
    case 'present':
    case 'entry':
    case 'chain':
    case 'inside':
    case 'has':
    case 'tree':
    case 'contained':
      return undefined;
    default:
      return query satisfies never;
  }
}

/** The usual parameters of BM25, and a length of texts, in words, for which occurrences count as they are. */
const [saturation, lengthShare, usualLength] = [1.2, 0.75, 100];

/** Undefined if the text lacks one of the phrases. */
function scoreOfText(phrases: readonly Phrase[], text: string): number | undefined {
  const length = text.split(' ').length - 2;
  const slope = saturation * (1 - lengthShare + (lengthShare * length) / usualLength);
  const counts = phrases.map(phrase => occurrences(text, writtenPhrase(phrase)));
  return counts.includes(0) ? undefined : meanOf(counts.map(count => count / (count + slope)));
}

/** Two occurrences may have the space between them in common. */
function occurrences(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length - 1)) count += 1;
  return count;
}

const meanOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
