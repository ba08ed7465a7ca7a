import type { InteractionCode } from '../fhir/interaction.ts';
import { capabilities } from './capabilities.ts';
import { create } from './create.ts';
import type { Interaction } from './interaction.ts';
import { operation } from './operation/index.ts';
import { read } from './read.ts';
import { search } from './search.ts';

/** Every interaction that the engine can serve; which of them it does serve, the definitions say. */
export const interactions: Partial<Record<InteractionCode, Interaction>> = {
  capabilities,
  create,
  operation,
  read,
  'search-type': search,
};
