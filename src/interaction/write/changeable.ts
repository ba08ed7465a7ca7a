import { recordNotChangeable } from '../../auth/refusals.ts';
import { isWithin, restriction } from '../../auth/restrict.ts';
import { gone, notFound } from '../../fhir/error.ts';
import type { ResourceType } from '../../model/model.ts';
import type { Partition } from '../../store/port/partitions.ts';
import { requireMatch } from '../if-match.ts';
import type { Engine, FhirRequest } from '../interaction.ts';
import type { FormerVersion } from './client-record.ts';
import type { Current } from './current.ts';

/**
 * The current version of a record that a request changes in part (`what`, the subject of a sentence). The answer shows
 * what the record has, in its errors too, so that the caller must be able to read it. Throws FhirError 403 if not, 404
 * and 410 as a read, and 412 if `If-Match` names another version.
 */
export function requireChangeable(
  { extract }: Pick<Engine, 'extract'>,
  type: ResourceType,
  { id = '', access, base, headers }: FhirRequest,
  partition: Partition,
  { current, what }: { readonly current: Current; readonly what: string },
): FormerVersion {
  // That a record was deleted is only for callers who may see every record of the type.
  if (current.is === 'deleted' && restriction(access, type, 'r').kind === 'all')
    throw gone(type.name, id, current.version.version);
  if (current.is !== 'record') throw notFound(type.name, id);
  const { version } = current;
  const isReadable = (['r', 's'] as const).some(letter =>
    isWithin(restriction(access, type, letter), type, version, extract, partition),
  );
  if (!isReadable) throw recordNotChangeable(base, type.name, what);
  requireMatch(headers, type, version);
  return version;
}
