import type { Decimals } from '../../fhir/json.ts';
import { createFindSystem } from '../../terminology/concepts.ts';
import type { FindSystem } from '../../terminology/concepts.ts';
import { createLabels } from '../definition/label.ts';
import type { Visit } from '../shell/visit.ts';
import { noFindings } from './findings.ts';
import { textsOf } from './view.ts';
import type { RecordView } from './view.ts';

const systems = new WeakMap<object, FindSystem>();

/**
 * The view of records of a visit. `profiles`: canonicals of the profiles whose labels are used. Throws Error outside of
 * a partition.
 */
export function viewOf(visit: Visit, profiles: readonly string[], decimals: Decimals = new Map()): RecordView {
  const { engine, language, place, record, access } = visit;
  const { model, definitions } = engine;
  if (place === undefined) throw new Error('A record belongs to a partition');
  const system = systems.get(definitions) ?? createFindSystem(definitions);
  systems.set(definitions, system);
  return {
    model,
    language,
    texts: textsOf(language),
    base: place.base,
    self: access === undefined || access === 'open' ? undefined : access.fhirUser?.reference,
    record,
    labelOf: createLabels(canonical => model.snapshot(canonical), profiles, language),
    system,
    decimals,
    findings: noFindings,
  };
}
