import { capabilities } from './capabilities.ts';
import { create } from './create.ts';
import { remove } from './delete/delete.ts';
import { history } from './history/history.ts';
import type { Interaction } from './interaction.ts';
import type { ServedInteraction } from '../model/interactions.ts';
import { operation } from './operation/index.ts';
import { patch } from './patch/patch.ts';
import { read, vread } from './read.ts';
import { search } from './search/search.ts';
import { update } from './update.ts';

/**
 * Every interaction that the engine implements (model/interactions.ts), besides batch and transaction, which dispatch
 * their entries; the definitions select those that it serves.
 */
export const interactions: Readonly<
  Record<Exclude<ServedInteraction, 'batch' | 'transaction'> | 'capabilities' | 'operation', Interaction>
> = {
  capabilities,
  create,
  delete: remove,
  'history-instance': history,
  'history-system': history,
  'history-type': history,
  operation,
  patch,
  read,
  'search-system': search,
  'search-type': search,
  update,
  vread,
};
